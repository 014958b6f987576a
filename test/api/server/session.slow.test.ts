/** The dashboard's session: a token in a cookie, with the rules for tokens (docs/explanation/decisions/0019). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { versionLine } from '../../../src/platform/config/version.ts';
import { findLeaks, ownedFields, ownView, sendTo, type Ids, type Party } from '../../support/http/access.ts';
import { PASSWORD, startTestApp, type Person } from '../../support/app.ts';
import { createKeys } from '../../support/api-keys.ts';
import { createOwnedResources, inventIds } from '../../support/http/owned-resources.ts';
import { worthlessAuthorizations } from '../../support/inputs/forged-tokens.ts';
import { readOperations } from '../../support/http/openapi.ts';

const SECRET = 'the secret of this file, long enough for anything';
const app = await startTestApp({ jwtSecret: SECRET, corsOrigins: ['https://elsewhere.example'] });
afterAll(() => app.stop());
const bearer = (await readOperations(app.url)).filter((operation) => operation.isBearer);

const OURS = { 'x-campanile-dashboard': '1' };
const COOKIE = 'campanile_session';

interface Sent {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
  cookie?: string | undefined;
}

async function send(path: string, { method = 'POST', body, headers = OURS, cookie }: Sent = {}) {
  const response = await fetch(`${app.url}${path}`, {
    method,
    headers: {
      ...headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(cookie !== undefined && { cookie: `${COOKIE}=${cookie}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as { data: unknown } };
}

function signIn(userName: string, password = PASSWORD, headers: Record<string, string> = OURS) {
  return send('/session', { body: { user_name: userName, password }, headers });
}

function cookieOf(headers: Headers): string {
  return /campanile_session=([^;]*)/.exec(headers.get('set-cookie') ?? '')?.[1] ?? '';
}

let alice: Person;
let mallory: Person;
let cookie: string;
beforeAll(async () => {
  alice = await app.signUp('alice');
  mallory = await app.signUp('mallory');
  cookie = cookieOf((await signIn('alice')).headers);
});

describe('signing in', () => {
  test('puts the token into an HttpOnly cookie and nowhere else', async () => {
    const answer = await signIn('alice');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^campanile_session=[\w-]+\.[\w-]+\.[\w-]+; Max-Age=86400; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect(JSON.stringify(answer.body)).not.toContain(cookieOf(answer.headers));
    expect(answer.body.data).toEqual({
      user_info: expect.objectContaining({ user_name: 'alice', user_id: alice.userId }),
      workspace_id: expect.any(Number),
      time_zone: 'UTC',
      is_admin: true,
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      version: versionLine(),
    });
  });

  test('fails as authorize_user does, without a cookie', async () => {
    const answer = await signIn('alice', 'not her password');
    const direct = await app.call('user/authorize_user', { user_name: 'alice', password: 'not her password' });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.body).toEqual({ ...direct.body, request_id: expect.any(String) });
  });

  test.each([
    ['without the header of the dashboard', {}],
    ['from another site', { ...OURS, 'sec-fetch-site': 'cross-site' }],
    ['from another host of the same domain', { ...OURS, 'sec-fetch-site': 'same-site' }],
  ])('CSRF: rejects signing in and signing out %s', async (_what, headers) => {
    expect((await signIn('alice', PASSWORD, headers)).status).toBe(403);
    const out = await send('/session', { method: 'DELETE', headers, cookie });
    expect([out.status, out.headers.get('set-cookie')]).toEqual([403, null]);
  });

  test('sets a Secure cookie with the prefix __Host- behind HTTPS', async () => {
    const secure = await startTestApp({ publicUrl: 'https://campanile.example' });
    await secure.signUp('alice');
    const response = await fetch(`${secure.url}/session`, {
      method: 'POST',
      headers: { ...OURS, 'content-type': 'application/json' },
      body: JSON.stringify({ user_name: 'alice', password: PASSWORD }),
    });
    expect(response.headers.get('set-cookie')).toMatch(/^__Host-campanile_session=.*; Secure; SameSite=Strict$/);
    await secure.stop();
  });
});

describe('the session', () => {
  test('is null without a cookie, with an invalid one and for a cross-site request', async () => {
    for (const asked of [
      {},
      { cookie: 'no.token.atall' },
      { cookie, headers: {} },
      { cookie, headers: { ...OURS, 'sec-fetch-site': 'cross-site' } },
    ])
      expect((await send('/session', { method: 'GET', ...asked })).body).toMatchObject({ error: false, data: null });
  });

  test('clears an invalid cookie', async () => {
    const answer = await send('/session', { method: 'GET', cookie: 'no.token.atall' });
    expect(answer.headers.get('set-cookie')).toMatch(/^campanile_session=; Max-Age=0; /);
  });

  test('is returned to the holder of the cookie until they sign out', async () => {
    const own = cookieOf((await signIn('alice')).headers);
    const told = await send('/session', { method: 'GET', cookie: own });
    expect(told.body.data).toMatchObject({ user_info: { user_id: alice.userId } });
    const out = await send('/session', { method: 'DELETE', cookie: own });
    expect(out.headers.get('set-cookie')).toMatch(/^campanile_session=; Max-Age=0; /);
    expect((await send('/session', { method: 'GET', cookie: own })).body.data).toBeNull();
  });

  test('revokes its token on sign-out, and no other', async () => {
    const [here, there] = [cookieOf((await signIn('alice')).headers), cookieOf((await signIn('alice')).headers)];
    await send('/session', { method: 'DELETE', cookie: here });
    const asked = (token: string) => app.call('user/get_profile', {}, token).then(({ status }) => status);
    expect([await asked(here), await asked(there), await asked(alice.token)]).toEqual([401, 200, 200]);
    const again = await send('/session', { method: 'DELETE', cookie: here });
    expect([again.status, await asked(there)]).toEqual([200, 200]);
  });

  test('ends with all tokens of its user', async () => {
    const eve = await app.signUp('eve');
    const own = cookieOf((await signIn('eve')).headers);
    await eve.call('user/revoke_tokens');
    expect((await send('/session', { method: 'GET', cookie: own })).body.data).toBeNull();
    expect((await send('/api/v1/user/get_profile', { cookie: own })).status).toBe(401);
  });
});

describe('an operation of the API', () => {
  test('runs as the user of the cookie', async () => {
    const answer = await send('/api/v1/user/get_profile', {
      cookie,
      headers: { ...OURS, 'sec-fetch-site': 'same-origin' },
    });
    expect(answer.body.data).toMatchObject({ user_info: { user_id: alice.userId } });
  });

  test('uses the Authorization header, if there is one, instead of the cookie', async () => {
    const asMallory = { ...OURS, authorization: `Bearer ${mallory.token}` };
    const answer = await send('/api/v1/user/get_profile', { cookie, headers: asMallory });
    expect(answer.body.data).toMatchObject({ user_info: { user_id: mallory.userId } });
    const worthless = await send('/api/v1/user/get_profile', {
      cookie,
      headers: { ...OURS, authorization: 'Bearer x' },
    });
    expect(worthless.status).toBe(401);
  });

  test.each(bearer.map(({ path }) => path))('CSRF: rejects a forged request: %s', async (path) => {
    for (const headers of [
      {},
      { 'sec-fetch-site': 'same-origin' },
      { ...OURS, 'sec-fetch-site': 'cross-site' },
      { ...OURS, 'sec-fetch-site': 'same-site' },
      { ...OURS, 'sec-fetch-site': 'none' },
    ])
      expect((await send(path, { cookie, headers, body: {} })).status).toBe(401);
  });

  test('rejects every forged cookie', async () => {
    const revoked = cookieOf((await signIn('mallory')).headers);
    await app.call('user/revoke_tokens', {}, revoked);
    mallory = { ...mallory, token: cookieOf((await signIn('mallory')).headers) };
    mallory.call = ((path: string, body: unknown) => app.call(path, body, mallory.token)) as Person['call'];
    const forged = worthlessAuthorizations(mallory.token, {
      secret: SECRET,
      revoked,
      otherUserId: alice.userId,
      keys: await createKeys(app, mallory),
    })
      .filter(([, value]) => /^Bearer \S+$/.test(value ?? ''))
      .map(([what, value]): [string, string] => [what, (value ?? '').slice('Bearer '.length)]);
    expect(forged.length).toBeGreaterThan(15);
    for (const [what, value] of forged) {
      const answer = await send('/api/v1/user/get_profile', { cookie: value });
      expect(answer.status, what).toBe(401);
    }
  });

  test('CORS: allows no credentials to another origin', async () => {
    const response = await fetch(`${app.url}/api/v1/user/get_profile`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://elsewhere.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-campanile-dashboard',
      },
    });
    expect(response.headers.get('access-control-allow-origin')).toBe('https://elsewhere.example');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

describe('IDOR: with a cookie, ids of another user are answered like unknown ids and change nothing', () => {
  const owning = bearer.filter((operation) => ownedFields(operation).length > 0);
  const withCookie = sendTo(app.url, (token) => ({ ...OURS, cookie: `${COOKIE}=${token}` }));
  let victim: Party;
  let outsider: Party;
  let never: Ids;
  beforeAll(async () => {
    const fields = new Set(owning.flatMap(ownedFields));
    victim = { token: alice.token, ids: await createOwnedResources(alice, fields) };
    outsider = { token: mallory.token, ids: await createOwnedResources(mallory, fields) };
    never = inventIds(victim.ids);
  });

  const seen = {};
  test.each(owning.map((operation) => [operation.path, operation] as const))('by %s', async (_path, operation) => {
    const look = (party: Party) => ownView(bearer, withCookie, party);
    expect(await findLeaks(operation, { send: withCookie, outsider, victim, never, look, seen })).toEqual([]);
  });
});
