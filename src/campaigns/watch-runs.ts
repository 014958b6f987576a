import type { Leases } from '../accounts/leases.ts';
import type { Database } from '../database/connect.ts';
import type { Hints } from '../database/listen.ts';
import type { Log } from '../lib/log.ts';
import { startLoop } from '../lib/loop.ts';
import { beginDueRuns } from './begin-runs.ts';
import { sweepRuns } from './expire-runs.ts';

const SWEEP_MS = 60_000;

/** Begins runs when they fall due, and sees to those that never can, for the accounts this worker holds; until stopped. */
export function watchRuns(deps: {
  db: Database;
  log: Log;
  leases: Leases;
  hints: Hints;
  onLoopError?: (loop: string) => void;
}): { stop(): Promise<void> } {
  const { db, log, leases } = deps;
  const options = { log, ...(deps.onLoopError && { onError: deps.onLoopError }) };
  const due = startLoop('due runs', () => beginDueRuns(db, leases.shards(), log), options);
  const sweep = startLoop(
    'late runs',
    async () => {
      await sweepRuns(db, leases.shards(), log);
      return SWEEP_MS;
    },
    options,
  );
  deps.hints.on('campanile_runs', () => due.wake());
  return {
    async stop() {
      await Promise.all([due.stop(), sweep.stop()]);
    },
  };
}
