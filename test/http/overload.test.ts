import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, readPool, type Database } from '../../src/database/connect.ts';
import { createGauge } from '../../src/http/edge/overload.ts';
import { createLog } from '../../src/lib/log.ts';
import { verifyPassword } from '../../src/users/password.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { person, type Person } from '../support/people.ts';
import { probes } from '../support/probes.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const POOL = 3;
const LAG_MS = 30;

let database: TestDatabase;
let db: Database;
let server: TestServer;
let alice: Person;

beforeAll(async () => {
  database = await createTestDatabase();
  db = connectDatabase(database.address, { log: createLog('silent'), poolSize: POOL });
  server = await startTestServer({
    db,
    operations: probes({}),
    limits: {
      overload: {
        sampleMs: 10,
        samples: 3,
        lagMs: { heavy: LAG_MS, any: 10 * LAG_MS },
        waiting: { heavy: 4, any: 12 },
      },
    },
  });
  alice = await person(server, 'alice');
});
afterAll(async () => {
  await server.close();
  await db.destroy();
  await database.drop();
});

const light = () => server.post('/api/v1/probe/do', {}, { token: alice.token });
const heavy = () => server.post('/api/v1/probe/toil', {}, { token: alice.token });
const shedFor = async (reason: string) => {
  const { text } = await server.request('/metrics');
  return Number(new RegExp(`campanile_shed_requests_total\\{reason="${reason}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
};

/** Keeps every connection of the pool busy; what it returns lets them go. */
async function occupyPool(): Promise<() => Promise<void>> {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => (letGo = resolve));
  const all = Array.from({ length: POOL }, () => db.connection().execute(() => held));
  await expect.poll(() => readPool(db).inUse).toBe(POOL);
  return async () => {
    letGo();
    await Promise.all(all);
  };
}

/** Holds the event loop up again and again until it is told to stop. */
function blockLoop(ms: number): () => void {
  const timer = setInterval(() => {
    const end = performance.now() + ms;
    while (performance.now() < end);
  }, 1);
  return () => clearInterval(timer);
}

const signIn = (name: string) =>
  server.post('/api/v1/user/authorize_user', { user_name: name, password: 'a wrong password' });

/** The status, or undefined when there is none yet because the request waits for the database. */
async function soon(answer: Promise<{ status: number }>): Promise<number | undefined> {
  return Promise.race([
    answer.then(({ status }) => status),
    new Promise<undefined>((resolve) => setTimeout(resolve, 100, undefined)),
  ]);
}

test('while too many wait for the database, heavy operations are turned away first, then all that need a token', async () => {
  const release = await occupyPool();
  const signIns = Array.from({ length: 6 }, (_, index) => signIn(`nobody${index}`));
  await expect.poll(() => soon(heavy())).toBe(503);
  const refused = await heavy();
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused.body).toMatchObject({ error: true, code: 503, message: 'The server is overloaded just now' });
  const more = Array.from({ length: 12 }, (_, index) => signIn(`nobody${index}`));
  await expect.poll(() => soon(light())).toBe(503);
  expect((await server.request('/health/live')).status).toBe(200);
  expect((await server.request('/metrics')).text).toMatch(/campanile_database_waiting [12]\d\n/);
  expect(await shedFor('database')).toBeGreaterThan(2);

  await release();
  // None of the sign-ins was turned away for the load; on a slow machine the pool itself may have given some up.
  for (const { status, text } of await Promise.all([...signIns, ...more]))
    expect(status === 401 || text.includes('database cannot be reached'), text).toBe(true);
  await expect.poll(() => soon(light())).toBe(200);
  await expect.poll(() => soon(heavy())).toBe(200);
});

test('while the event loop lags, heavy operations are turned away; sign-in and health go on', async () => {
  const stop = blockLoop(3 * LAG_MS);
  await expect.poll(async () => (await heavy()).status).toBe(503);
  expect((await light()).status).toBe(200);
  expect((await signIn(alice.userName)).status).toBe(401);
  expect((await server.request('/health/ready')).status).toBe(200);
  const { text } = await server.request('/metrics');
  expect(Number(/^campanile_event_loop_lag_seconds (\S+)/m.exec(text)?.[1])).toBeGreaterThan(LAG_MS / 1_000);
  expect(await shedFor('event_loop')).toBeGreaterThan(0);
  stop();
  await expect.poll(async () => (await heavy()).status).toBe(200);
});

test('nothing changes before several looks in a row agree, nor between the limit and half of it', () => {
  const gauge = createGauge(100, 3);
  const notes = (...values: number[]) => values.map((value) => (gauge.note(value), gauge.isHigh()));
  expect(notes(500, 500, 0, 500, 500)).toEqual([false, false, false, false, false]);
  expect(notes(101, 99, 60, 101, 49, 49, 51)).toEqual([true, true, true, true, true, true, true]);
  expect(notes(49, 0, 0, 60, 99)).toEqual([true, true, false, false, false]);
});

test('a queue of passwords too long to be worth waiting in is refused', async () => {
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
