/** Too many clients, clients that do not read, and a server that stops. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { linkAccount } from '../../../src/sending/accounts/link-account.ts';
import type { WatchLimits } from '../../../src/api/events/watch-progress.ts';
import { sleep, systemClock } from '../../../src/platform/time/time.ts';
import { SANDBOX } from '../../../src/messengers/sandbox/capabilities.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { until } from '../../support/ledger.ts';
import { listen } from '../../support/http/listen.ts';
import { person, type Person } from '../../support/people.ts';
import { rawConnection } from '../../support/http/raw.ts';
import { startTestServer, type TestServer } from '../../support/http/server.ts';
import { actorOf, workspaceOf } from '../../support/workspaces.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Starts a server that would take ten minutes to close if it waited for its streams. */
function start(limits: Partial<WatchLimits>): Promise<TestServer> {
  return startTestServer({
    db: database.db,
    events: { db: database.db, clock: systemClock, limits },
    users: { onWorkspaceCreated: (trx, workspaceId) => linkAccount(trx, workspaceId, SANDBOX) },
    limits: { closeTimeoutMs: 600_000 },
  });
}

const metricOf = async (server: TestServer, name: string) => {
  const { text } = await server.request('/metrics');
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
};

test('limits the streams of a user and of a process, and accepts another once one has closed', async () => {
  const server = await start({ perUser: 2, most: 3 });
  const [alice, bob] = [await person(server, 'alice'), await person(server, 'bob')];
  const [first, second] = [await listen(server.url, alice.token), await listen(server.url, alice.token)];
  const third = await listen(server.url, alice.token);
  expect([third.status, third.headers.get('retry-after'), third.headers.get('x-ratelimit-limit')]).toEqual([
    429,
    '5',
    '2',
  ]);
  const bobs = await listen(server.url, bob.token);
  expect(bobs.status).toBe(200);
  const fourth = await listen(server.url, bob.token);
  expect([fourth.status, fourth.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await metricOf(server, 'campanile_event_streams')).toBe(3);
  await first?.leave();
  await until(
    () => metricOf(server, 'campanile_event_streams'),
    (count) => count === 2,
  );
  const again = await listen(server.url, alice.token);
  expect(again.status).toBe(200);
  await Promise.all([second?.leave(), bobs.leave(), again.leave()]);
  await server.close();
});

test('limits the streams of a workspace, so that many members leave room for others', async () => {
  const server = await start({ perUser: 2, perWorkspace: 3, most: 100 });
  const owner = await person(server, 'olga');
  const members = await Promise.all(['mia', 'max'].map((name) => person(server, name)));
  const workspaceId = (await actorOf(database.db, owner)).workspaceId;
  const workspace = String(workspaceId);
  const first = [];
  for (const { userId, token } of members) {
    await sql`insert into memberships (workspace_id, user_id, role) values (${workspaceId}, ${userId}, 'analyst')`.execute(
      database.db,
    );
    // What is known of a token is up to a second old.
    first.push(
      await until(
        () => listen(server.url, token, undefined, workspace),
        ({ status }) => status === 200,
      ),
    );
  }
  const owners = await listen(server.url, owner.token);
  expect(owners.status).toBe(200);
  const [, max] = members;
  const fourth = await listen(server.url, max?.token ?? '', undefined, workspace);
  expect([fourth.status, fourth.headers.get('x-ratelimit-limit')]).toEqual([429, '3']);
  // In a workspace of their own they have room.
  const own = await listen(server.url, max?.token ?? '');
  expect(own.status).toBe(200);
  await Promise.all([...first, owners, own].map((stream) => stream.leave()));
  await server.close();
});

test('stopping ends all streams at once and accepts no new one', async () => {
  const server = await start({});
  const alice = await person(server, 'alice');
  const listeners = await Promise.all(Array.from({ length: 20 }, () => listen(server.url, alice.token)));
  await Promise.all(listeners.map((listener) => listener.snapshot()));
  await server.close();
  await until(() => listeners.every((listener) => listener.hasEnded()), Boolean);
  expect(listeners.every((listener) => listener.text().endsWith('\n\n'))).toBe(true);
  await expect(listen(server.url, alice.token)).rejects.toThrow('fetch failed');
});

test('ends the streams of a revoked token even without a notification', async () => {
  const server = await start({ pollMs: 20 });
  const alice = await person(server, 'alice');
  const listener = await listen(server.url, alice.token);
  await listener.snapshot();
  await sql`
    update users set token_generation = token_generation + 1 where user_id = ${alice.userId}`.execute(database.db);
  expect(await until(listener.hasEnded, Boolean)).toBe(true);
  await server.close();
});

test('does not count a client that disconnects during authentication', async () => {
  const known = await start({});
  const alice = await person(known, 'alice');
  // This server has not cached the token yet, and queries the database.
  const server = await start({});
  const request = `GET /api/v1/events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${alice.token}\r\n\r\n`;
  const lock = Promise.withResolvers<void>();
  const isLocked = Promise.withResolvers<void>();
  const locking = database.db.transaction().execute(async (trx) => {
    await sql`lock table users in access exclusive mode`.execute(trx);
    isLocked.resolve();
    await lock.promise;
  });
  await isLocked.promise;
  const leaving = Array.from({ length: 5 }, () => {
    const connection = rawConnection(server.url);
    connection.send(request);
    return connection;
  });
  // If this is too short, the test shows less; it does not fail.
  await sleep(300);
  for (const { socket } of leaving) socket.destroy();
  await sleep(300);
  lock.resolve();
  await locking;
  const listener = await listen(server.url, alice.token);
  await listener.snapshot();
  expect(await metricOf(server, 'campanile_event_streams')).toBe(1);
  await listener.leave();
  await Promise.all([known.close(), server.close()]);
});

test('sends keep-alive comments on a quiet stream', async () => {
  const server = await start({ keepAliveMs: 20 });
  const alice = await person(server, 'alice');
  const listener = await listen(server.url, alice.token);
  await listener.snapshot();
  const comments = () => listener.text().split(': still here\n\n').length - 1;
  expect(await until(comments, (count) => count > 2)).toBeGreaterThan(2);
  expect(listener.events).toHaveLength(1);
  await listener.leave();
  await server.close();
});

/** Inserts `count` scheduled campaigns with long names. */
async function giveCampaigns(owner: Person, count: number): Promise<void> {
  await sql`
    insert into campaigns (workspace_id, name, description, is_channel_campaign, is_schedule, status, open_runs)
    select workspace_id, repeat('x', 200), '', false, true, 'scheduled', 1 from accounts, generate_series(1, ${count}::int)
    where workspace_id = ${workspaceOf(owner)}`.execute(database.db);
}

async function changeAll(owner: Person, name: string): Promise<void> {
  await database.db.transaction().execute(async (trx) => {
    await sql`
      update workspace_ledgers set changes = changes + 1 where workspace_id = ${workspaceOf(owner)}`.execute(trx);
    await sql`
      update campaigns c set name = ${name.padEnd(200, 'x')} from accounts a
      where a.workspace_id = ${workspaceOf(owner)} and c.workspace_id = a.workspace_id`.execute(trx);
  });
}

test('drops a client that does not read while others receive everything; a reconnect gets a snapshot', async () => {
  const server = await start({ pollMs: 20, mostUnread: 10_000 });
  const alice = await person(server, 'alice');
  await giveCampaigns(alice, 500);
  const asleep = rawConnection(server.url);
  asleep.send(`GET /api/v1/events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${alice.token}\r\n\r\n`);
  await asleep.received((all) => all.includes('event: account'));
  asleep.socket.pause();
  const awake = await listen(server.url, alice.token);
  await awake.snapshot();
  let round = 0;
  const dropped = async () => {
    await changeAll(alice, `Round ${(round += 1)} `);
    return metricOf(server, 'campanile_event_streams_dropped_total');
  };
  expect(await until(dropped, (count) => count > 0)).toBe(1);
  await until(
    () => awake.events.filter(({ data }) => JSON.stringify(data).includes(`Round ${round} `)).length,
    (count) => count >= 500,
  );
  expect(awake.hasEnded()).toBe(false);
  const back = await listen(server.url, alice.token);
  await until(
    () => back.events.length,
    (count) => count === 501,
  );
  expect(back.events.slice(1).every(({ data }) => JSON.stringify(data).includes(`Round ${round} `))).toBe(true);
  asleep.socket.destroy();
  await Promise.all([awake.leave(), back.leave()]);
  await server.close();
});
