import { sql } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createVault } from '../../src/platform/secrets/secret-box.ts';
import { resealTotps } from '../../src/identity/factors/set-up-totp.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { person, signIn, type Person } from '../support/people.ts';
import { startTestServer, type Answer, type TestServer } from '../support/http/server.ts';

const STEP_MS = 30_000;
const MINUTE_MS = 60_000;
let database: TestDatabase;
let server: TestServer;
let alice: Person;
let nowMs = Date.now();

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startTestServer({ db: database.db, clock: { nowMs: () => nowMs } });
});
beforeEach(async () => {
  alice = await person(server, 'alice');
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

const post = (path: string, body: object = {}, token = alice.token) =>
  server.post(`/api/v1/user/${path}`, body, { token });
const dataOf = <Data>({ body, text }: Answer): Data => {
  expect(text).toContain('"error":false');
  return (body as { data: Data }).data;
};
const authorize = (code?: string) =>
  server.post('/api/v1/user/authorize_user', { user_name: alice.userName, password: alice.password, code });

/** An authenticator app whose clock may differ. */
const appOf = (secret: string) => (aheadMs: number) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: nowMs + aheadMs });

/** Sets an app up, and advances the clock until its first code has expired. */
async function setUp() {
  const { secret, uri } = dataOf<{ secret: string; uri: string }>(await post('add_totp'));
  const codeAt = appOf(secret);
  const { recovery_codes } = dataOf<{ recovery_codes: string[] }>(await post('confirm_totp', { code: codeAt(0) }));
  nowMs += 2 * STEP_MS;
  return { secret, uri, codeAt, recovery_codes };
}

describe('TOTP', () => {
  test('is set up by a secret and its first code, and sign-in requires a code from then on', async () => {
    const { secret } = dataOf<{ secret: string }>(await post('add_totp'));
    expect((await authorize()).status).toBe(200);
    expect((await post('confirm_totp', { code: '000000' })).body).toMatchObject({ details: [{ field: 'code' }] });
    const { recovery_codes } = dataOf<{ recovery_codes: string[] }>(
      await post('confirm_totp', { code: appOf(secret)(0) }),
    );
    expect(new Set(recovery_codes).size).toBe(10);
    nowMs += 2 * STEP_MS;
    expect((await authorize()).body).toMatchObject({
      code: 401,
      details: [{ field: 'code', issue: expect.stringContaining('required') }],
    });
    expect((await authorize('000000')).body).toMatchObject({
      code: 401,
      details: [{ field: 'code', issue: expect.stringContaining('wrong') }],
    });
    expect((await authorize(appOf(secret)(0))).status).toBe(200);
    const listed = dataOf(await post('list_factors'));
    expect(listed).toMatchObject({ factors: [{ kind: 'totp' }], recovery_codes_left: 10 });
  });

  test('returns an otpauth URI to scan, and stores its secret encrypted', async () => {
    const { secret, uri } = await setUp();
    expect(uri).toMatch(/^otpauth:\/\/totp\/Campanile/);
    expect(uri).toContain(`secret=${secret}`);
    const { rows } = await sql<{ secret: Buffer }>`
      select secret from factors where user_id = ${alice.userId}`.execute(database.db);
    expect(rows[0]?.secret.includes(Buffer.from(Secret.fromBase32(secret).buffer))).toBe(false);
  });

  test('tolerates 30 seconds of clock skew, and accepts each code once, also when many send it at once', async () => {
    const { codeAt } = await setUp();
    const answers = await Promise.all(Array.from({ length: 5 }, () => authorize(codeAt(0))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401]);
    expect((await authorize(codeAt(-STEP_MS))).status).toBe(401);
    expect((await authorize(codeAt(STEP_MS))).status).toBe(200);
    nowMs += 4 * STEP_MS;
    expect((await authorize(codeAt(-STEP_MS))).status).toBe(200);
    expect((await authorize(codeAt(2 * STEP_MS))).status).toBe(401);
  });

  test('is rate limited for a quarter of an hour after ten wrong codes', async () => {
    const { codeAt } = await setUp();
    for (let guess = 0; guess < 10; guess++) expect((await authorize('000000')).status).toBe(401);
    const late = await authorize(codeAt(0));
    expect(late.status).toBe(429);
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(800);
  });

  test('rejects a second set-up while it is in use, and can be removed', async () => {
    await setUp();
    expect((await post('add_totp')).status).toBe(409);
    const { factors } = dataOf<{ factors: Array<{ factor_id: number }> }>(await post('list_factors'));
    const bob = await person(server, 'bob');
    const factor = { factor_id: factors[0]?.factor_id };
    expect((await post('remove_factor', factor, bob.token)).status).toBe(404);
    expect((await post('remove_factor', factor)).status).toBe(200);
    expect((await authorize()).status).toBe(200);
    expect(dataOf(await post('list_factors'))).toEqual({ factors: [], recovery_codes_left: 0 });
  });

  test('works after a rotation of the encryption key', async () => {
    const { codeAt } = await setUp();
    const [key, previousKey] = [Buffer.alloc(32, 8), Buffer.alloc(32, 7)];
    expect(await resealTotps(database.db, createVault({ key, previousKey }))).toBeGreaterThan(0);
    const vault = createVault({ key });
    const later = await startTestServer({ db: database.db, clock: { nowMs: () => nowMs }, users: { vault } });
    const body = { user_name: alice.userName, password: alice.password, code: codeAt(0) };
    expect((await later.post('/api/v1/user/authorize_user', body)).status).toBe(200);
    await later.close();
    await resealTotps(database.db, createVault({ key: previousKey, previousKey: key }));
  });
});

