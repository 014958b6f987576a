import { Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { downloadFile } from '../parts/download-file.ts';
import { Icon } from '../parts/icons.tsx';
import { notifyError } from '../parts/notify.ts';
import { Section } from '../parts/page.tsx';
import { t } from '../i18n/translate.ts';

export function ExportAccount() {
  const exporting = useMutation({
    mutationFn: async () => downloadFile(await call('user/export_account', {}), t('settings.exportName'), 'zip'),
    onError: notifyError,
  });
  return (
    <Section title={t('settings.export')}>
      <Text size="sm" mb="sm">
        {t('settings.exportNote')}
      </Text>
      <Button
        variant="default"
        leftSection={<Icon name="download" size={16} />}
        loading={exporting.isPending}
        onClick={() => exporting.mutate()}
      >
        {t('settings.exportButton')}
      </Button>
    </Section>
  );
}
