/** Poison message: takes turns for all accounts that are due, without those that make the claim fail. */
import { execute, readColumn, type Connection, type Database } from '../../platform/database/statements.ts';
import { isolateFailures } from '../../platform/database/isolate-failures.ts';
import { isolateStatement } from '../../platform/database/isolate-statement.ts';
import { readQuarantined, type QuarantineDeps } from '../../platform/database/quarantine.ts';
import { claimTurns, isolateSuspects, type ClaimOptions, type Turn } from './claim-turns.ts';
import type { AccountId } from '../../platform/database/schema.ts';
import { readLeftovers } from '../accounts/leftovers.ts';
import { readSendWindows } from '../accounts/send-window-rules.ts';

export interface Claim {
  turns: Turn[];
  /** Due accounts with quiet hours, a daily cap or a warm-up: `claimRuledIsolated` claims for them. */
  ruled: AccountId[];
  /** Accounts in quarantine, of which no turn was taken. */
  skipped: number[];
}

type Options = Omit<ClaimOptions, 'skipped' | 'wanted' | 'rooms'>;

/**
 * Claims in one statement for all accounts but those in quarantine. If that fails because of the data, it claims for smaller and smaller
 * groups of the accounts that are due, and puts those that fail alone into quarantine. Accounts whose next try is due are claimed alone.
 */
export async function claimIsolated(deps: QuarantineDeps, options: Options): Promise<Claim> {
  const { db, log } = deps;
  const [lanes, windows, suspects] = await Promise.all([
    readQuarantined(db, 'lanes'),
    readQuarantined(db, 'send windows'),
    readQuarantined(db, 'poison suspects'),
  ]);
  const others = [...windows.held, ...suspects.held];
  const claims = await isolateStatement(deps, 'lanes', {
    findOwners: () => findDue(deps, options, others),
    run: ({ skipped, wanted }) =>
      claimTurns(db, { ...options, skipped: [...skipped, ...others], wanted: wanted ?? undefined }),
  });
  const turns = claims.flatMap((claim) => claim.turns);
  return {
    turns: await isolateSuspects(db, turns, log),
    ruled: claims.flatMap((claim) => claim.ruled),
    skipped: [...lanes.held, ...lanes.due, ...others],
  };
}

/** `claimRuled` without the accounts whose rules cannot be evaluated. */
export async function claimRuledIsolated(
  deps: QuarantineDeps,
  accountIds: readonly AccountId[],
  options: Options & { timeZone: string },
): Promise<Turn[]> {
  const { results } = await isolateFailures(deps, 'send windows', accountIds, {
    idOf: (accountId) => accountId,
    run: (some) => claimRuled(deps.db, some, options),
  });
  return isolateSuspects(deps.db, results.flat(), deps.log);
}

/** Accounts of which a turn may be due in these shards, those that wait longest first. */
async function findDue(
  { db }: QuarantineDeps,
  { shards, lanes }: Pick<ClaimOptions, 'shards' | 'lanes'>,
  skipped: readonly number[],
): Promise<AccountId[]> {
  return readColumn<AccountId>(db)`
    select account_id from lanes
    where shard = any(${shards}::smallint[]) and wake_at <= campanile_now() and account_id <> all(${[...skipped]}::bigint[])
    order by wake_at limit ${lanes}`;
}

/** A resting account is checked again after so long, since the time zone of its owner, or the clock, may have changed. */
const LONGEST_SLEEP_MINUTES = 15;

/**
 * Claims turns of accounts with quiet hours, a daily cap, a warm-up or a new link. Evaluates the rules under the locks of the lanes, in the transaction
 * of the claim: no turn exceeds the rest of the cap. Accounts that may not send now sleep; in quiet hours only runs that ignore them leave,
 * and what a cap has left over leaves at its hour. Lanes that are locked or have a turn in hand are skipped. `timeZone` is the installation's.
 */
async function claimRuled(
  db: Database,
  accountIds: readonly AccountId[],
  { timeZone, ...options }: ClaimOptions & { timeZone: string },
): Promise<Turn[]> {
  return db.transaction().execute(async (trx) => {
    const locked = await readColumn<AccountId>(trx)`
      select account_id from lanes where account_id = any(${[...accountIds]}::bigint[]) and in_hand_run_id is null
      order by account_id for no key update skip locked`;
    const windows = await readSendWindows(trx, locked, timeZone);
    const quiet = windows.filter(({ isOnlyQuiet }) => isOnlyQuiet).map(({ accountId }) => accountId);
    const open = windows.filter(({ until, isOnlyQuiet }) => until === null || isOnlyQuiet);
    const wanted = open.map(({ accountId }) => accountId);
    const rooms = open.map(({ capToday, sentToday }) =>
      capToday === null ? options.batch : capToday - (sentToday ?? 0),
    );
    const leftovers = await readLeftovers(trx, open);
    const { turns } =
      open.length === 0
        ? { turns: [] }
        : await claimTurns(trx, { ...options, lanes: wanted.length, wanted, rooms, quiet, leftovers });
    const sending = new Set(turns.map(({ accountId }) => accountId));
    const rests = windows.flatMap((window): Rest[] => {
      const { accountId } = window;
      if (sending.has(accountId)) return [];
      const hours = leftovers.get(accountId)?.filter(({ isWaiting }) => isWaiting) ?? [];
      const [until] = [window.until, ...hours.map(({ at }) => at)]
        .flatMap((at) => at ?? [])
        .toSorted(Temporal.Instant.compare);
      return until ? [{ accountId, until: until.toString(), wasClaimed: wanted.includes(accountId) }] : [];
    });
    await putToSleep(trx, rests);
    const warmingUp = new Set(open.flatMap(({ accountId, warmUpFrom }) => (warmUpFrom ? [accountId] : [])));
    return turns.map((turn) => ({ ...turn, isWarmingUp: warmingUp.has(turn.accountId) }));
  });
}

interface Rest {
  accountId: AccountId;
  /** ISO 8601. */
  until: string;
  /** The claim has found when there is something else to do. */
  wasClaimed: boolean;
}

async function putToSleep(trx: Connection, rests: readonly Rest[]): Promise<void> {
  if (rests.length === 0) return;
  await execute(trx)`
    update lanes l
    set work_at = least(i.until, campanile_now() + ${LONGEST_SLEEP_MINUTES} * interval '1 minute', case when i.was_claimed then l.work_at end)
    from unnest(${rests.map((one) => one.accountId)}::bigint[], ${rests.map((one) => one.until)}::timestamptz[],
                ${rests.map((one) => one.wasClaimed)}::boolean[]) i (account_id, until, was_claimed)
    where l.account_id = i.account_id`;
}
