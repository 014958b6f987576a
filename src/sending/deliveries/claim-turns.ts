import { readRows, readValue, sql, type RawBuilder } from '../../platform/database/statements.ts';
import type { Connection, Database } from '../../platform/database/statements.ts';
import { isolateFailures } from '../../platform/database/isolate-failures.ts';
import type { Log } from '../../platform/log/log.ts';
import { isolatePoisonDeliveries } from './poison-suspects.ts';
import type { Leftover } from '../accounts/leftovers.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

/**
 * The right of one account to send now: some deliveries of one run. It ends with `finishTurns`, or when a take-over raises its number.
 */
export interface Turn {
  workspaceId: WorkspaceId;
  /** The account that sends. */
  accountId: AccountId;
  /** The number of the turn, a fencing token. */
  turn: number;
  messenger: string;
  /** The account sends slowly, because its number is new. Default is `false`. */
  isWarmingUp?: boolean;
  runId: number;
  contentId: number;
  /** In the order they leave. */
  deliveries: ClaimedDelivery[];
}

export interface ClaimedDelivery {
  position: number;
  messageId: string;
  chatId: string;
  /** No account of the workspace is a member of the group any more. Default is `false`. */
  isGone?: boolean;
  /** Tries before this one. */
  attempts: number;
  uncertain: boolean;
  /** Its owner wants it sent again although it may have left. */
  resend: boolean;
  /** Attempts whose turn was taken from its worker. */
  interruptedAttempts: number;
}

export interface ClaimOptions {
  workerId: number;
  /** Shards the worker believes it holds; the claim believes the database. Those that come first are served first. */
  shards: number[];
  /** At most so many accounts. */
  lanes: number;
  /** At most so many deliveries of an account whose messenger has no gap; of the others one. */
  batch: number;
  /** Messengers with a gap between sends. */
  paced: readonly string[];
  /** Accounts of which no turn is taken. */
  skipped?: readonly number[];
  /** No turn is taken of any others; undefined: of all. */
  wanted?: readonly number[] | undefined;
  /** How many posts of each account in `wanted` may leave; undefined: an account with rules for that gets no turn. */
  rooms?: readonly number[] | undefined;
  /** Accounts of `wanted` in their quiet hours: turns are taken of runs that ignore these. Default is none. */
  quiet?: readonly number[] | undefined;
  /** Of accounts of `wanted`: they go after all other runs, in their order, or wait. Default is none. */
  leftovers?: ReadonlyMap<number, readonly Leftover[]> | undefined;
}

/** A claim looks into at most so many shards, so that it locks few rows; the next one looks into others. */
export const SHARDS_PER_CLAIM = 32;

type TurnRow = Omit<Turn, 'isWarmingUp' | 'deliveries'> &
  Required<Omit<ClaimedDelivery, 'resend' | 'interruptedAttempts'>>;

/**
 * Takes the next turn of each account that is due: parks its lane and records the deliveries in hand, without writing a delivery. Of the
 * running runs with something to send, the one served longest ago is next; runs that were never served precede, by due time and
 * acceptance (contract §5). A lane with nothing to send sleeps until its next retry. Without `rooms` the lanes of accounts with quiet
 * hours, a daily cap or a warm-up stay as they are, and `ruled` lists the accounts. Locks and plans: `functions/claim_turns.sql`.
 */
export async function claimTurns(
  db: Connection,
  options: ClaimOptions,
): Promise<{ turns: Turn[]; ruled: AccountId[] }> {
  const { workerId, shards, lanes, batch, paced, skipped = [], wanted, rooms, quiet = [], leftovers } = options;
  const leftOver = (isWaiting: boolean) =>
    wanted?.map((accountId) => {
      const runs = leftovers?.get(accountId)?.filter((run) => run.isWaiting === isWaiting) ?? [];
      return `{${runs.map(({ runId }) => runId).join()}}`;
    }) ?? null;
  // Of an account with quiet hours, a daily cap, a warm-up or a new link the row has nothing but the account.
  const rows = await readRows<TurnRow | { accountId: AccountId; turn: null }>(db)`
    select account_id as "accountId", workspace_id as "workspaceId", messenger, turn, run_id as "runId", content_id as "contentId", position,
           message_id as "messageId", send_to as "chatId", attempts, uncertain, is_gone as "isGone"
    from claim_turns(${workerId}, ${shards}::smallint[], ${wanted?.length ?? SHARDS_PER_CLAIM}, ${lanes}, ${batch}, ${paced}::text[],
                     ${[...skipped]}::bigint[], ${wanted ? [...wanted] : null}::bigint[],
                     ${rooms ? [...rooms] : null}::int[], ${[...quiet]}::bigint[],
                     ${leftOver(false)}::text[], ${leftOver(true)}::text[])`;
  const ruled = rows.flatMap((row) => (row.turn === null ? [row.accountId] : []));
  return { turns: toTurns(rows.filter((row) => row.turn !== null)), ruled };
}

/** Gives each suspect a turn of its own. Drops turns whose suspects could not be read. They are requeued as orphaned turns (`requeue-orphaned-turns.ts`). */
export async function isolateSuspects(db: Database, turns: Turn[], log?: Log): Promise<Turn[]> {
  const { left } = await isolateFailures({ db, log }, 'poison suspects', turns, {
    idOf: ({ accountId }) => accountId,
    run: (some) => isolatePoisonDeliveries(db, some),
  });
  return left.length === 0 ? turns : turns.filter((turn) => !left.includes(turn));
}

function toTurns(rows: TurnRow[]): Turn[] {
  const turns = new Map<AccountId, Turn>();
  for (const { position, messageId, chatId, attempts, uncertain, isGone, ...turn } of rows)
    turns
      .getOrInsertComputed(turn.accountId, () => ({ ...turn, deliveries: [] }))
      .deliveries.push({
        position,
        messageId,
        chatId,
        ...(isGone && { isGone }),
        attempts,
        uncertain,
        resend: false,
        interruptedAttempts: 0,
      });
  return [...turns.values()];
}

/** The condition that a lane in these shards is due, or has a turn in hand, which may be orphaned. */
export function hasTurns(shards: readonly number[]): RawBuilder<boolean> {
  return sql`(
    exists (
      select from unnest(${[...shards]}::smallint[]) s (shard)
      cross join lateral (
        select from lanes where lanes.shard = s.shard and wake_at <= campanile_now() order by wake_at limit 1) l)
    or exists (select from lanes where shard = any(${[...shards]}::smallint[]) and in_hand_run_id is not null))`;
}

/** Milliseconds until a lane in these shards may be due, but for `skipped` accounts; `restMs` at most, since a hint can be lost. */
export async function nextTurnMs(
  db: Connection,
  shards: number[],
  { skipped = [], restMs = 1_000 }: { skipped?: readonly number[]; restMs?: number } = {},
): Promise<number> {
  const ms = await readValue<number | null>(db)`
    select (extract(epoch from min(l.wake_at) - campanile_now()) * 1000)::float8 as ms
    from unnest(${shards}::smallint[]) s (shard)
    cross join lateral (
      select wake_at from lanes where lanes.shard = s.shard and wake_at < 'infinity' and account_id <> all(${[...skipped]}::bigint[])
      order by wake_at limit 1
    ) l`;
  // A lane that is due but was just locked by somebody else is looked at again soon, not at once.
  return Math.min(restMs, Math.max(2, ms ?? restMs));
}
