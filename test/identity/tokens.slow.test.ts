import { createSigner } from 'fast-jwt';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { listenForNotifications, type Notifications } from '../../src/platform/database/listen.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { clearExpiredTokens } from '../../src/identity/store.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { person, signIn, type Person } from '../support/people.ts';
import { JWT_SECRET, startTestServer, type TestServer } from '../support/http/server.ts';

let database: TestDatabase;
let here: TestServer;
/** Another process on the same database: it has its own cache, which notifications invalidate. */
let there: TestServer;
/** A third process, behind a pooler that drops notifications. */
let deaf: TestServer;
let notifications: Notifications;
let alice: Person;
let bob: Person;
let mallory: Person;

beforeAll(async () => {
  database = await createTestDatabase();
  notifications = listenForNotifications(database.address, { log: createLog('silent') });
  here = await startTestServer({ db: database.db, hasDashboard: true });
  there = await startTestServer({ db: database.db, users: { notifications } });
  deaf = await startTestServer({ db: database.db });
});
afterAll(async () => {
  await Promise.all([here.close(), there.close(), deaf.close(), notifications.close()]);
  await database.drop();
});
beforeEach(async () => {
  [alice, bob, mallory] = (await Promise.all(['alice', 'bob', 'mallory'].map((name) => person(here, name)))) as [
    Person,
    Person,
    Person,
  ];
});

const profile = (server: TestServer, token: string) => server.post('/api/v1/user/get_profile', {}, { token });
const statusOn = async (server: TestServer, token: string) => (await profile(server, token)).status;

/** Waits until the token is rejected: a cached answer is less than a second old. */
async function expectRefused(server: TestServer, token: string): Promise<void> {
  await expect.poll(() => statusOn(server, token)).toBe(401);
}

test('rejects revoked tokens at once here, and within a second in other processes', async () => {
  const second = await signIn(here, { user_name: alice.userName, password: alice.password });
  for (const server of [there, deaf]) expect(await statusOn(server, second)).toBe(200);
  const answer = await here.post('/api/v1/user/revoke_tokens', undefined, { token: alice.token });
  expect(answer.body).toEqual({ error: false, status: 'success', code: 200, data: {} });
  expect(await statusOn(here, alice.token)).toBe(401);
  expect(await statusOn(here, second)).toBe(401);
  await Promise.all([expectRefused(there, second), expectRefused(deaf, second)]);
  expect(await statusOn(here, bob.token)).toBe(200);
  const fresh = await signIn(here, { user_name: alice.userName, password: alice.password });
  expect(await statusOn(deaf, fresh)).toBe(200);
});

/** Signs out as the dashboard does. */
const signOut = (server: TestServer, token: string) =>
  server.request('/session', {
    method: 'DELETE',
    headers: { 'x-campanile-dashboard': '1', cookie: `campanile_session=${token}` },
  });

test('rejects a signed-out token at once here and within a second elsewhere, and no other token', async () => {
  const second = await signIn(here, { user_name: alice.userName, password: alice.password });
  for (const server of [here, there, deaf])
    for (const token of [alice.token, second]) expect(await statusOn(server, token)).toBe(200);
  expect((await signOut(here, second)).status).toBe(200);
  expect(await statusOn(here, second)).toBe(401);
  await Promise.all([expectRefused(there, second), expectRefused(deaf, second)]);
  for (const server of [here, there, deaf]) expect(await statusOn(server, alice.token)).toBe(200);
  const change = { current_password: alice.password, new_password: 'kept by the one that is left' };
  expect((await here.post('/api/v1/user/change_password', change, { token: alice.token })).status).toBe(200);
  expect(await statusOn(here, second)).toBe(401);
});

test('rejects a password change with a signed-out token in a process that has no notification of it yet', async () => {
  expect(await statusOn(deaf, mallory.token)).toBe(200);
  await signOut(here, mallory.token);
  const change = { current_password: mallory.password, new_password: 'stolen for good' };
  expect((await deaf.post('/api/v1/user/change_password', change, { token: mallory.token })).status).toBe(401);
});

