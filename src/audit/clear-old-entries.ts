import { sql } from 'kysely';
import type { Connection } from '../database/connect.ts';

/** How long entries of the audit log are kept. */
const KEPT = sql`interval '1 year'`;
const CHUNK = 10_000;

/** Removes the entries that are over a year old, in chunks that hold no lock for long. */
export async function clearOldEntries(db: Connection): Promise<void> {
  let removed: bigint;
  do {
    const { numAffectedRows = 0n } = await sql`
      delete from audit_log where entry_id = any(array(
        select entry_id from audit_log where at < campanile_now() - ${KEPT} limit ${CHUNK} for update skip locked))`.execute(
      db,
    );
    removed = numAffectedRows;
  } while (removed >= CHUNK);
}
