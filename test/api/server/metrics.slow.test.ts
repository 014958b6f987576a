/** The size of `/metrics`, and its gauges for alarms. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { addGauge, createMetrics, readSeldom } from '../../../src/operations/metrics.ts';
import { listOperations, type OperationDependencies } from '../../../src/api/routes/operations.ts';
import { buildServer } from '../../../src/api/server/server.ts';
import { AppError } from '../../../src/platform/errors/errors.ts';
import type { ErrorCode } from '../../../src/platform/errors/error-codes.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { connectDatabase } from '../../../src/platform/database/connect.ts';
import type { Database } from '../../../src/platform/database/statements.ts';
import type { UserId, WorkspaceId } from '../../../src/platform/database/schema.ts';
import type { Operation } from '../../../src/api/operation.ts';
import { startTestApp } from '../../support/app.ts';
import { createTestDatabase } from '../../support/database.ts';
import { startTestServer } from '../../support/http/server.ts';
import { until } from '../../support/ledger.ts';
import { startOwnPostgres } from '../../support/servers/own-postgres.ts';

const LIMIT_BYTES = 150_000;
const CODES: readonly ErrorCode[] = [
  'invalid_request',
  'token_invalid',
  'scope_missing',
  'campaign_not_found',
  'overloaded',
];

test('stays small after calls of every operation with several statuses', async () => {
  let answer: () => Promise<unknown>;
  const db = {} as Database;
  const operations = listOperations({ db } as OperationDependencies).map((operation) => ({
    ...operation,
    body: z.looseObject({}),
    handle: () => answer(),
    validateSemantics: undefined,
  })) as unknown as Operation[];
  const { registry } = createMetrics();
  const caller = { userId: 1 as UserId, workspaceId: 1 as WorkspaceId, role: 'owner', isRecentlyAuthenticated: true };
  const server = await buildServer({
    operations,
    authenticate: () => caller as never,
    readyChecks: {},
    isDiskFull: () => false,
    readPool: () => ({ inUse: 0, waiting: 0 }),
    metrics: registry,
    log: createLog('silent'),
    settings: {},
  });
  const outcomes = [
    () => Promise.resolve({}),
    ...CODES.map((code) => () => Promise.reject(new AppError(code, 'x'))),
    () => Promise.reject(new Error('a defect')),
  ];
  for (answer of outcomes)
    for (const { path } of operations) await server.inject({ method: 'POST', url: path, payload: {} });
  const { body } = await server.inject('/metrics');
  await server.close();
  expect(body).toMatch(/path="\/api\/v1\/venom\/add-campaign",class="2xx"\} 1/);
  expect(body.match(/^campanile_http_responses_total/gm)?.length).toBeGreaterThan(5);
  for (const { path } of operations) expect(body).toContain(`{path="${path}",class="5xx"}`);
  expect(body.length).toBeLessThan(LIMIT_BYTES);
});

async function readGauges(url: string): Promise<Record<string, string | undefined>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const valueOf = (name: string) => new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
  return Object.fromEntries(['ready', 'database_up', 'held'].map((name) => [name, valueOf(`campanile_${name}`)]));
}

test('has gauges for readiness, the database and a hold, also while the database is away', async () => {
  const postgres = await startOwnPostgres();
  const { socketFolder, port, user, database } = postgres.address();
  const databaseUrl = `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(socketFolder)}`;
  const app = await startTestApp({ databaseUrl });
  const gauges = () => readGauges(app.url);
  await until(gauges, ({ ready }) => ready === '1');
  expect(await gauges()).toEqual({ ready: '1', database_up: '1', held: '0' });

  await postgres.end('immediate');
  expect(await gauges()).toEqual({ ready: '0', database_up: '0', held: 'Nan' });

  await postgres.start();
  await until(gauges, ({ ready }) => ready === '1');
  expect(await gauges()).toEqual({ ready: '1', database_up: '1', held: '0' });
  const db = connectDatabase(postgres.address(), { log: createLog('silent') });
  await sql`update ledger set held_since = campanile_now(), held_reason = 'a copy'`.execute(db);
  await db.destroy();
  expect(await gauges()).toMatchObject({ database_up: '1', held: '1' });
  await app.stop();
  await postgres.remove();
});

test('answers while the database is silent', async () => {
  const database = await createTestDatabase();
  const answers = Promise.withResolvers<void>();
  const { registry } = createMetrics();
  addGauge(
    registry,
    'campanile_silent',
    'Never answers',
    readSeldom(() => answers.promise.then(() => 1), createLog('silent')),
  );
  const server = await startTestServer({
    db: database.db,
    metrics: registry,
    readyChecks: { database: () => answers.promise },
  });
  const { text } = await server.request('/metrics');
  expect(text).toMatch(/^campanile_database_up 0$/m);
  expect(text).toMatch(/^campanile_silent Nan$/m);
  answers.resolve();
  await server.close();
  await database.drop();
});