test('rejects a signed-out token after a restart, until it expires', async () => {
  await signOut(here, bob.token);
  await clearExpiredTokens(database);
  const anew = await startTestServer({ db: database.db });
  expect(await statusOn(anew, bob.token)).toBe(401);
  await anew.close();
  const kept = async () =>
    (await sql`select from signed_out_tokens where user_id = ${bob.userId}`.execute(database.db)).rows;
  expect(await kept()).toHaveLength(1);
  await sql`update signed_out_tokens set expires_at = campanile_now() - interval '2 hours' where user_id = ${bob.userId}`.execute(
    database.db,
  );
  await clearExpiredTokens(database);
  expect(await kept()).toHaveLength(0);
});

test('signs a user out everywhere who signs out more often than can be recorded', async () => {
  await sql`
    insert into signed_out_tokens (user_id, token_id, expires_at)
    select ${alice.userId}, n::text, campanile_now() + interval '1 day' from generate_series(1, 200) n`.execute(
    database.db,
  );
  const second = await signIn(here, { user_name: alice.userName, password: alice.password });
  await signOut(here, second);
  for (const token of [second, alice.token]) expect(await statusOn(here, token)).toBe(401);
  const fresh = await signIn(here, { user_name: alice.userName, password: alice.password });
  expect(await statusOn(here, fresh)).toBe(200);
});

test('revokes every token but the current one when the password changes', async () => {
  const other = await signIn(here, { user_name: alice.userName, password: alice.password });
  const change = (body: object) => here.post('/api/v1/user/change_password', body, { token: alice.token });
  const wrong = await change({ current_password: 'no', new_password: 'a new password' });
  expect(wrong.body).toMatchObject({ code: 400, details: [{ field: 'current_password' }] });
  expect(await statusOn(here, other)).toBe(200);
  const right = await change({ current_password: alice.password, new_password: 'a new password' });
  expect(right.status).toBe(200);
  expect(await statusOn(here, alice.token)).toBe(200);
  expect(await statusOn(here, other)).toBe(401);
  await expectRefused(deaf, other);
  expect(await statusOn(deaf, alice.token)).toBe(200);
  const oldPassword = { user_name: alice.userName, password: alice.password };
  expect((await here.post('/api/v1/user/authorize_user', oldPassword)).status).toBe(401);
  const newPassword = { user_name: alice.userName, password: 'a new password' };
  expect((await here.post('/api/v1/user/authorize_user', newPassword)).status).toBe(200);
  const again = await change({ current_password: 'a new password', new_password: 'yet another one' });
  expect(again.status).toBe(200);
  expect(await statusOn(here, alice.token)).toBe(200);
});

test('rejects a password change with a revoked token in a process that has no notification of it yet', async () => {
  expect(await statusOn(deaf, mallory.token)).toBe(200);
  await here.post('/api/v1/user/revoke_tokens', {}, { token: mallory.token });
  // No notification has reached this process yet.
  const answer = await deaf.post(
    '/api/v1/user/change_password',
    { current_password: mallory.password, new_password: 'stolen for good' },
    { token: mallory.token },
  );
  expect(answer.status).toBe(401);
  expect(await statusOn(here, mallory.token)).toBe(401);
});

test('rejects tokens of a deleted user', async () => {
  await database.db.deleteFrom('users').where('user_id', '=', bob.userId).execute();
  await expectRefused(here, bob.token);
});

