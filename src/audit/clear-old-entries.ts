import { clearOldRows } from '../database/clear-old-rows.ts';
import type { Connection } from '../database/connect.ts';

/** Removes the entries of the audit log that are over a year old. */
export function clearOldEntries(db: Connection): Promise<void> {
  return clearOldRows(db, { table: 'audit_log', key: 'entry_id', kept: '1 year' });
}
