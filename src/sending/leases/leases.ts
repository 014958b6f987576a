/**
 * Assigns accounts to workers. Accounts fall into 256 shards; a shard is leased to one worker at a time. Each worker keeps one
 * heartbeat row. The other workers take over the shards of a worker that is silent for LEASE_MS, and queue its turns in hand again
 * (contract §5).
 */
import type { Database } from '../../platform/database/connect.ts';
import { notifyAfterCommit } from '../../platform/database/notify-after-commit.ts';
import type { OnLoopError } from '../../platform/concurrency/failure-streak.ts';
import type { Log } from '../../platform/log/log.ts';
import { startLoop, type Loop } from '../../platform/concurrency/loop.ts';
import { registerWorker, renewLease, deregisterWorker, voidAllLeases } from './lease-store.ts';
import { createTakeOver } from './take-over.ts';
import type { AccountId } from '../../platform/database/schema.ts';

/** Silent for longer than this: dead. */
export const LEASE_MS = 10_000;
const BEAT_MS = 2_000;
/** Right before a send this much of the lease must be left. */
const SEND_MARGIN_MS = 2_000;
export const SHARDS = 256;

/** Epochs by shard. */
export type Held = ReadonlyMap<number, number>;

export interface Leases {
  workerId(): number;
  /** The shards held at the last heartbeat. */
  shards(): number[];
  /** The same, each with its epoch, which is another after each change of hands. */
  held(): Held;
  /** True while this worker's lease surely lasts long enough to send something now. */
  isGood(): boolean;
  /** True while that is so, and the account's shard has not changed hands since `held` was asked for. */
  maySend(accountId: AccountId, since: Held): boolean;
  /** Accounts whose turn in hand could not be taken from the worker of before yet: whether it was sent is not known. */
  untaken(): ReadonlyMap<AccountId, number>;
  /** Hands everything over at once. Call when nothing is in hand any more. */
  leave(): Promise<void>;
}

interface LeaseOptions {
  db: Database;
  log: Log;
  name: string;
  /** No other worker can be alive (the database was started by this process): leases of earlier ones are void at once. */
  alone: boolean;
  /** The longest gap between two sends, by messenger, in milliseconds: a lane taken over waits that long first. */
  gapMsOf: Readonly<Record<string, number>>;
  onLoopError?: OnLoopError;
  /** Whether the ledger may be sent from, asked with each heartbeat; always unless given. Without it nothing is leased. */
  maySend?: (() => Promise<boolean>) | undefined;
  /** Called with the shards held, whenever they are others than before. */
  onChange: (held: Held) => void;
}

const NEVER = { monotonicMs: -Infinity, wallMs: -Infinity };

/** Joins the workers and takes a fair share of the shards, now and from then on. */
export async function startLeases(options: LeaseOptions): Promise<Leases> {
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
  const loop: Loop = startLoop('leases', beat, {
    log,
    ...(options.onLoopError && { onError: options.onLoopError }),
  });

  return {
    workerId: () => workerId,
    shards: () => [...held.keys()],
    held: () => held,
    isGood,
    untaken: takeOver.untaken,
    maySend(accountId, since) {
      const epoch = held.get(accountId % SHARDS);
      return epoch !== undefined && epoch === since.get(accountId % SHARDS) && isGood();
    },
    async leave() {
      await loop.stop();
      held = new Map();
      lease = NEVER;
      await deregisterWorker(db, workerId);
      await notifyAfterCommit(db, 'campanile_lanes');
    },
  };
}
