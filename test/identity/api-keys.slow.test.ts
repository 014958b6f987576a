import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listenForNotifications, type Notifications } from '../../src/platform/database/listen.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/ledger.ts';
import { person, signIn, type Person } from '../support/people.ts';
import { startTestServer, type TestServer } from '../support/http/server.ts';

let database: TestDatabase;
let here: TestServer;
/** Another process on the same database: it has its own cache, which notifications invalidate. */
let there: TestServer;
/** A third process, behind a pooler that drops notifications. */
let deaf: TestServer;
let notifications: Notifications;
let alice: Person;
let mallory: Person;

beforeAll(async () => {
  database = await createTestDatabase();
  notifications = listenForNotifications(database.address, { log: createLog('silent') });
  here = await startTestServer({ db: database.db });
  there = await startTestServer({ db: database.db, users: { notifications } });
  deaf = await startTestServer({ db: database.db });
});
afterAll(async () => {
  await Promise.all([here.close(), there.close(), deaf.close(), notifications.close()]);
  await database.drop();
});
beforeEach(async () => {
  [alice, mallory] = (await Promise.all(['alice', 'mallory'].map((name) => person(here, name)))) as [Person, Person];
});

interface Made {
  api_key_id: number;
  key: string;
}
interface Listed {
  api_key_id: number;
  name: string;
  scopes: string[];
  prefix: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
}

const create = (token: string, body: object = {}) =>
  here.post('/api/v1/user/create_api_key', { name: 'Newsroom', scopes: ['read', 'send'], ...body }, { token });
const revoke = (token: string, api_key_id: unknown) =>
  here.post('/api/v1/user/revoke_api_key', { api_key_id }, { token });
const statusOn = async (server: TestServer, token: string) =>
  (await server.post('/api/v1/user/get_profile', {}, { token })).status;

async function made(token: string, body: object = {}): Promise<Made> {
  const answer = await create(token, body);
  expect(answer.status, answer.text).toBe(200);
  return (answer.body as { data: Made }).data;
}

async function list(token: string): Promise<Listed[]> {
  const answer = await here.post('/api/v1/user/list_api_keys', {}, { token });
  return (answer.body as { data: { api_keys: Listed[] } }).data.api_keys;
}

test('returns a key once, accepts it like a token, and stores only its hash', async () => {
  const expires_at = '2999-12-31T23:30:00+01:00';
  const { api_key_id, key } = await made(alice.token, { scopes: ['send', 'read', 'send'], expires_at });
  expect(key).toMatch(/^cmp_[A-Za-z0-9_-]{43,}$/);
  const answer = await here.post('/api/v1/user/get_profile', {}, { headers: { authorization: `bearer ${key}` } });
  expect(answer.body).toMatchObject({ data: { user_info: { user_id: alice.userId } } });

  const keys = await list(alice.token);
  expect(keys).toEqual([
    {
      api_key_id,
      name: 'Newsroom',
      scopes: ['send', 'read'],
      role: 'owner',
      test: false,
      prefix: key.slice(0, 8),
      created_at: expect.stringMatching(/Z$/),
      expires_at: '2999-12-31T22:30:00.000Z',
      last_used_at: keys[0]?.last_used_at,
    },
  ]);
  const { rows } = await sql<{ row: string; hash: Buffer }>`
    select k::text as row, hash from api_keys k where api_key_id = ${api_key_id}`.execute(database.db);
  expect(rows[0]?.hash).toEqual(createHash('sha256').update(key).digest());
  expect(rows[0]?.row).not.toContain(key.slice(8));
  expect(await list(mallory.token)).toEqual([]);
});

test('creates distinct keys, and rejects altered ones', async () => {
  const one = await made(alice.token);
  const other = await made(alice.token);
  expect(one.key).not.toBe(other.key);
  const last = one.key.at(-1) === 'A' ? 'B' : 'A';
  for (const bad of [
    'cmp_',
    `cmp_${'A'.repeat(48)}`,
    one.key.slice(0, -1),
    `${one.key.slice(0, -1)}${last}`,
    `${one.key}A`,
  ])
    expect(await statusOn(here, bad), bad).toBe(401);
});

