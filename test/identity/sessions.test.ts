import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { clearOldSessions } from '../../src/identity/sessions/session-store.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { person, type Person } from '../support/people.ts';
import { startTestServer, type TestServer } from '../support/http/server.ts';

interface Listed {
  session_id: string;
  is_current: boolean;
  agent: string;
  address: string;
  created_at: string;
  last_used_at: string;
  expires_at: string;
}

let database: TestDatabase;
let server: TestServer;
let alice: Person;
let aheadMs = 0;
const clock = { nowMs: () => Date.now() + aheadMs };

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startTestServer({
    db: database.db,
    clock,
    hasDashboard: true,
    settings: { trustedProxies: ['loopback'] },
  });
});
afterAll(async () => {
  await server.close();
  await database.drop();
});
beforeEach(async () => {
  alice = await person(server, 'alice');
});

async function signInFrom(address: string, agent: string, path = '/api/v1/user/authorize_user'): Promise<string> {
  const headers = { 'x-forwarded-for': address, 'user-agent': agent, 'x-campanile-dashboard': '1' };
  const answer = await server.post(path, { user_name: alice.userName, password: alice.password }, { headers });
  expect(answer.status).toBe(200);
  return (
    /campanile_session=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1] ??
    (answer.body as { data: { token: string } }).data.token
  );
}

async function list(token: string): Promise<Listed[]> {
  const answer = await server.post('/api/v1/user/list_sessions', {}, { token });
  return (answer.body as { data: { sessions: Listed[] } }).data.sessions;
}

const end = (session_id: string, token: string) => server.post('/api/v1/user/end_session', { session_id }, { token });
const statusOf = async (token: string) => (await server.post('/api/v1/user/get_profile', {}, { token })).status;

test('lists the sessions with agent, address and dates, and flags the current one', async () => {
  const phone = await signInFrom('203.0.113.5', 'a phone', '/session');
  await signInFrom('2001:db8::5', `${'x'.repeat(400)}`);
  const sessions = await list(phone);
  expect(sessions).toHaveLength(3);
  expect(sessions.find(({ is_current }) => is_current)).toEqual({
    session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    is_current: true,
    agent: 'a phone',
    address: '203.0.113.5',
    created_at: expect.any(String),
    last_used_at: expect.any(String),
    expires_at: expect.any(String),
  });
  expect(sessions.filter(({ is_current }) => is_current)).toHaveLength(1);
  expect(sessions.find(({ address }) => address === '2001:db8::5')?.agent).toHaveLength(300);
});

test('ends one session and no other, and answers 404 to another user', async () => {
  const lost = await signInFrom('203.0.113.6', 'a lost phone');
  const id = (await list(alice.token)).find(({ agent }) => agent === 'a lost phone')?.session_id ?? '';
  const mallory = await person(server, 'mallory');
  expect((await end(id, mallory.token)).status).toBe(404);
  expect(await statusOf(lost)).toBe(200);
  expect((await end(id, alice.token)).status).toBe(200);
  expect([await statusOf(lost), await statusOf(alice.token)]).toEqual([401, 200]);
  expect((await list(alice.token)).map(({ agent }) => agent)).not.toContain('a lost phone');
  expect((await end(id, alice.token)).status).toBe(404);
});

test('removes the sessions of revoked tokens from the list, but not the one that changed the password', async () => {
  await signInFrom('203.0.113.7', 'another');
  const change = { current_password: alice.password, new_password: 'quite another password' };
  await server.post('/api/v1/user/change_password', change, alice);
  expect(await list(alice.token)).toMatchObject([{ is_current: true }]);
  await server.post('/api/v1/user/revoke_tokens', {}, alice);
  alice.password = change.new_password;
  expect(await list(await signInFrom('203.0.113.7', 'afterwards'))).toMatchObject([{ agent: 'afterwards' }]);
});

test('records the last use of a session at most once in five minutes', async () => {
  const lastUse = async () => Date.parse((await list(alice.token))[0]?.last_used_at ?? '');
  const first = await lastUse();
  expect(await lastUse()).toBe(first);
  await database.clock.advance({ minutes: 6 });
  aheadMs += 6 * 60_000;
  await statusOf(alice.token);
  await expect.poll(lastUse).toBeGreaterThanOrEqual(first + 5 * 60_000);
  const second = await lastUse();
  await statusOf(alice.token);
  expect(await lastUse()).toBe(second);
});

test('deletes expired sessions', async () => {
  await sql`update sessions set expires_at = campanile_now() - interval '2 hours' where user_id = ${alice.userId}`.execute(
    database.db,
  );
  await clearOldSessions(database);
  expect(await list(alice.token)).toEqual([]);
});

test('ends the previous session of a browser that signs in again', async () => {
  const first = await signInFrom('203.0.113.9', 'a browser', '/session');
  const headers = { 'x-campanile-dashboard': '1', cookie: `campanile_session=${first}` };
  const again = await server.post('/session', { user_name: alice.userName, password: alice.password }, { headers });
  expect(again.status).toBe(200);
  expect([await statusOf(first), await statusOf(alice.token)]).toEqual([401, 200]);
});

test('clears the cache of the browser on sign-out', async () => {
  const token = await signInFrom('203.0.113.8', 'a browser', '/session');
  const headers = { 'x-campanile-dashboard': '1', cookie: `campanile_session=${token}` };
  const out = await server.request('/session', { method: 'DELETE', headers });
  expect(out.headers.get('clear-site-data')).toBe('"cache"');
  expect(await statusOf(token)).toBe(401);
});
