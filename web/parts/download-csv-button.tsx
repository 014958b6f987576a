import { Button, Menu } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { Body } from '../api/operations.ts';
import { t } from '../i18n/translate.ts';
import { downloadCsv } from './download-file.ts';
import { Icon } from './icons.tsx';
import { notifyError } from './notify.ts';

export type CsvFormat = Body<'user/export_audit_log'>['format'];

/** Downloads what `load` resolves to as a CSV file of this name, for Excel or for programs. */
export function DownloadCsvButton({
  name,
  label = t('report.export'),
  load,
}: {
  name: string;
  label?: string;
  load: (format: CsvFormat) => Promise<string>;
}) {
  const exporting = useMutation({
    mutationFn: async (format: CsvFormat) => downloadCsv(await load(format), name),
    onError: notifyError,
  });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="download" size={14} />}
          loading={exporting.isPending}
        >
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => exporting.mutate('excel')}>{t('campaign.exportExcel')}</Menu.Item>
        <Menu.Item onClick={() => exporting.mutate('csv')}>{t('campaign.exportPlain')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
