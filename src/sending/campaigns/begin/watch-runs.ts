import type { Leases } from '../../leases/leases.ts';
import type { Database } from '../../../platform/database/connect.ts';
import type { Notifications } from '../../../platform/database/listen.ts';
import type { OnLoopError } from '../../../platform/concurrency/failure-streak.ts';
import type { WorkPoll } from '../../../platform/database/work-poll.ts';
import type { Log } from '../../../platform/log/log.ts';
import { startLoop } from '../../../platform/concurrency/loop.ts';
import { createRoundRobin } from '../../../platform/concurrency/round-robin.ts';
import { beginDueRuns, createRunTurns, hasDueRuns } from './begin-runs.ts';
import { hasRequests, processBulkRequests } from '../change/process-bulk-requests.ts';
import { replanStaleRuns } from '../change/replan-stale-runs.ts';
import { sweepRuns } from './expire-runs.ts';
import { detectLateRuns, hasLateRuns } from './detect-late-runs.ts';

const POLL_MS = 1_000;
const SWEEP_MS = 60_000;
const LATE_MS = 5_000;

/** Begins runs when they fall due, sees to those that never can, and carries out what was asked about very many deliveries, for the workspaces this worker holds; until stopped. */
export function watchRuns(deps: {
  db: Database;
  log: Log;
  leases: Leases;
  notifications: Notifications;
  /** The installation's, IANA; UTC unless given. */
  timeZone?: string | undefined;
  workPoll?: WorkPoll | undefined;
  onLoopError?: OnLoopError;
}): {
  stop(): Promise<void>;
} {
  const { db, log, leases, timeZone, workPoll } = deps;
  const options = { log, ...(deps.onLoopError && { onError: deps.onLoopError }) };
  const turns = createRunTurns();
  const polledDue = { name: 'due runs', isDue: () => hasDueRuns(leases.shards()), wake: () => due.wake() };
  const dueRestMs = workPoll?.add(polledDue) ?? POLL_MS;
  const due = startLoop(
    'due runs',
    () => beginDueRuns(db, leases.shards(), { turns, log, restMs: dueRestMs, timeZone }),
    options,
  );
  const sweep = startLoop(
    'late runs',
    async () => ((await sweepRuns(db, leases.shards(), log)) ? 0 : SWEEP_MS),
    options,
  );
  const polledLate = { name: 'unbegun runs', isDue: () => hasLateRuns(leases.shards()), wake: () => late.wake() };
  const lateRestMs = workPoll?.add(polledLate) ?? LATE_MS;
  const late = startLoop(
    'unbegun runs',
    async () => ((await detectLateRuns(db, leases.shards(), log)) ? 0 : lateRestMs),
    options,
  );
  const rules = startLoop('zone rules', () => replanStaleRuns(db, leases.shards(), log), options);
  const requesters = createRoundRobin();
  const polledRequests = { name: 'requests', isDue: () => hasRequests(leases.shards()), wake: () => requests.wake() };
  const requestsRestMs = workPoll?.add(polledRequests) ?? POLL_MS;
  const requests = startLoop(
    'requests',
    () => processBulkRequests(db, leases.shards(), { turns: requesters, log, restMs: requestsRestMs }),
    options,
  );
  deps.notifications.on('campanile_runs', () => due.wake());
  deps.notifications.on('campanile_revisions', () => requests.wake());
  return {
    async stop() {
      await Promise.all([due.stop(), sweep.stop(), late.stop(), rules.stop(), requests.stop()]);
    },
  };
}
