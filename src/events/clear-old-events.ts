import { sql, type RawBuilder } from 'kysely';
import type { Connection } from '../database/connect.ts';

const CHUNK = 10_000;

/**
 * Removes events that nobody can read on to any more: who heard another a day ago may do so, and an hour is for those that are written
 * late. Where a webhook of the workspace may have to be told them again they stay for 30 days. Those between are looked at for two days
 * only, so that what is kept is not read again and again.
 */
export async function clearOldEvents(db: Connection): Promise<void> {
  await remove(db, sql`at < campanile_now() - interval '30 days'`);
  await remove(
    db,
    sql`at < campanile_now() - interval '25 hours' and at > campanile_now() - interval '3 days' and position is not null
        and not exists (select from webhooks w where w.workspace_id = e.workspace_id)`,
  );
}

async function remove(db: Connection, which: RawBuilder<unknown>): Promise<void> {
  let removed: bigint;
  do {
    const { numAffectedRows = 0n } = await sql`
      delete from events where event_id = any(array(
        select event_id from events e where ${which} limit ${CHUNK} for update skip locked))`.execute(db);
    removed = numAffectedRows;
  } while (removed >= BigInt(CHUNK));
}
