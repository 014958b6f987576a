import { readOne, type Database } from '../../platform/database/statements.ts';
import type { Quotas } from '../../workspaces/quotas/quotas.ts';
import { ok, warn, type Results } from './finding.ts';

const NEARLY_FULL = 0.9;
const MEBIBYTE = 1024 ** 2;
const inMebibytes = (bytes: number) => `${Math.ceil(bytes / MEBIBYTE).toLocaleString('en')} MiB`;

/** How much the files of all workspaces take in the database, and whether a workspace has nearly used up its quota. */
export async function checkFiles(
  db: Database,
  { quotas: { storedBytes: quota } }: { quotas: Pick<Quotas, 'storedBytes'> },
): Promise<Results> {
  const { total, most, full } = await readOne<{ total: number; most: number; full: number }>(db)`
    select coalesce(sum(stored_bytes), 0)::float8 as total, coalesce(max(stored_bytes), 0)::float8 as most,
           count(*) filter (where stored_bytes >= ${Math.floor(quota * NEARLY_FULL)}::bigint)::int as full
    from workspaces`;
  const summary = `Files take ${inMebibytes(total)} of the database, ${inMebibytes(most)} of them in the largest workspace (QUOTA_STORED_MB allows ${inMebibytes(quota)})`;
  if (full === 0) return ok(summary);
  return warn(
    `${summary}. Workspaces that have used 90 % of their quota: ${full}. Beyond it new files are rejected.`,
    'Raise QUOTA_STORED_MB, or ask their users to delete files, drafts or campaigns with files.',
  );
}
