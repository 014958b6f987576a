import { sql } from 'kysely';
import { clearOldRows } from '../../platform/database/clear-old-rows.ts';
import type { QuarantineDeps } from '../../platform/database/quarantine.ts';

/** Removes the entries of the audit log that are over a year old. */
export function clearOldEntries(deps: QuarantineDeps): Promise<void> {
  const isOld = sql`o.at < campanile_now() - interval '1 year'`;
  return clearOldRows(deps, { table: 'audit_log', owner: 'workspace_id', isOld });
}
