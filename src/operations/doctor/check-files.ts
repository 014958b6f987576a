import { sql } from 'kysely';
import type { Database } from '../../platform/database/connect.ts';
import { find, type Finding } from './finding.ts';

/** The configuration of this check. */
export interface FilesConfigured {
  quotas: { storedBytes: number };
}

const NEARLY_FULL = 0.9;
const MEBIBYTE = 1024 ** 2;
const inMebibytes = (bytes: number) => `${Math.ceil(bytes / MEBIBYTE).toLocaleString('en')} MiB`;

/** How much the files of all workspaces take in the database, and whether a workspace has nearly used up its quota. */
export async function checkFiles(
  db: Database,
  { quotas: { storedBytes: quota } }: FilesConfigured,
): Promise<Finding[]> {
  const { rows } = await sql<{ total: number; most: number; full: number }>`
    select coalesce(sum(stored_bytes), 0)::float8 as total, coalesce(max(stored_bytes), 0)::float8 as most,
           count(*) filter (where stored_bytes >= ${Math.floor(quota * NEARLY_FULL)}::bigint)::int as full
    from workspaces`.execute(db);
  const { total = 0, most = 0, full = 0 } = rows[0] ?? {};
  const summary = `Files take ${inMebibytes(total)} of the database, ${inMebibytes(most)} of them in the largest workspace (QUOTA_STORED_MB allows ${inMebibytes(quota)})`;
  if (full === 0) return [find('files', summary)];
  return [
    find(
      'files',
      `${summary}. Workspaces that have used 90 % of their quota: ${full}. Beyond it new files are rejected.`,
      'warning',
      'Raise QUOTA_STORED_MB, or ask their users to delete files, drafts or campaigns with files.',
    ),
  ];
}