test('rejects forged, foreign, expired and malformed tokens in the same way', async () => {
  const claims = { sub: String(alice.userId), jti: 'x', gen: 0, iss: 'campanile', aud: 'campanile' };
  const expires = { expiresIn: 60_000 };
  const [header, payload, signature] = alice.token.split('.');
  const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
  const bad = {
    'another secret': createSigner({ key: 'another secret, as long as it may be', ...expires })(claims),
    'another algorithm': createSigner({ key: JWT_SECRET, algorithm: 'HS512', ...expires })(claims),
    'no algorithm': `${none}.${payload}.`,
    'no algorithm, but a signature': `${none}.${payload}.${signature}`,
    'another issuer': createSigner({ key: JWT_SECRET, ...expires })({ ...claims, iss: 'x' }),
    'another audience': createSigner({ key: JWT_SECRET, ...expires })({ ...claims, aud: 'x' }),
    'no expiry': createSigner({ key: JWT_SECRET })(claims),
    'a subject that is no id': createSigner({ key: JWT_SECRET, ...expires })({ ...claims, sub: 'alice' }),
    'a user who never was': createSigner({ key: JWT_SECRET, ...expires })({ ...claims, sub: '999999999' }),
    'a changed payload': `${header}.${Buffer.from('{"sub":"1"}').toString('base64url')}.${signature}`,
    'not a token': 'abc',
    'very long': 'a'.repeat(8_000),
  };
  for (const [name, token] of Object.entries(bad)) {
    const answer = await profile(here, token);
    expect(answer.status, name).toBe(401);
    expect(answer.headers.get('www-authenticate'), name).toBe('Bearer');
    expect(answer.body, name).toMatchObject({ error: true, code: 401, details: [] });
  }
  for (const authorization of ['', 'Bearer', 'Basic abc', alice.token, `Bearer ${alice.token}, Bearer x`]) {
    const answer = await here.post('/api/v1/user/get_profile', {}, { headers: { authorization } });
    expect(answer.status, authorization.slice(0, 20)).toBe(401);
  }
});

test('accepts the scheme Bearer in any case', async () => {
  for (const word of ['bearer', 'BEARER', 'Bearer ']) {
    const headers = { authorization: `${word} ${alice.token}` };
    expect((await here.post('/api/v1/user/get_profile', {}, { headers })).status).toBe(200);
  }
});

test('caches a token without notifications for 0.8 s, and no longer', async () => {
  let nowMs = Date.now();
  const server = await startTestServer({ db: database.db, clock: { nowMs: () => nowMs } });
  expect(await statusOn(server, alice.token)).toBe(200);
  await here.post('/api/v1/user/revoke_tokens', undefined, { token: alice.token });
  nowMs += 799;
  expect(await statusOn(server, alice.token)).toBe(200);
  nowMs += 1;
  expect(await statusOn(server, alice.token)).toBe(401);
  await server.close();
});

test('reads a token again at once after the clock of the process was set back', async () => {
  let nowMs = Date.now();
  const server = await startTestServer({ db: database.db, clock: { nowMs: () => nowMs } });
  expect(await statusOn(server, bob.token)).toBe(200);
  await here.post('/api/v1/user/revoke_tokens', undefined, { token: bob.token });
  nowMs -= 60_000;
  expect(await statusOn(server, bob.token)).toBe(401);
  await server.close();
});

test('expires a token after a day', async () => {
  let nowMs = Date.now();
  const server = await startTestServer({ db: database.db, clock: { nowMs: () => nowMs } });
  const token = await signIn(server, { user_name: alice.userName, password: alice.password });
  nowMs += 24 * 3_600_000 - 2_000;
  expect(await statusOn(server, token)).toBe(200);
  nowMs += 3_000;
  expect(await statusOn(server, token)).toBe(401);
  await server.close();
});

test('accepts tokens of both secrets during a rotation, and only those of the new one afterwards', async () => {
  const [old, fresh] = [JWT_SECRET, 'another secret of the tests, long enough'];
  const startWith = (jwtSecret: string, jwtSecretPrevious?: string) =>
    startTestServer({ db: database.db, users: { jwtSecret, jwtSecretPrevious } });
  const [before, changing, after] = [await startWith(old, fresh), await startWith(fresh, old), await startWith(fresh)];
  const credentials = { user_name: alice.userName, password: alice.password };
  const [ofOld, ofFresh] = [await signIn(before, credentials), await signIn(changing, credentials)];
  const statuses = async (token: string) =>
    await Promise.all([here, before, changing, after].map((server) => statusOn(server, token)));
  expect(await statuses(ofOld)).toEqual([200, 200, 200, 401]);
  expect(await statuses(ofFresh)).toEqual([401, 200, 200, 200]);
  await Promise.all([before, changing, after].map((server) => server.close()));
});
