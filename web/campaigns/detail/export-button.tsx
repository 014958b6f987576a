import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Analytics } from '../../api/operations.ts';
import { Icon } from '../../parts/icons.tsx';
import { notifyError } from '../../parts/notify.ts';
import { words } from '../../words/words.ts';
import { downloadFile } from './download-file.ts';

/** Downloads the group rows as CSV. */
export function ExportButton({ campaign: { campaign_id: id, name } }: Pick<Analytics, 'campaign'>) {
  const exporting = useMutation({
    mutationFn: async () => {
      const csv = await call('analytics/export-campaign', { campaign_id: id, format: 'csv' });
      downloadFile(new Blob([csv], { type: 'text/csv' }), name, 'csv');
    },
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
      {words.campaign.export}
    </Button>
  );
}
