/**
 * Assigns accounts to workers. Accounts fall into 256 shards; a shard is leased to one worker at a time. Each worker keeps one
 * heartbeat row. The other workers take over the shards of a worker that is silent for LEASE_MS, and queue its turns in hand again
 * (contract §5).
 */
import { notifyAfterCommit } from '../../platform/database/notify-after-commit.ts';
import { startLoop, type Loop, type LoopDeps } from '../../platform/concurrency/loop.ts';
import {
  registerWorker,
  renewLease,
  deregisterWorker,
  voidAllLeases,
  requeueLanes,
  claimShards,
} from './lease-store.ts';
import type { AccountId } from '../../platform/database/schema.ts';
import { execute, readRows, type Database, type Connection } from '../../platform/database/statements.ts';
import { inSavepoint } from '../../platform/database/in-savepoint.ts';
import { isolateFailures } from '../../platform/database/isolate-failures.ts';
import { quarantine } from '../../platform/database/quarantine.ts';
import { isDataError } from '../../platform/errors/database-errors.ts';
import { isolate } from '../../platform/concurrency/isolate.ts';
import type { Log } from '../../platform/log/log.ts';

/** Silent for longer than this: dead. */
export const LEASE_MS = 10_000;
const BEAT_MS = 2_000;
/** Right before a send this much of the lease must be left. */
const SEND_MARGIN_MS = 2_000;
export const SHARDS = 256;

/** Epochs by shard. */
export type Held = ReadonlyMap<number, number>;

export type Leases = Awaited<ReturnType<typeof startLeases>>;

interface LeaseOptions extends LoopDeps {
  db: Database;
  name: string;
  /** No other worker can be alive (the database was started by this process): leases of earlier ones are void at once. */
  alone: boolean;
  /** The longest gap between two sends, by messenger, in milliseconds: a lane taken over waits that long first. */
  gapMsOf: Readonly<Record<string, number>>;
  /** Whether the ledger may be sent from, asked with each heartbeat; always unless given. Without it nothing is leased. */
  maySend?: (() => Promise<boolean>) | undefined;
  /** Called with the shards held, whenever they are others than before. */
  onChange: (held: Held) => void;
}

const NEVER = { monotonicMs: -Infinity, wallMs: -Infinity };

/** Joins the workers and takes a fair share of the shards, now and from then on. */
export async function startLeases(options: LeaseOptions) {
  const { db, log } = options;
  let workerId = 0;
  let held: Held = new Map();
  let lease = NEVER;
  const takeOver = createTakeOver({ db, log, leaseMs: LEASE_MS, gapMsOf: options.gapMsOf });

  async function beat(): Promise<number> {
    // Measured before the heartbeat is written, so that we never believe in our lease for longer than the others do.
    const started = { monotonicMs: performance.now(), wallMs: Date.now() };
    if (options.maySend && !(await options.maySend())) return letGo();
    if (workerId === 0 || !(await renewLease(db, workerId))) workerId = await registerWorker(db, options.name);
    const before = held;
    held = await takeOver.claimShards(workerId);
    const changed = held.size !== before.size || [...held.keys()].some((shard) => !before.has(shard));
    lease = started;
    if (changed) {
      log.info({ workerId, shards: held.size }, 'the shards this worker serves have changed');
      options.onChange(held);
    }
    return BEAT_MS;
  }

  /** What is in hand is not sent any more, and written down as usual. */
  function letGo(): number {
    const before = held;
    held = new Map();
    lease = NEVER;
    if (before.size > 0) options.onChange(held);
    return BEAT_MS;
  }

  function isGood(): boolean {
    // A process that was frozen sees it on either clock: the monotonic one does not count a suspended machine.
    const age = Math.max(performance.now() - lease.monotonicMs, Date.now() - lease.wallMs);
    return age <= LEASE_MS - SEND_MARGIN_MS;
  }

  if (options.alone) await voidAllLeases(db);
  await beat();
  const loop: Loop = startLoop('leases', beat, options);

  return {
    workerId: () => workerId,
    /** The shards held at the last heartbeat. */
    shards: () => [...held.keys()],
    /** The same, each with its epoch, which is another after each change of hands. */
    held: () => held,
    /** True while this worker's lease surely lasts long enough to send something now. */
    isGood,
    /** Accounts whose turn in hand could not be taken from the worker of before yet: whether it was sent is not known. */
    untaken: takeOver.untaken,
    /** True while that is so, and the account's shard has not changed hands since `held` was asked for. */
    maySend(accountId: AccountId, since: Held) {
      const epoch = held.get(accountId % SHARDS);
      return epoch !== undefined && epoch === since.get(accountId % SHARDS) && isGood();
    },
    /** Hands everything over at once. Call when nothing is in hand any more. */
    async leave() {
      await loop.stop();
      held = new Map();
      lease = NEVER;
      await deregisterWorker(db, workerId);
      await notifyAfterCommit(db, 'campanile_lanes');
    },
  };
}

