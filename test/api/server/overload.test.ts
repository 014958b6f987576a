import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { connectDatabase, readPool, type Database } from '../../../src/platform/database/connect.ts';
import { createHysteresis, type OverloadLimits } from '../../../src/api/server/load-shedder.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { verifyPassword } from '../../../src/identity/passwords/password.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { person, type Person } from '../../support/people.ts';
import { probes } from '../../support/http/probes.ts';
import { startTestServer, type TestServer } from '../../support/http/server.ts';
import { NO_LAG_LIMITS } from '../../support/no-lag-limits.ts';

const POOL = 3;
const LAG_MS = 30;

let database: TestDatabase;
let db: Database;
let server: TestServer;
let alice: Person;

beforeAll(async () => {
  database = await createTestDatabase();
  db = connectDatabase(database.address, { log: createLog('silent'), poolSize: POOL });
  const calm = await startTestServer({ db });
  alice = await person(calm, 'alice');
  await calm.close();
});
afterEach(() => server.close());
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

async function start(limits: Partial<OverloadLimits>): Promise<void> {
  const overload = { ...NO_LAG_LIMITS, sampleMs: 10, samples: 3, ...limits };
  server = await startTestServer({ db, operations: probes({}), limits: { overload } });
}

const light = () => server.post('/api/v1/probe/do', {}, { token: alice.token });
const heavy = () => server.post('/api/v1/probe/toil', {}, { token: alice.token });
const shedFor = async (reason: string) => {
  const { text } = await server.request('/metrics');
  return Number(new RegExp(`campanile_shed_requests_total\\{reason="${reason}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
};

/** Blocks every statement on a table until the returned function is called. */
async function lockTable(byHand: Database, table: string): Promise<() => Promise<void>> {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => (letGo = resolve));
  const locked = Promise.withResolvers<void>();
  const all = byHand.transaction().execute(async (trx) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx);
    await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(trx);
    locked.resolve();
    await held;
  });
  await locked.promise;
  return async () => {
    letGo();
    await all;
  };
}

/** Blocks the event loop again and again until the returned function is called. */
function blockLoop(ms: number): () => void {
  const timer = setInterval(() => {
    const end = performance.now() + ms;
    while (performance.now() < end);
  }, 1);
  return () => clearInterval(timer);
}

let strangers = 0;
/** Uses a new user name each time, so that none hits the brute-force limit. */
const signIn = (name = `nobody${++strangers}`) =>
  server.post('/api/v1/user/authorize_user', { user_name: name, password: 'a wrong password' });

test('load shedding: rejects sign-ins and heavy operations while the event loop lags, and serves light ones and health', async () => {
  await start({ lagMs: { open: LAG_MS, heavy: LAG_MS, any: Infinity } });
  const stop = blockLoop(3 * LAG_MS);
  await expect.poll(async () => (await heavy()).status).toBe(503);
  expect((await light()).status).toBe(200);
  expect((await signIn(alice.userName)).status).toBe(503);
  expect((await server.request('/health/ready')).status).toBe(200);
  const { text } = await server.request('/metrics');
  expect(Number(/^campanile_event_loop_lag_seconds (\S+)/m.exec(text)?.[1])).toBeGreaterThan(LAG_MS / 1_000);
  expect(await shedFor('event_loop')).toBeGreaterThan(0);
  stop();
  await expect.poll(async () => (await heavy()).status).toBe(200);
});

test('hysteresis: switches after several equal samples in a row, and not between half the limit and the limit', () => {
  const gauge = createHysteresis(100, 3);
  const notes = (...values: number[]) => values.map((value) => (gauge.note(value), gauge.isHigh()));
  expect(notes(500, 500, 0, 500, 500)).toEqual([false, false, false, false, false]);
  expect(notes(101, 99, 60, 101, 49, 49, 51)).toEqual([true, true, true, true, true, true, true]);
  expect(notes(49, 0, 0, 60, 99)).toEqual([true, true, false, false, false]);
});

test('sign-ins that wait for the database leave connections for signed-in users', async () => {
  const patient = { log: createLog('silent'), silenceMs: Infinity };
  const roomy = connectDatabase(database.address, { ...patient, poolSize: 8 });
  const byHand = connectDatabase(database.address, { ...patient, poolSize: 1 });
  const open = await startTestServer({ db: roomy });
  const letGo = await lockTable(byHand, 'attempts');
  const signIns = Array.from({ length: 20 }, (_, index) =>
    open.post('/api/v1/user/authorize_user', { user_name: `nobody${index}`, password: 'a wrong password' }),
  );
  await expect.poll(() => readPool(roomy).inUse).toBeGreaterThan(0);
  for (let round = 0; round < 5; round += 1) {
    const profile = open.post('/api/v1/user/get_profile', {}, { token: alice.token });
    expect((await profile).status).toBe(200);
  }
  expect(readPool(roomy)).toMatchObject({ waiting: 0 });
  await letGo();
  expect((await Promise.all(signIns)).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 401));
  await open.close();
  await Promise.all([roomy.destroy(), byHand.destroy()]);
});

test('fair queue: sign-ins from one address do not delay those from another', async () => {
  const proxied = await startTestServer({ db: database.db, settings: { trustedProxies: ['loopback'] } });
  const from = (address: string, name: string) =>
    proxied.post(
      '/api/v1/user/authorize_user',
      { user_name: name, password: 'a wrong password' },
      { headers: { 'x-forwarded-for': address } },
    );
  const ended: string[] = [];
  const flood = Array.from({ length: 30 }, (_, index) =>
    from('2001:db8:0:1::' + index.toString(16), `flood${index}`).then(() => ended.push('flood')),
  );
  const guest = from('192.0.2.7', 'guest').then(() => ended.push('guest'));
  await guest;
  expect(ended.length).toBeLessThan(15);
  await Promise.all(flood);
  await proxied.close();
});

test('rejects password checks when their queue is full', async () => {
  const checks = await Promise.allSettled(Array.from({ length: 510 }, () => verifyPassword(undefined, 'whatever')));
  const refused = checks.flatMap((check) => (check.status === 'rejected' ? [check.reason] : []));
  expect(refused.length).toBeGreaterThanOrEqual(6);
  expect(refused[0]).toMatchObject({
    name: 'AppError',
    kind: 'unavailable',
    reason: 'passwords',
    retryAfterSeconds: 5,
  });
  expect(await verifyPassword(undefined, 'whatever')).toBe(false);
});