test('rejects an invalid key request with 400 on its field', async () => {
  const wishes: Array<[object, string]> = [
    [{ name: '' }, 'name'],
    [{ name: 'n'.repeat(101) }, 'name'],
    [{ name: null }, 'name'],
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['root'] }, 'scopes.0'],
    [{ scopes: 'read' }, 'scopes'],
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    [{ expires_at: '2999-01-01T00:00:00' }, 'expires_at'],
    [{ expires_at: '2999-02-30T00:00:00Z' }, 'expires_at'],
    [{ expires_at: '2999-01-01' }, 'expires_at'],
    [{ expires_at: 4_000_000_000 }, 'expires_at'],
  ];
  for (const [wish, field] of wishes)
    expect((await create(alice.token, wish)).body, JSON.stringify(wish)).toMatchObject({
      code: 400,
      details: [{ field }],
    });
  await made(alice.token, { name: 'n'.repeat(100), expires_at: null });
});

test('limits a user to 50 keys, also when many are requested at once', async () => {
  const answers = await Promise.all(Array.from({ length: 52 }, () => create(alice.token)));
  expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([...Array(50).fill(200), 409, 409]);
  const [first] = await list(alice.token);
  await revoke(alice.token, first?.api_key_id);
  await made(alice.token);
  await made(mallory.token);

  const [second, third] = await list(alice.token);
  await sql`update api_keys set expires_at = campanile_now() - interval '1 second' where api_key_id = ${third?.api_key_id ?? 0}`.execute(
    database.db,
  );
  await made(alice.token);
  const ids = (await list(alice.token)).map((key) => key.api_key_id);
  expect(ids).toHaveLength(50);
  expect(ids).toContain(second?.api_key_id);
  expect(ids).not.toContain(third?.api_key_id);
  expect((await create(alice.token)).status).toBe(409);
});

test('rejects a revoked key at once here, and within a second in other processes', async () => {
  const { api_key_id, key } = await made(alice.token);
  const other = await made(alice.token);
  for (const server of [here, there, deaf]) expect(await statusOn(server, key)).toBe(200);
  expect((await revoke(alice.token, api_key_id)).body).toEqual({
    error: false,
    status: 'success',
    code: 200,
    data: {},
  });
  expect(await statusOn(here, key)).toBe(401);
  for (const server of [there, deaf]) await expect.poll(() => statusOn(server, key)).toBe(401);
  expect(await statusOn(deaf, other.key)).toBe(200);
  expect(await list(alice.token)).toMatchObject([{ api_key_id: other.api_key_id }]);
});

test('caches a key without notifications for 0.8 s, and no longer', async () => {
  let nowMs = Date.now();
  const server = await startTestServer({ db: database.db, clock: { nowMs: () => nowMs } });
  const { api_key_id, key } = await made(alice.token);
  expect(await statusOn(server, key)).toBe(200);
  await revoke(alice.token, api_key_id);
  nowMs += 799;
  expect(await statusOn(server, key)).toBe(200);
  nowMs += 1;
  expect(await statusOn(server, key)).toBe(401);
  await server.close();
});

test('answers 404 to the revocation of another user’s key, as for an unknown key', async () => {
  const { api_key_id, key } = await made(alice.token);
  const foreign = await revoke(mallory.token, api_key_id);
  const missing = await revoke(mallory.token, 999_999_999);
  expect(foreign.status).toBe(404);
  const withoutId = ({ body }: { body: unknown }) => ({ ...(body as object), request_id: '' });
  expect(withoutId(foreign)).toEqual(withoutId(missing));
  for (const id of [-1, Number.MAX_SAFE_INTEGER]) expect((await revoke(mallory.token, id)).status).toBe(404);
  for (const id of ['one', 1.5, null]) expect((await revoke(mallory.token, id)).status).toBe(400);
  expect(await statusOn(here, key)).toBe(200);
});

test('rejects an expired key, and still lists it', async () => {
  let nowMs = Date.now();
  const server = await startTestServer({ db: database.db, clock: { nowMs: () => nowMs } });
  const expires_at = new Date(nowMs + 60_000).toISOString();
  const { key } = await made(alice.token, { expires_at });
  nowMs += 59_000;
  expect(await statusOn(server, key)).toBe(200);
  nowMs += 1_000;
  expect(await statusOn(server, key)).toBe(401);
  expect(await list(alice.token)).toMatchObject([{ expires_at }]);
  await server.close();
});

