import type { SendLoopOptions } from '../../deliveries/send-loop.ts';
import { startPolledLoop, type PolledLoopDeps } from '../../../platform/database/work-poll.ts';
import { startLoop } from '../../../platform/concurrency/loop.ts';
import { beginDueRuns, createRunTurns, hasDueRuns } from './begin-runs.ts';
import { hasRequests, processBulkRequests } from '../change/process-bulk-requests.ts';
import { replanStaleRuns } from '../change/replan-stale-runs.ts';
import { sweepRuns } from './expire-runs.ts';
import { detectLateRuns, hasLateRuns } from './detect-late-runs.ts';

const POLL_MS = 1_000;
const SWEEP_MS = 60_000;
const LATE_MS = 5_000;

type WatchDeps = PolledLoopDeps & Pick<SendLoopOptions, 'db' | 'leases' | 'notifications' | 'timeZone'>;

/** Begins runs when they fall due, sees to those that never can, and carries out what was asked about very many deliveries, for the workspaces this worker holds; until stopped. */
export function watchRuns(deps: WatchDeps): { stop(): Promise<void> } {
  const { db, log, leases, timeZone } = deps;
  const turns = createRunTurns();
  const due = startPolledLoop(deps, {
    name: 'due runs',
    isDue: () => hasDueRuns(leases.shards()),
    pollMs: POLL_MS,
    step: (restMs) => beginDueRuns(db, leases.shards(), { turns, log, restMs, timeZone }),
  });
  const sweep = startLoop('late runs', async () => ((await sweepRuns(db, leases.shards(), log)) ? 0 : SWEEP_MS), deps);
  const late = startPolledLoop(deps, {
    name: 'unbegun runs',
    isDue: () => hasLateRuns(leases.shards()),
    pollMs: LATE_MS,
    step: async (restMs) => ((await detectLateRuns(db, leases.shards(), log)) ? 0 : restMs),
  });
  const rules = startLoop('zone rules', () => replanStaleRuns(db, leases.shards(), log), deps);
  const requests = startPolledLoop(deps, {
    name: 'requests',
    isDue: () => hasRequests(leases.shards()),
    pollMs: POLL_MS,
    step: (restMs) => processBulkRequests(db, leases.shards(), { log, restMs }),
  });
  deps.notifications.on('campanile_runs', () => due.wake());
  deps.notifications.on('campanile_revisions', () => requests.wake());
  return {
    async stop() {
      await Promise.all([due, sweep, late, rules, requests].map((loop) => loop.stop()));
    },
  };
}
