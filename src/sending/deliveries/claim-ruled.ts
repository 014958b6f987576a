import { sql } from 'kysely';
import { readSendWindows, type SendWindow } from '../accounts/send-window-rules.ts';
import type { Connection, Database } from '../../platform/database/connect.ts';
import { claimTurns, type ClaimOptions, type Turn } from './claim-turns.ts';
import type { AccountId } from '../../platform/database/schema.ts';

/** A resting account is checked again after so long, since the time zone of its owner, or the clock, may have changed. */
const LONGEST_SLEEP_MINUTES = 15;

/**
 * Claims turns of accounts with quiet hours, a daily cap, a warm-up or a new link. Evaluates the rules under the locks of the lanes, in the transaction
 * of the claim: no turn exceeds the rest of the cap. Accounts that may not send now sleep. Lanes that are locked or have a turn in hand are
 * skipped. `timeZone` is the installation's.
 */
export async function claimRuled(
  db: Database,
  accountIds: readonly AccountId[],
  { timeZone, ...options }: ClaimOptions & { timeZone: string },
): Promise<Turn[]> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ account_id: AccountId }>`
      select account_id from lanes where account_id = any(${[...accountIds]}::bigint[]) and in_hand_run_id is null
      order by account_id for no key update skip locked`.execute(trx);
    const locked = rows.map((row) => row.account_id);
    const windows = await readSendWindows(trx, locked, timeZone);
    await putToSleep(trx, windows);
    const open = windows.filter(({ until }) => until === null);
    if (open.length === 0) return [];
    const wanted = open.map(({ accountId }) => accountId);
    const rooms = open.map((one) => roomOf(one) ?? options.batch);
    const { turns } = await claimTurns(trx, { ...options, lanes: wanted.length, wanted, rooms });
    const warmingUp = new Set(open.flatMap(({ accountId, warmUpFrom }) => (warmUpFrom ? [accountId] : [])));
    return turns.map((turn) => ({ ...turn, isWarmingUp: warmingUp.has(turn.accountId) }));
  });
}

/** Returns how many posts may leave today; null: any number. */
function roomOf({ capToday, sentToday }: SendWindow): number | null {
  return capToday === null ? null : capToday - (sentToday ?? 0);
}

async function putToSleep(trx: Connection, windows: readonly SendWindow[]): Promise<void> {
  const resting = windows.flatMap(({ accountId, until }) => (until ? [{ accountId, until: until.toString() }] : []));
  if (resting.length === 0) return;
  await sql`
    update lanes l set work_at = least(i.until, campanile_now() + ${LONGEST_SLEEP_MINUTES} * interval '1 minute')
    from unnest(${resting.map((one) => one.accountId)}::bigint[], ${resting.map((one) => one.until)}::timestamptz[]) i (account_id, until)
    where l.account_id = i.account_id`.execute(trx);
}