test('records the last use of a key to the minute', async () => {
  let nowMs = Date.now();
  const server = await startTestServer({ db: database.db, clock: { nowMs: () => nowMs } });
  const { key } = await made(alice.token);
  expect((await list(alice.token))[0]?.last_used_at).toBeNull();
  await statusOn(server, key);
  const lastUse = async () => (await list(alice.token))[0]?.last_used_at ?? '';
  const first = await until(lastUse, (at) => at !== '');
  // Another process, and this one later in the same minute.
  await statusOn(deaf, key);
  nowMs += 59_000;
  await statusOn(server, key);
  expect(await lastUse()).toBe(first);
  await database.clock.advance({ minutes: 1 });
  nowMs += 1_000;
  await statusOn(server, key);
  await until(lastUse, (at) => at > first);
  await server.close();
});

test('revokes keys with the tokens and with the password, at once here and within a second elsewhere, unless keep_api_keys is set', async () => {
  const { key } = await made(alice.token);
  await here.post('/api/v1/user/revoke_tokens', { keep_api_keys: true }, { token: alice.token });
  expect(await statusOn(here, alice.token)).toBe(401);
  expect(await statusOn(here, key)).toBe(200);
  const token = await signIn(here, { user_name: alice.userName, password: alice.password });
  const passwords = { current_password: alice.password, new_password: 'another password' };
  const kept = await here.post('/api/v1/user/change_password', { ...passwords, keep_api_keys: true }, { token });
  expect(kept.status).toBe(200);
  expect(await statusOn(here, key)).toBe(200);
  expect(await statusOn(deaf, key)).toBe(200);
  const back = { current_password: 'another password', new_password: alice.password };
  expect((await here.post('/api/v1/user/change_password', back, { token })).status).toBe(200);
  expect(await statusOn(here, key)).toBe(401);
  await expect.poll(() => statusOn(deaf, key)).toBe(401);
  const other = await made(token);
  await here.post('/api/v1/user/revoke_tokens', {}, { token });
  expect(await statusOn(here, other.key)).toBe(401);
});

