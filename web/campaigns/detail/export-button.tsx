import { call } from '../../api/call.ts';
import type { Analytics } from '../../api/operations.ts';
import { DownloadCsvButton } from '../../parts/download-csv-button.tsx';

/** Downloads the group rows as CSV. */
export function ExportButton({ campaign: { campaign_id: id, name } }: Pick<Analytics, 'campaign'>) {
  return (
    <DownloadCsvButton name={name} load={(format) => call('analytics/export-campaign', { campaign_id: id, format })} />
  );
}