describe('recovery codes', () => {
  test('replace a code once each, in any spelling, and are stored as hashes', async () => {
    const { recovery_codes } = await setUp();
    const [first = '', second = ''] = recovery_codes;
    expect((await authorize(first.toUpperCase().replaceAll('-', ' '))).status).toBe(200);
    expect((await authorize(first)).status).toBe(401);
    expect((await authorize(second)).status).toBe(200);
    const { rows } = await sql<{ hash: Buffer }>`
      select hash from recovery_codes where user_id = ${alice.userId}`.execute(database.db);
    expect(rows.map(({ hash }) => hash.length)).toEqual(Array(8).fill(32));
  });

  test('are replaced when they are renewed', async () => {
    expect((await post('renew_recovery_codes')).status).toBe(409);
    const { recovery_codes } = await setUp();
    const renewed = dataOf<{ recovery_codes: string[] }>(await post('renew_recovery_codes')).recovery_codes;
    expect((await authorize(recovery_codes[0])).status).toBe(401);
    expect((await authorize(renewed[0])).status).toBe(200);
  });
});

describe('step-up authentication', () => {
  const refused = { code: 403, details: [{ field: 'authorization', issue: 'has no proof of the last 10 minutes' }] };
  const newKey = { name: 'k', scopes: ['read'] };

  test('accepts the token of a sign-in for ten minutes, and then requires the password for that token', async () => {
    nowMs += 10 * MINUTE_MS - 1_000;
    expect((await post('create_api_key', newKey)).status).toBe(200);
    nowMs += 1_000;
    for (const path of ['create_api_key', 'add_totp', 'confirm_totp', 'remove_factor', 'renew_recovery_codes'])
      expect((await post(path, { ...newKey, code: '123456', factor_id: 1 })).body, path).toMatchObject(refused);
    const wrong = await post('confirm_identity', { password: 'wrong' });
    expect(wrong.body).toMatchObject({ code: 400, details: [{ field: 'password' }] });
    const missing = await post('confirm_identity');
    expect(missing.body).toMatchObject({ code: 400, details: [{ field: 'password' }] });
    const { token } = dataOf<{ token: string }>(await post('confirm_identity', { password: alice.password }));
    expect((await post('create_api_key', newKey)).body).toMatchObject(refused);
    expect((await post('create_api_key', newKey, token)).status).toBe(200);
    const claimsOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
    const { jti, exp } = claimsOf(alice.token);
    expect(claimsOf(token)).toMatchObject({ jti, exp });
    await post('revoke_tokens', {}, token);
    expect((await post('get_profile', {}, token)).status).toBe(401);
  });

  test('requires a code from users with a second factor, and rejects their password alone', async () => {
    const { codeAt } = await setUp();
    nowMs += 10 * MINUTE_MS;
    expect((await post('create_api_key', newKey)).body).toMatchObject(refused);
    const byPassword = await post('confirm_identity', { password: alice.password });
    expect(byPassword.body).toMatchObject({ code: 400, details: [{ field: 'code' }] });
    const { token } = dataOf<{ token: string }>(await post('confirm_identity', { code: codeAt(0) }));
    expect((await post('create_api_key', newKey, token)).status).toBe(200);
  });

  test('is not required by the operations of the specification during the lifetime of a token', async () => {
    nowMs += 23 * 60 * MINUTE_MS;
    expect((await post('get_profile')).status).toBe(200);
    await signIn(server, { user_name: alice.userName, password: alice.password });
  });
});

test('leaves no factor of a deleted user', async () => {
  await setUp();
  expect((await post('delete_account', { password: alice.password })).status).toBe(200);
  const { rows } = await sql`
    select user_id from factors where user_id = ${alice.userId}
    union all select user_id from recovery_codes where user_id = ${alice.userId}`.execute(database.db);
  expect(rows).toEqual([]);
});
