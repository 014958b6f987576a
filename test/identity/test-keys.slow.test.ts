/** Test keys: a program for live runs unchanged on the sandbox, and reaches nothing of the person. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WATCH_LIMITS } from '../../src/api/events/watch-progress.ts';
import { PASSWORD, post, startTestApp, type TestApp } from '../support/app.ts';
import { until } from '../support/ledger.ts';
import { countRemainingRows } from '../support/remaining-rows.ts';
import { ANALYTICS, announce, createTestKey, SCOPES, type CreatedKey, type Groups } from '../support/test-keys.ts';
import { addMembers, linkSomebody, towards } from '../support/whatsapp.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from '../../harness/whatsapp-peer/peer.ts';
import type { AccountId, WorkspaceId } from '../../src/platform/database/schema.ts';

describe('with a linked WhatsApp number', () => {
  let peer: WhatsAppPeer;
  let app: TestApp;
  beforeAll(async () => {
    peer = await startWhatsAppPeer();
    app = await startTestApp(towards(peer));
  });
  afterAll(async () => {
    await app.stop();
    await peer.stop();
  });

  test('a test key runs a program for live on the sandbox, and nothing reaches WhatsApp', async () => {
    const { person, groups: live } = await linkSomebody({ peer, app, members: addMembers(peer) }, 1);
    const arrived: string[] = [];
    peer.script.judge = ({ chatId }) => {
      arrived.push(chatId);
      return 'accept';
    };
    const { call } = await createTestKey(app, person);
    // Live, this would link the number.
    const asked = { messenger: 'whatsapp', method: 'pairing_code' };
    expect((await call('venom/connect-account', asked)).body.data).toMatchObject({ status: 'connected' });
    const { campaignId, groups } = await announce(call);
    expect(groups.length).toBeGreaterThan(0);
    expect(groups).not.toContain(live[0]);
    expect((await call('venom/account-status')).body.data).toMatchObject({ messenger: 'sandbox', status: 'connected' });
    const seen = await call<{ messages: Array<{ text: string }> }>('sandbox/list-messages', {
      group_metadata_id: groups[0],
    });
    expect(seen.body.data.messages).toMatchObject([{ text: 'Hello' }]);
    await call('venom/recall-campaign', { campaign_id: campaignId });
    await call('venom/create-channel', { name: 'Test', description: '', image: '' });
    await call('venom/disconnect-account');
    expect(arrived).toEqual([]);
    expect((await person.call('venom/account-status')).body.data).toMatchObject({
      messenger: 'whatsapp',
      status: 'connected',
    });
    expect((await person.call(ANALYTICS, { campaign_id: campaignId })).status).toBe(404);
  });
});

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

test('is told from a live key by its prefix, in the list and in the profile', async () => {
  const owner = await app.signUp('lists');
  const live = (await owner.call<CreatedKey>('user/create_api_key', { name: 'live', scopes: SCOPES })).body.data;
  const { key, call } = await createTestKey(app, owner);
  expect(key).toMatch(/^cmp_test_[A-Za-z0-9_-]{48}$/);
  const { api_keys: keys } = (await owner.call<{ api_keys: object[] }>('user/list_api_keys')).body.data;
  expect(keys).toMatchObject([
    { prefix: live.key.slice(0, 8), test: false },
    { prefix: key.slice(0, 13), test: true },
  ]);
  expect((await call('user/get_profile')).body.data).toMatchObject({ user_info: { user_name: 'lists' }, test: true });
  expect((await owner.call('user/get_profile')).body.data).not.toHaveProperty('test');
  expect((await post(app.url, 'user/get_profile', {}, live.key)).body.data).not.toHaveProperty('test');
});

test('shares the test workspace with the other test keys of its owner, and with nobody else', async () => {
  const [owner, stranger] = [await app.signUp('shares'), await app.signUp('stranger')];
  const [one, other] = [await createTestKey(app, owner), await createTestKey(app, owner)];
  const strange = await createTestKey(app, stranger);
  const { campaignId } = await announce(one.call);
  const asked = { campaign_id: campaignId };
  expect((await other.call('venom/get-campaign', asked)).status).toBe(200);
  for (const call of [strange.call, stranger.call, owner.call])
    expect((await call('venom/get-campaign', asked)).status).toBe(404);
  await owner.call('user/revoke_api_key', { api_key_id: one.api_key_id });
  expect((await one.call('user/get_profile')).status).toBe(401);
  expect((await other.call('venom/get-campaign', asked)).status).toBe(200);
});

test('of several first test keys at once, all act on one test workspace', async () => {
  const owner = await app.signUp('at-once');
  const keys = await Promise.all(Array.from({ length: 4 }, () => createTestKey(app, owner)));
  const lists = await Promise.all(keys.map(({ call }) => call<Groups>('venom/list-groups')));
  const ids = lists.map(({ body }) => body.data.groups.map((group) => group.group_metadata_id));
  expect(ids[0]).toHaveLength(3);
  for (const one of ids) expect(one).toEqual(ids[0]);
});

test('cannot reach keys, passwords, factors or other data of the person', async () => {
  const owner = await app.signUp('guarded');
  const { call } = await createTestKey(app, owner);
  const before = (await owner.call('user/get_profile')).body;
  const refused = [
    ['user/create_api_key', { name: 'live', scopes: ['send'] }, 'token_required'],
    ['user/create_api_key', { name: 'test', scopes: ['send'], test: true }, 'token_required'],
    ['user/list_api_keys', {}, 'token_required'],
    ['user/change_password', { current_password: PASSWORD, new_password: 'another password' }, 'token_required'],
    ['user/add_totp', {}, 'token_required'],
    ['user/delete_account', { password: PASSWORD }, 'token_required'],
    ['user/send_verification', {}, 'token_required'],
    ['admin/list_users', {}, 'token_required'],
    ['user/update_profile', { first_name: 'Mallory', whatsapp_number: '+447700900999' }, 'scope_missing'],
    ['user/list_notices', {}, 'scope_missing'],
    ['user/list_security_log', {}, 'scope_missing'],
    ['user/read_notices', { up_to: 9 }, 'scope_missing'],
    ['user/get_notice_settings', {}, 'scope_missing'],
    ['user/update_notice_settings', { kinds: [{ kind: 'campaign_done', bell: false }] }, 'scope_missing'],
  ] as const;
  for (const [path, body, code] of refused) {
    const answer = await call(path, body);
    expect(answer.body, path).toMatchObject({ code: 403, error_code: code });
  }
  expect((await owner.call('user/get_profile')).body).toEqual(before);
});

test('counts towards the request rate of its owner', async () => {
  const limited = await startTestApp({ rateLimit: 20 }, app.database);
  const owner = await limited.signUp('hurried');
  const { call } = await createTestKey(limited, owner);
  for (let index = 0; index < 20; index++) await owner.call('user/get_profile');
  expect((await call('user/get_profile')).status).toBe(429);
  await limited.stop();
});

test('counts towards the event streams of its owner', async () => {
  const owner = await app.signUp('listens');
  const { key } = await createTestKey(app, owner);
  const stop = new AbortController();
  // An answer that nothing refers to is collected, and its connection closed.
  const answers: Response[] = [];
  for (let index = 0; index < WATCH_LIMITS.perUser + 2; index++) {
    const headers = { authorization: `Bearer ${index % 2 === 0 ? owner.token : key}` };
    answers.push(await fetch(`${app.url}/api/v1/events`, { headers, signal: stop.signal }));
  }
  const statuses = answers.map(({ status }) => status);
  stop.abort();
  expect(statuses).toEqual([...Array<number>(WATCH_LIMITS.perUser).fill(200), 429, 429]);
});

test('sends by the time zone of its owner', async () => {
  const owner = await app.signUp('zoned');
  await owner.call('user/update_profile', { time_zone: 'Asia/Kolkata' });
  const { call } = await createTestKey(app, owner);
  const { body } = await call<{ time_zone: string }>('user/get_profile');
  expect(body.data.time_zone).toBe('Asia/Kolkata');
  const changed = await call<object>('venom/update-account', { daily_cap: 1 });
  expect(changed.body.data).toMatchObject({ daily_cap: 1, time_zone: 'Asia/Kolkata' });
});

test('ends with its owner: disabled, and deleted with everything in the test workspace', async () => {
  // The first user is the administrator.
  const other = await startTestApp({ sandboxGap: { minMs: 30, maxMs: 40 } });
  const admin = await other.signUp('admin');
  const owner = await other.signUp('leaves');
  const { call } = await createTestKey(other, owner);
  const { rows } = await sql<{ workspaceId: WorkspaceId; accountId: AccountId }>`
    select w.workspace_id as "workspaceId", a.account_id as "accountId"
    from workspaces w join accounts a using (workspace_id)
    where test_of = (select workspace_id from memberships where user_id = ${owner.userId})`.execute(other.database.db);
  const ids = { userId: owner.userId, ...rows[0] } as Parameters<typeof countRemainingRows>[1];
  const [group] = (await call<Groups>('venom/list-groups')).body.data.groups;
  await call('venom/add-campaign', {
    name: 'x',
    html: 'x',
    group_metadata_ids: [group?.group_metadata_id],
  });
  await admin.call('admin/disable_user', { user_id: owner.userId });
  await expect.poll(async () => (await call('user/get_profile')).status).toBe(401);
  const stopped = await sql`
    select from accounts where account_id = ${ids.accountId} and disabled_at is not null`.execute(other.database.db);
  expect(stopped.rows).toHaveLength(1);
  await admin.call('admin/enable_user', { user_id: owner.userId });
  const back = await other.signIn('leaves');
  expect((await call('venom/connect-account')).body.data).toMatchObject({ status: 'connected' });
  expect((await admin.call<{ users: unknown[] }>('admin/list_users')).body.data.users).toHaveLength(2);
  expect((await back.call('user/delete_account', { password: PASSWORD })).status).toBe(200);
  expect((await call('user/get_profile')).status).toBe(401);
  await until(
    () => countRemainingRows(other.database.db, ids),
    (remains) => !('campaigns' in remains || 'groups' in remains || 'events' in remains || 'lanes' in remains),
  );
  await other.database.clock.advance({ minutes: 11 });
  await until(
    () => countRemainingRows(other.database.db, ids),
    (remains) => Object.keys(remains).length === 0,
  );
  await other.stop();
});
