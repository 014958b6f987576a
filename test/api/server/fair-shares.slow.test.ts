/** Fairness: one user with many requests in flight, beside another user and anonymous clients. */
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase, readPool } from '../../../src/platform/database/connect.ts';
import type { Database } from '../../../src/platform/database/statements.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { PASSWORD, startTestApp, type Person, type TestApp } from '../../support/app.ts';
import { probes } from '../../support/http/probes.ts';
import { startTestServer } from '../../support/http/server.ts';
import { until } from '../../support/ledger.ts';
import { person } from '../../support/people.ts';
import { workspaceOf } from '../../support/workspaces.ts';

const IN_FLIGHT = 120;

let app: TestApp;
let byHand: Database;
let flooder: Person;
let other: Person;
beforeAll(async () => {
  app = await startTestApp({ sandboxSpeed: 0 });
  byHand = connectDatabase(app.database.address, { log: createLog('silent'), silenceMs: Infinity });
  flooder = await app.signUp('flooder');
  other = await app.signUp('other');
});
afterAll(async () => {
  await byHand.destroy();
  await app.stop();
});

const letGo: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const one of letGo.splice(0)) await one();
});

/** Locks rows in a transaction of the test until the test has ended. */
async function lock(rows: ReturnType<typeof sql>): Promise<void> {
  const held = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const all = byHand.transaction().execute(async (trx) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx);
    await rows.execute(trx);
    locked.resolve();
    await held.promise;
  });
  await locked.promise;
  letGo.push(() => {
    held.resolve();
    return all;
  });
}

const laneOf = (of: Person) =>
  sql`select from lanes where account_id = (select account_id from accounts where workspace_id = ${workspaceOf(of)}) for update`;
const ledgerOf = (of: Person) => sql`select from workspace_ledgers where workspace_id = ${workspaceOf(of)} for update`;
const userRowOf = ({ userId }: Person) => sql`select from users where user_id = ${userId} for update`;