describe('scopes', () => {
  let app: TestApp;
  let keys: Record<'read' | 'write' | 'send' | 'webhooks' | 'admin' | 'all', string>;

  beforeAll(async () => {
    app = await startTestApp();
    const owner = await app.signUp('alice');
    const key = async (scopes: string[]) =>
      (await owner.call<{ key: string }>('user/create_api_key', { name: 'k', scopes })).body.data.key;
    keys = {
      read: await key(['read']),
      write: await key(['write']),
      send: await key(['send']),
      webhooks: await key(['webhooks']),
      admin: await key(['admin']),
      all: await key(['read', 'send', 'admin']),
    };
  });
  afterAll(() => app.stop());

  /** Every operation of the OpenAPI document that needs a token, with its scopes for keys; none: it takes no key. The stream is no POST. */
  async function operations(): Promise<Array<{ path: string; scopes: string[] }>> {
    const response = await fetch(`${app.url}/openapi.json`);
    const { paths } = (await response.json()) as {
      paths: Record<string, { post?: { security: Array<{ api_key?: string[] }> } }>;
    };
    return Object.entries(paths).flatMap(([path, { post }]) =>
      !post || post.security.length === 0
        ? []
        : [
            {
              path: path.replace('/api/v1/', ''),
              scopes: post.security.flatMap((one) => one.api_key ?? []),
            },
          ],
    );
  }

  test('allow the operations that they name, and never those of keys, passwords and tokens', async () => {
    const all = await operations();
    expect(
      all
        .filter(({ scopes }) => scopes.length === 0)
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual([
      ...[
        'delete_user',
        'disable_user',
        'enable_user',
        'get_installation',
        'get_user',
        'list_invitations',
        'list_queued',
        'list_users',
      ].map((name) => `admin/${name}`),
      'admin/release_ledger',
      'admin/reset_factors',
      'admin/withdraw_invitation',
      ...[
        'add_totp',
        'change_password',
        'confirm_identity',
        'confirm_totp',
        'create_api_key',
        'delete_account',
        'end_session',
        'export_account',
        'invite',
        'list_api_keys',
        'list_factors',
        'list_sessions',
        'remove_factor',
        'renew_recovery_codes',
        'revoke_api_key',
        'revoke_tokens',
        'send_verification',
        'subscribe_push',
        'unsubscribe_push',
      ].map((name) => `user/${name}`),
      'venom/decide-approval',
      ...[
        'accept-invitation',
        'create-workspace',
        'hand-over-workspace',
        'invite-member',
        'leave-workspace',
        'list-invitations',
        'list-members',
        'list-workspaces',
        'open-workspace',
        'remove-member',
        'rename-workspace',
        'revoke-invitation',
        'set-approval-rules',
        'set-member-role',
        'update-workspace',
      ].map((name) => `workspace/${name}`),
    ]);
    for (const { path, scopes } of all)
      for (const [name, key] of Object.entries(keys)) {
        const reached = scopes.includes(name) || (scopes.length > 0 && name === 'all');
        // No operation accepts this body: an authorised request is answered, or rejected for its body.
        const answer = await app.call(path, { html: 1, group_metadata_id: 'x', campaign_id: 'x', first_name: 1 }, key);
        const needs =
          scopes.length === 0 ? 'does not accept API keys' : `needs an API key with the scope ${scopes.join(' or ')}`;
        const refusal = answer.status === 403 ? answer.body.message : '';
        expect(refusal, `${path} with ${name}`).toContain(reached ? '' : needs);
        expect(refusal === '', `${path} with ${name}`).toBe(reached);
      }
  });

  test('require admin for linking the account and for personal data', async () => {
    const all = await operations();
    expect(all.filter(({ scopes }) => scopes.includes('admin')).map(({ path }) => path)).toEqual([
      'user/update_profile',
      'user/list_audit_log',
      'user/export_audit_log',
      'user/list_security_log',
      'venom/connect-account',
      'venom/submit-passkey',
      'venom/add-account',
      'venom/set-default-account',
      'venom/remove-account',
      'venom/disconnect-account',
      'venom/share-calendar',
      'venom/revoke-calendar-link',
      'analytics/share-report',
      'analytics/revoke-report-link',
      ...['create', 'update', 'delete'].map((what) => `venom/${what}-webhook`),
      'venom/rotate-webhook-secret',
      'venom/test-webhook',
      'venom/retry-webhook',
      'user/get_notice_settings',
      'user/update_notice_settings',
    ]);
  });

  test('separate drafts, files and lists from sending, and webhooks from all other settings', async () => {
    const all = await operations();
    expect(all.filter(({ scopes }) => scopes[0] === 'write').map(({ path }) => path)).toEqual([
      'venom/update-group',
      'venom/save-group-list',
      'venom/delete-group-list',
      ...['set-fields', 'set-group-fields', 'import-group-fields'].map((name) => `venom/${name}`),
      'venom/set-senders',
      'venom/save-draft',
      'venom/delete-draft',
      'venom/save-template',
      'venom/delete-template',
      ...['request', 'remark', 'withdraw'].map((what) => `venom/${what}-approval`),
      ...['upload', 'import', 'set-still', 'delete-media'].map((name) => `media/${name}`),
      'venom/link-preview',
    ]);
    for (const { scopes } of all)
      expect(['', 'read', 'write,send', 'send', 'webhooks,admin', 'admin']).toContain(String(scopes));
  });

  test('allow sending with send, and reading the results with read', async () => {
    // Keys reach the operation that unlinks the account, which takes any body.
    await app.call('venom/connect-account', {}, keys.admin);
    const groups = await app.call('venom/list-groups', {}, keys.read);
    const ids = (groups.body.data as unknown as { groups: Array<{ group_metadata_id: number }> }).groups;
    const campaign = { name: 'By key', html: 'Hello', group_metadata_ids: ids.map((one) => one.group_metadata_id) };
    expect((await app.call('venom/add-campaign', campaign, keys.read)).status).toBe(403);
    const { body } = await app.call('venom/add-campaign', campaign, keys.send);
    const analytics = 'analytics/get-campaign-group-analytics-master';
    expect((await app.call(analytics, body.data, keys.send)).status).toBe(403);
    await until(
      async () => (await app.call(analytics, body.data, keys.read)).body.data,
      (data) => (data as unknown as { totals: { sent: number } }).totals.sent === ids.length,
    );
  });
});
