/**
 * Assigns accounts to workers. Accounts fall into 256 shards; a shard is leased to one worker at a time. Each worker keeps one
 * heartbeat row. The other workers take over the shards of a worker that is silent for LEASE_MS (contract §5); its turns in hand are
 * requeued by the loop that sends (`deliveries/requeue-orphaned-turns.ts`).
 */
import { notifyAfterCommit } from '../../platform/database/notify-after-commit.ts';
import { startLoop, type Loop, type LoopDeps } from '../../platform/concurrency/loop.ts';
import { registerWorker, renewLease, deregisterWorker, voidAllLeases, claimShards } from './lease-store.ts';
import type { AccountId } from '../../platform/database/schema.ts';
import type { Database } from '../../platform/database/statements.ts';

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

  async function beat(): Promise<number> {
    // Measured before the heartbeat is written, so that we never believe in our lease for longer than the others do.
    const started = { monotonicMs: performance.now(), wallMs: Date.now() };
    if (options.maySend && !(await options.maySend())) return letGo();
    if (workerId === 0 || !(await renewLease(db, workerId))) workerId = await registerWorker(db, options.name);
    const before = held;
    held = await claimShards(db, workerId, LEASE_MS);
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

export interface InHand {
  accountId: AccountId;
  turn: number;
}
