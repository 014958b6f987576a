import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { t } from '../i18n/translate.ts';
import { downloadFile } from './download-file.ts';
import { Icon } from './icons.tsx';
import { notifyError } from './notify.ts';

/** Downloads what `load` resolves to as a CSV file of this name. */
export function DownloadCsvButton({
  name,
  label = t('campaign.export'),
  load,
}: {
  name: string;
  label?: string;
  load: () => Promise<string>;
}) {
  const exporting = useMutation({
    mutationFn: async () => downloadFile(new Blob([await load()], { type: 'text/csv' }), name, 'csv'),
    onError: notifyError,
  });
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<Icon name="download" size={14} />}
      loading={exporting.isPending}
      onClick={() => exporting.mutate()}
    >
      {label}
    </Button>
  );
}
