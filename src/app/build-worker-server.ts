import type { FastifyInstance } from 'fastify';
import type { Database } from '../platform/database/connect.ts';
import { readHoldReason } from '../operations/hold/read-hold.ts';
import { buildOperatorServer } from '../api/server/operator-server.ts';
import type { Shared } from './open-shared.ts';
import type { Worker } from './worker.ts';

/** Registers the routes for machines of a process without operations. */
export function buildWorkerServer(
  {
    config,
    log,
    healthDb,
    checkDatabase,
    disk,
    schema,
    metrics,
    health,
  }: Pick<Shared, 'config' | 'log' | 'healthDb' | 'checkDatabase' | 'disk' | 'schema' | 'metrics' | 'health'>,
  worker: Worker,
): FastifyInstance {
  return buildOperatorServer({
    readyChecks: {
      database: checkDatabase,
      schema: () => schema.check(healthDb),
      lease: () => checkLease(healthDb, worker),
    },
    readHoldReason: () => readHoldReason(healthDb),
    health,
    isDiskFull: disk.isFull,
    metrics: metrics.registry,
    log,
    settings: config,
  });
}

/** A ledger that is held leases nothing, as it should. */
async function checkLease(db: Database, worker: Worker): Promise<void> {
  if ((await readHoldReason(db)) === undefined) await worker.checkLease();
}
