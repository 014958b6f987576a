import { sql } from 'kysely';
import { readSendWindows, type SendWindow } from '../accounts/send-window-rules.ts';
import type { Connection, Database } from '../../platform/database/connect.ts';

/** The rules are looked up again after so long, since the user's zone may have changed meanwhile. */
const LONGEST_MINUTES = 15;

/**
 * Reads the rules of accounts whose lanes are closed. Opens the lanes that may send: until the rules could change, and for the rest of
 * today's cap; for ever without rules. The others sleep until the account may send. Lanes that are locked or have a turn in hand are
 * skipped. `timeZone` is the installation's.
 */
export async function refreshSendWindows(db: Database, accountIds: readonly number[], timeZone: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ account_id: number }>`
      select account_id from lanes where account_id = any(${accountIds}::bigint[]) and in_hand_run_id is null
      order by account_id for no key update skip locked`.execute(trx);
    const locked = rows.map((row) => row.account_id);
    if (locked.length > 0) await writeSendWindows(trx, await readSendWindows(trx, locked, timeZone));
  });
}

async function writeSendWindows(trx: Connection, rests: readonly SendWindow[]): Promise<void> {
  const left = rests.map(({ capToday, sentToday }) => (capToday === null ? null : capToday - (sentToday ?? 0)));
  await sql`
    update lanes l
    set open_until = case when i.rests then '-infinity' when i.changes_at is null then 'infinity' else least(i.changes_at, s.soon) end,
        open_for = case when not i.rests then i.room end,
        work_at = case when i.rests then least(i.rests_until, s.soon) else campanile_now() end
    from (select account_id, rests_until is not null as rests, rests_until, changes_at, room
          from unnest(${rests.map((rest) => rest.accountId)}::bigint[],
                      ${rests.map((rest) => rest.until?.toString() ?? null)}::timestamptz[],
                      ${rests.map((rest) => rest.changesAt?.toString() ?? null)}::timestamptz[], ${left}::int[])
               r (account_id, rests_until, changes_at, room)) i,
         (select campanile_now() + ${LONGEST_MINUTES} * interval '1 minute' as soon) s
    where l.account_id = i.account_id`.execute(trx);
}
