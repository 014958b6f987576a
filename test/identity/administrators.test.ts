import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PASSWORD, startTestApp, type Person, type TestApp } from '../support/app.ts';
import { until } from '../support/ledger.ts';
import { skipWaiting } from '../support/skip-waiting.ts';

let app: TestApp;
let admin: Person;
let alice: Person;
beforeAll(async () => {
  app = await startTestApp({ sandboxGap: { minMs: 3_600_000, maxMs: 3_600_000 }, sandboxSpeed: 0 });
  admin = await app.signUp('admin');
  alice = await app.signUp('alice');
});
afterAll(() => app.stop());

interface Listed {
  user_id: number;
  user_name: string;
  is_admin: boolean;
  disabled_at: string | null;
  last_sign_in_at: string | null;
}
const list = async (body: object = {}) =>
  (await admin.call<{ users: Listed[]; next_cursor: string | null }>('admin/list_users', body)).body.data;
const signIn = (name: string) => app.call('user/authorize_user', { user_name: name, password: PASSWORD });

test('lists users in pages to administrators, finds them by name or address, and returns their profile', async () => {
  const bob = await app.signUp('bob');
  const first = await list({ limit: 2 });
  expect(first.users.map((user) => user.user_name)).toEqual(['bob', 'alice']);
  const second = await list({ limit: 2, cursor: first.next_cursor });
  expect(second).toMatchObject({ users: [{ user_name: 'admin', is_admin: true }], next_cursor: null });
  expect((await list({ search: 'BO' })).users.map((user) => user.user_id)).toEqual([bob.userId]);
  expect((await list({ search: '%' })).users).toEqual([]);
  expect(first.users[0]?.last_sign_in_at).not.toBeNull();
  const own = (await bob.call<object>('user/get_profile')).body.data;
  expect((await admin.call('admin/get_user', { user_id: bob.userId })).body.data).toEqual({
    ...own,
    disabled_at: null,
    unsent: [
      { workspace_id: expect.any(Number), name: 'bob', queued: 0, due_runs: 0, planned_runs: 0, missed_runs: 0 },
    ],
  });
});

test('answers 404 to other users, as for a user who does not exist', async () => {
  for (const path of ['get_user', 'disable_user', 'enable_user', 'delete_user']) {
    const body = { user_id: admin.userId, password: PASSWORD };
    const answer = await alice.call(`admin/${path}`, body);
    const never = await alice.call(`admin/${path}`, { ...body, user_id: 999_999 });
    expect(answer.status, path).toBe(404);
    expect({ ...answer.body, request_id: '' }, path).toEqual({ ...never.body, request_id: '' });
  }
  expect((await alice.call('admin/list_users')).status).toBe(403);
});

test('rejects tokens, keys and password of a disabled user at once and stops sending, until the user is enabled', async () => {
  const carol = await app.signUp('carol');
  const made = await carol.call<{ key: string }>('user/create_api_key', { name: 'k', scopes: ['read', 'send'] });
  const { key } = made.body.data;
  const listed = await carol.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  const groups = listed.body.data.groups.map((group) => group.group_metadata_id);
  const post = { name: 'News', html: 'Hello', group_metadata_ids: groups };
  const sent = await carol.call<{ campaign_id: string }>('venom/add-campaign', post);
  const { campaign_id } = sent.body.data;
  expect((await admin.call('admin/disable_user', { user_id: carol.userId })).status).toBe(200);
  expect((await admin.call('admin/disable_user', { user_id: carol.userId })).status).toBe(200);
  expect((await carol.call('user/get_profile')).status).toBe(401);
  expect((await app.call('user/get_profile', {}, key)).status).toBe(401);
  const refused = await signIn('carol');
  expect(refused.status).toBe(403);
  expect(refused.body.message).toContain('disabled');
  expect((await app.call('user/authorize_user', { user_name: 'carol', password: 'wrong' })).status).toBe(401);
  expect((await list({ search: 'carol' })).users[0]?.disabled_at).not.toBeNull();

  expect((await admin.call('admin/enable_user', { user_id: carol.userId })).status).toBe(200);
  expect((await carol.call('user/get_profile')).status, 'an old token').toBe(401);
  const again = await app.signIn('carol');
  const progress = async () =>
    (
      await again.call<{ totals: { sent: number; queued: number } }>('analytics/get-campaign-group-analytics-master', {
        campaign_id,
      })
    ).body.data.totals;
  await until(
    async () => {
      await skipWaiting(app.database, again);
      return progress();
    },
    ({ sent }) => sent === groups.length,
  );
  const log = await admin.call<{ entries: Array<{ action: string; subject: string }> }>('user/list_audit_log');
  expect(log.body.data.entries.slice(0, 2)).toMatchObject([
    { action: 'user.enabled', subject: 'carol' },
    { action: 'user.disabled', subject: 'carol' },
  ]);
});

test('deletes a user on the administrator’s password, and rejects disabling or deleting oneself', async () => {
  const dave = await app.signUp('dave');
  const { userId: user_id } = dave;
  const wrong = await admin.call('admin/delete_user', { user_id, password: 'wrong' });
  expect(wrong.body).toMatchObject({ code: 400, details: [{ field: 'password' }] });
  expect((await dave.call('user/get_profile')).status).toBe(200);
  expect((await admin.call('admin/delete_user', { user_id, password: PASSWORD })).status).toBe(200);
  expect((await dave.call('user/get_profile')).status).toBe(401);
  expect((await admin.call('admin/get_user', { user_id })).status).toBe(404);
  for (const path of ['disable_user', 'delete_user'])
    expect((await admin.call(`admin/${path}`, { user_id: admin.userId, password: PASSWORD })).status, path).toBe(409);
});

test('resets the second factors of a user, who then signs in by the password', async () => {
  const frank = await app.signUp('frank');
  const { secret } = (await frank.call<{ secret: string }>('user/add_totp')).body.data;
  await frank.call('user/confirm_totp', { code: new TOTP({ secret: Secret.fromBase32(secret) }).generate() });
  expect((await signIn('frank')).status).toBe(401);
  const body = { user_id: frank.userId };
  expect((await alice.call('admin/reset_factors', body)).status).toBe(404);
  expect((await admin.call('admin/reset_factors', { user_id: admin.userId })).status).toBe(409);
  for (const _ of ['once', 'again']) expect((await admin.call('admin/reset_factors', body)).status).toBe(200);
  expect((await signIn('frank')).status).toBe(200);
  const left = await frank.call('user/list_factors');
  expect(left.body.data).toEqual({ factors: [], recovery_codes_left: 0 });
  const log = await admin.call<{ entries: Array<{ action: string; subject: string }> }>('user/list_audit_log');
  const resets = log.body.data.entries.filter(({ action }) => action === 'user.factors_reset');
  expect(resets).toMatchObject([{ subject: 'frank' }]);
});
