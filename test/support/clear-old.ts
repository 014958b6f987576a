import { OLD_ROWS } from '../../src/operations/old-rows.ts';
import { clearOldRows } from '../../src/platform/database/clear-old-rows.ts';
import type { QuarantineDeps } from '../../src/platform/database/quarantine.ts';

/** Removes the old rows of a table, as housekeeping does. */
export async function clearOld({ db, log }: QuarantineDeps, table: string): Promise<void> {
  for (const old of OLD_ROWS.filter((one) => one.table === table)) await clearOldRows({ db, log }, old);
}
