import type { FastifyInstance } from 'fastify';
import type { Config } from './config.ts';
import type { Database } from './database/connect.ts';
import type { DiskWatch } from './database/watch-disk.ts';
import { whyHeld } from './hold/read-hold.ts';
import { buildOperatorServer } from './http/edge/operator-server.ts';
import type { Health } from './lib/health.ts';
import type { Log } from './lib/log.ts';
import type { Metrics } from './metrics.ts';
import type { Worker } from './worker.ts';

/** What machines ask of a process that serves no operations. */
export function buildWorkerServer(
  {
    config,
    log,
    healthDb,
    disk,
    metrics,
    health,
  }: { config: Config; log: Log; healthDb: Database; disk: DiskWatch; metrics: Metrics; health: Health },
  worker: Worker,
): FastifyInstance {
  return buildOperatorServer({
    readyChecks: { database: () => disk.check(healthDb), lease: () => checkLease(healthDb, worker) },
    whyHeld: () => whyHeld(healthDb),
    health,
    isDiskFull: disk.isFull,
    metrics: metrics.registry,
    log,
    settings: config,
  });
}

/** A ledger that is held leases nothing, as it should. */
async function checkLease(db: Database, worker: Worker): Promise<void> {
  if ((await whyHeld(db)) === undefined) await worker.checkLease();
}
