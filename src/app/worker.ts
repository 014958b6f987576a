/** The half that acts: holds leases, carries out commands, begins runs, sends, and records what members do. */
import { serveCommands } from '../sending/sessions/command-handler.ts';
import { keepSessionsOpen } from '../sending/sessions/keep-open.ts';
import { syncDueGroups } from '../sending/sessions/sync-due-groups.ts';
import { SHARDS, startLeases, type Leases } from '../sending/leases/leases.ts';
import { openSessions } from '../sending/sessions/sessions.ts';
import { watchRuns } from '../sending/campaigns/begin/watch-runs.ts';
import { startSendLoop, type SendLoopOptions } from '../sending/deliveries/send-loop.ts';
import { gapMsOf } from '../sending/deliveries/pace.ts';
import { expireLateRevisions } from '../sending/deliveries/expire-late-revisions.ts';
import { eraseDeletedUsers } from '../sending/erasure/erase-deleted-users.ts';
import { startHousekeeping } from '../operations/housekeeping.ts';
import type { Quotas } from '../workspaces/quotas/quotas.ts';
import type { Loop } from '../platform/concurrency/loop.ts';
import { loadMedia } from '../content/media/store.ts';
import type { Messenger } from '../messengers/messenger.ts';
import { watchWaits } from '../sending/senders/watch-waits.ts';
import { startFailover } from '../sending/senders/fail-over.ts';
import { watchAnswers } from '../sending/approvals/decide-answers.ts';
import { recordReceipts } from '../sending/receipts/record-receipts.ts';

export interface WorkerOptions extends Omit<SendLoopOptions, 'leases' | 'sessions'> {
  /** By name. */
  messengers: ReadonlyMap<string, Messenger>;
  /** Of a workspace; the usual ones unless given. */
  quotas?: Quotas | undefined;
  /** Days after its end in which a campaign keeps its single posts; 400 unless given. */
  retentionDays?: number | undefined;
  /** Days after its end in which a campaign keeps its files; 90 unless given. */
  mediaDays?: number | undefined;
  /** The worker's name in leases and logs. */
  name: string;
  /** No other worker can be alive. */
  alone: boolean;
  /** As for `startLeases`. */
  maySend?: (() => Promise<boolean>) | undefined;
}

export interface Worker {
  /** How many shards it serves. */
  shardsHeld(): number;
  /** Throws while its lease is not good enough to send anything. */
  checkLease(): Promise<void>;
  /** Accepts no new work, finishes work in flight, and hands over its accounts. */
  stop(): Promise<void>;
}

export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { db, log, notifications, messengers, gaps } = options;
  const watched = { workPoll: options.workPoll, ...(options.onLoopError && { onLoopError: options.onLoopError }) };
  let leases: Leases | undefined;
  const sessions = openSessions({ db, log, messengers, workerId: () => leases?.workerId() ?? 0 });
  let sessionKeeper: Loop | undefined;
  leases = await startLeases({
    db,
    log,
    name: options.name,
    alone: options.alone,
    maySend: options.maySend,
    gapMsOf: gapMsOf(gaps),
    ...watched,
    onChange(held) {
      void sessions.closeUnless((accountId) => held.has(accountId % SHARDS));
      sessionKeeper?.wake();
    },
  });
  sessionKeeper = keepSessionsOpen({ db, log, leases, sessions, messengers, ...watched });
  const loadPicture = async (mediaId: number) => (await loadMedia(db, mediaId)).bytes;
  const commands = serveCommands({ db, log, notifications, leases, sessions, loadPicture, ...watched });
  const syncs = syncDueGroups({ db, log, leases, sessions, ...watched });
  const erasure = eraseDeletedUsers({ db, log, notifications, leases, sessions, messengers, ...watched });
  const house = startHousekeeping({
    db,
    log,
    retentionDays: options.retentionDays,
    mediaDays: options.mediaDays,
    ...watched,
  });
  const runs = watchRuns({ db, log, leases, notifications, timeZone: options.timeZone, ...watched });
  const lanes = startSendLoop({ ...options, leases, sessions });
  const late = expireLateRevisions({ db, log, notifications, leases, messengers, ...watched });
  const answers = watchAnswers({ db, log, quotas: options.quotas, timeZone: options.timeZone, ...watched });
  const failover = startFailover({ db, log, leases, timeZone: options.timeZone, ...watched });
  const waits = watchWaits({ db, log, leases, timeZone: options.timeZone, ...watched });
  const watchers = [...messengers.values()].map((messenger) =>
    messenger.watchMembers((events) => recordReceipts(db, events, log)),
  );

  return {
    shardsHeld: () => leases.shards().length,
    async checkLease() {
      if (!leases.isGood()) throw new Error('the lease of this worker has run out');
    },
    async stop() {
      const parts = [runs, lanes, late, answers, failover, waits, commands, syncs, erasure, house, sessionKeeper];
      await Promise.all([...parts.map((part) => part.stop()), ...watchers.map((stop) => stop())]);
      // Sessions first: the next worker must not meet ours.
      await sessions.closeUnless(() => false);
      await leases.leave();
    },
  };
}