async function readGauge(name: string): Promise<number> {
  const text = await (await fetch(`${app.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
}

/** Counts the matching connections of the request pool. */
async function countConnections(db: Database, which: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name = 'campanile requests' and ${which}`.execute(db);
  return rows[0]?.count ?? 0;
}

const countBlocked = () => countConnections(byHand, sql`wait_event_type = 'Lock'`);

async function flood(path: string, body: object): Promise<Array<Promise<{ status: number }>>> {
  const inFlight = Array.from({ length: IN_FLIGHT }, () => flooder.call(path, body));
  letGo.push(async () => void (await Promise.allSettled(inFlight)));
  await until(
    async () => ({ blocked: await countBlocked(), waiting: await readGauge('campanile_database_waiting') }),
    ({ blocked, waiting }) => blocked > 0 && waiting > IN_FLIGHT / 2,
  );
  return inFlight;
}

describe(`beside ${IN_FLIGHT} requests in flight of a user whose row is locked`, () => {
  const groupList = async () => {
    const { body } = await flooder.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
    return { name: 'All', group_metadata_ids: body.data.groups.map((group) => group.group_metadata_id) };
  };
  test.each([
    ['venom/update-account', laneOf, () => ({ daily_cap: 'none' })],
    ['venom/save-group-list', ledgerOf, groupList],
    ['user/update_profile', userRowOf, () => ({ first_name: 'Flooder' })],
  ])('%s: serves another user and a sign-in', async (path, rows, body) => {
    const sent = await body();
    await lock(rows(flooder));
    await flood(path, sent);
    // Between two whose time is up there is none.
    expect(await countBlocked()).toBeLessThanOrEqual(1);
    expect((await other.call('user/get_profile')).status).toBe(200);
    expect((await other.call('venom/update-account', { daily_cap: 'none' })).status).toBe(200);
    expect((await flooder.call('user/get_profile')).status).toBe(200);
    const credentials = { user_name: other.name, password: PASSWORD };
    expect((await app.call('user/authorize_user', credentials)).status).toBe(200);
    expect((await fetch(`${app.url}/health/ready`)).status).toBe(200);
  });
});

test('reports of one workspace, its links included, leave the reports of others a permit and connections', async () => {
  const day = { start_date: new Date().toISOString().slice(0, 10), end_date: new Date().toISOString().slice(0, 10) };
  const { body } = await flooder.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  const group_metadata_ids = body.data.groups.map((group) => group.group_metadata_id);
  const post = { name: 'Fair', html: 'Hello', group_metadata_ids };
  const { campaign_id } = (await flooder.call<{ campaign_id: string }>('venom/add-campaign', post)).body.data;
  await until(
    () => flooder.call<{ status: string }>('venom/get-campaign', { campaign_id }),
    (answer) => answer.body.data.status === 'completed',
  );
  const { token } = (await flooder.call<{ token: string }>('analytics/share-report', day)).body.data;
  // The sums of whole campaigns: the other's report is about none.
  await lock(sql`lock table group_sums in access exclusive mode`);
  const inFlight = Array.from({ length: 12 }, (_, n) =>
    n % 2 ? flooder.call('analytics/get-report', day) : app.call('analytics/get-shared-report', { token }),
  );
  letGo.push(async () => void (await Promise.allSettled(inFlight)));
  await until(countBlocked, (blocked) => blocked > 0);
  for (let n = 0; n < 3; n++) expect((await other.call('analytics/get-report', day)).status).toBe(200);
  expect(await countBlocked()).toBe(1);
  expect((await other.call('user/get_profile')).status).toBe(200);
});

test('requests that wait for a worker hold neither a connection nor the permit of their workspace', async () => {
  const alone = await startTestApp({ role: 'api' });
  const asker = await alone.signUp('asker');
  const leaving = new AbortController();
  const creating = Array.from({ length: 20 }, (_, n) =>
    fetch(`${alone.url}/api/v1/venom/create-group`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${asker.token}` },
      body: JSON.stringify({ group_name: `Group ${n}`, participants: ['+49 151 7654321'] }),
      signal: leaving.signal,
    }),
  );
  letGo.push(async () => {
    leaving.abort();
    await Promise.allSettled(creating);
    await alone.stop();
  });
  const { db } = alone.database;
  await until(
    async () => (await sql`select from account_commands`.execute(db)).rows.length,
    (commands) => commands === creating.length,
  );
  await until(
    () => countConnections(db, sql`state <> 'idle'`),
    (busy) => busy === 0,
  );
  expect((await asker.call('venom/update-account', { daily_cap: 'none' })).status).toBe(200);
});

test('load shedding: rejects requests of the user with a full queue, with the numbers, and of no other user', async () => {
  const { database } = app;
  const db = connectDatabase(database.address, {
    log: createLog('silent'),
    poolSize: 3,
    silenceMs: Infinity,
    shares: { permits: 2, perRequester: 1, yielding: { waiters: 8, withinMs: 100 }, maxWaiting: 4, maxWaitMs: 60_000 },
  });
  const handle = async () => void (await sql`select from group_lists limit 1`.execute(db));
  const server = await startTestServer({ db, operations: probes({ handle }) });
  const [alice, bob] = [await person(server, 'alice'), await person(server, 'bob')];
  await lock(sql`lock table group_lists in access exclusive mode`);
  const unlock = letGo.pop();
  letGo.push(async () => {
    await unlock?.();
    await server.close();
    await db.destroy();
  });
  const crowd = Array.from({ length: 10 }, () => server.post('/api/v1/probe/do', {}, { token: alice.token }));
  await until(
    () => readPool(db).waiting,
    (waiting) => waiting === 4,
  );
  const { status, body, headers } = await server.post('/api/v1/probe/do', {}, { token: alice.token });
  expect([status, headers.get('retry-after')]).toEqual([503, '5']);
  expect(body).toMatchObject({
    error_code: 'overloaded',
    message: 'The server is overloaded just now: 4 wait for this already, 4 of them yours',
  });
  for (let n = 0; n < 5; n++)
    expect((await server.post('/api/v1/user/get_profile', {}, { token: bob.token })).status).toBe(200);
  expect((await server.request('/metrics')).text).toMatch(/campanile_shed_requests_total\{reason="database"\} [1-9]/);
  await unlock?.();
  const statuses = (await Promise.all(crowd)).map((answer) => answer.status);
  expect(statuses.filter((one) => one === 200)).toHaveLength(5);
  expect(statuses.filter((one) => one === 503)).toHaveLength(5);
});
