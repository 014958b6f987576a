import { Registry } from 'prom-client';
import type { Database } from '../../../src/platform/database/connect.ts';
import { listOperations, type OperationDependencies } from '../../../src/api/routes/operations.ts';
import { buildServer } from '../../../src/api/server/server.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { systemClock } from '../../../src/platform/time/time.ts';

/** Returns the OpenAPI document of the service. Its operations are never called, so it needs no database. */
export async function readDocument(): Promise<unknown> {
  const db = {} as Database;
  const server = await buildServer({
    operations: listOperations({ db } as OperationDependencies),
    events: { db, clock: systemClock },
    authenticate: () => {
      throw new Error('nobody is to ask');
    },
    readyChecks: {},
    isDiskFull: () => false,
    readPool: () => ({ total: 0, idle: 0, waiting: 0 }) as never,
    metrics: new Registry(),
    log: createLog('silent'),
    settings: { publicUrl: 'https://campanile.example', publicDocs: true },
  });
  await server.ready();
  const document: unknown = server.swagger();
  await server.close();
  return document;
}