interface TakeOverDeps {
  db: Database;
  log: Log;
  leaseMs: number;
  /** The longest gap between two sends, by messenger, in milliseconds. */
  gapMsOf: Readonly<Record<string, number>>;
}

export interface InHand {
  accountId: AccountId;
  turn: number;
}

/** Takes over shards, and what was in hand in them. One account whose turn cannot be taken keeps no other from being served. */
export function createTakeOver({ db, log, leaseMs, gapMsOf }: TakeOverDeps) {
  const untaken = new Map<AccountId, number>();
  let failures: Array<{ item: InHand; error: unknown }> = [];

  async function requeueShards(trx: Connection, shards: readonly number[]): Promise<void> {
    const rows = await readRows<InHand>(trx)`
      select account_id as "accountId", turn from lanes
      where shard = any(${[...shards]}::smallint[]) and in_hand_run_id is not null`;
    const inHand = await lockInHand(trx, rows);
    const requeue = (some: readonly InHand[]) => inSavepoint(trx, () => requeueLanes(trx, idsOf(some), gapMsOf));
    ({ failures } = await isolate(inHand, requeue, isDataError));
  }

  /** Only if the turn is the one that could not be taken: its lane may have been freed by its worker, and claimed again. */
  async function retake(some: readonly InHand[]): Promise<void> {
    await db.transaction().execute(async (trx) => {
      await requeueLanes(trx, idsOf(await lockInHand(trx, some)), gapMsOf);
    });
  }

  async function retakeDue(held: ReadonlyMap<number, number>): Promise<void> {
    for (const accountId of untaken.keys()) if (!held.has(accountId % SHARDS)) untaken.delete(accountId);
    const turns = [...untaken].map(([accountId, turn]) => ({ accountId, turn }));
    const { left } = await isolateFailures({ db, log }, 'take-over', turns, {
      idOf: ({ accountId }) => accountId,
      run: retake,
    });
    const stillUntaken = new Set(idsOf(left));
    for (const { accountId } of turns) if (!stillUntaken.has(accountId)) untaken.delete(accountId);
  }

  return {
    /** By account, the number of the turn that could not be taken. Its lane stays parked. */
    untaken: (): ReadonlyMap<AccountId, number> => untaken,
    /** `claimShards` of the lease store; and tries again to take the turns that could not be taken. */
    async claimShards(workerId: number) {
      failures = [];
      const held = await claimShards(db, workerId, { leaseMs, requeueShards });
      // Before anything else: no worker requeues these turns as orphaned.
      for (const { item } of failures) untaken.set(item.accountId, item.turn);
      for (const { item, error } of failures) await quarantine({ db, log }, 'take-over', { id: item.accountId, error });
      await retakeDue(held);
      return held;
    },
  };
}

/** Locks the ledgers and the lanes of these turns. Returns the turns that are still in hand. */
async function lockInHand(trx: Connection, turns: readonly InHand[]): Promise<InHand[]> {
  await execute(trx)`
    select from workspace_ledgers
    where workspace_id in (select workspace_id from lanes where account_id = any(${idsOf(turns)}::bigint[]))
    order by workspace_id for no key update`;
  const rows = await readRows<InHand & { isInHand: boolean }>(trx)`
    select account_id as "accountId", turn, in_hand_run_id is not null as "isInHand" from lanes
    where account_id = any(${idsOf(turns)}::bigint[]) order by 1 for no key update`;
  const known = new Map(turns.map(({ accountId, turn }) => [accountId, turn]));
  return rows.filter(({ accountId, turn, isInHand }) => isInHand && known.get(accountId) === turn);
}

const idsOf = (turns: readonly InHand[]) => turns.map(({ accountId }) => accountId);
