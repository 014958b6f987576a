import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clearOld } from '../support/clear-old.ts';
import { PASSWORD, startTestApp, type Person, type TestApp } from '../support/app.ts';
import { until } from '../support/ledger.ts';

interface Entry {
  at: string;
  action: string;
  subject: string;
  campaign_name?: string;
  address: string;
  api_key_id?: number;
}
interface Page {
  entries: Entry[];
  next_cursor: string | null;
}

let app: TestApp;
let alice: Person;
let bob: Person;
let mallory: Person;

beforeAll(async () => {
  app = await startTestApp();
  [alice, bob, mallory] = [await app.signUp('alice'), await app.signUp('bob'), await app.signUp('mallory')];
});
afterAll(() => app.stop());

const page = async (person: Person, body: object = {}) =>
  (await person.call<Page>('user/list_audit_log', body)).body.data;
const actions = async (person: Person) => (await page(person)).entries.map((entry) => entry.action);

test('lists the actions of a user, newest first, to that user only', async () => {
  expect(await actions(bob)).toEqual(['user.signed_in', 'user.signed_up']);
  await bob.call('user/update_profile', { first_name: 'Bobby' });
  await bob.call('user/update_profile', {});
  const { body } = await bob.call<{ api_key_id: number; key: string }>('user/create_api_key', {
    name: 'Newsroom',
    scopes: ['read', 'send'],
  });
  const { api_key_id, key } = body.data;
  const group = await app.call('venom/create-group', { group_name: 'Chess', participants: [] }, key);
  await bob.call('venom/create-community', { community_name: 'Village' });
  await bob.call('venom/create-channel', { name: 'News' });
  const schedule = {
    name: 'Fair',
    html: 'Hello',
    is_schedule: true,
    start_date: '2999-01-01',
    end_date: '2999-01-02',
    schedule_time: '09:00:00',
    group_metadata_ids: [(group.body.data as unknown as { group_metadata_id: number }).group_metadata_id],
  };
  const campaign_id = (await app.call('venom/add-campaign-batch', schedule, key)).headers.get('x-campaign-id');
  await app.call('venom/pause-campaign', { campaign_id }, key);
  for (const verb of ['resume', 'cancel']) await bob.call(`venom/${verb}-campaign`, { campaign_id });
  await bob.call('user/revoke_api_key', { api_key_id });
  await bob.call('user/change_password', { current_password: PASSWORD, new_password: PASSWORD });

  const { entries, next_cursor } = await page(bob);
  expect(next_cursor).toBeNull();
  expect(entries.map((entry) => [entry.action, entry.subject, entry.api_key_id])).toEqual([
    ['user.password_changed', 'bob', undefined],
    ['api_key.revoked', 'Newsroom', undefined],
    ['campaign.cancelled', campaign_id, undefined],
    ['campaign.resumed', campaign_id, undefined],
    ['campaign.paused', campaign_id, api_key_id],
    ['campaign.accepted', campaign_id, api_key_id],
    ['channel.created', 'News', undefined],
    ['community.created', 'Village', undefined],
    ['group.created', 'Chess', api_key_id],
    ['api_key.created', 'Newsroom', undefined],
    ['user.profile_changed', 'bob', undefined],
    ['user.signed_in', 'bob', undefined],
    ['user.signed_up', 'bob', undefined],
  ]);
  expect(entries.map((entry) => entry.campaign_name)).toEqual(
    entries.map(({ action }) => (action.startsWith('campaign.') ? 'Fair' : undefined)),
  );
  for (const { at, address } of entries) {
    expect(new Date(at).toISOString()).toBe(at);
    expect(address).toBe('127.0.0.1');
  }
  expect(await actions(mallory)).toEqual(['user.signed_in', 'user.signed_up']);
});

test('records a failed sign-in for the targeted user, and none for an unknown name', async () => {
  await app.call('user/authorize_user', { user_name: 'ALICE@example.com', password: 'guessed' });
  await app.call('user/authorize_user', { user_name: 'nobody', password: 'guessed' });
  await until(
    () => actions(alice),
    ([newest]) => newest === 'user.sign_in_failed',
  );
  const { rows } = await sql`select from audit_log where action = 'user.sign_in_failed'`.execute(app.database.db);
  expect(rows).toHaveLength(1);
});

test('records no rejected request', async () => {
  const before = await actions(mallory);
  const campaign = { name: 'x', html: 'x', group_metadata_ids: [1] };
  expect((await mallory.call('venom/add-campaign', campaign)).status).toBe(404);
  expect((await mallory.call('user/revoke_api_key', { api_key_id: 1 })).status).toBe(404);
  const passwords = { current_password: 'wrong', new_password: 'a new password' };
  expect((await mallory.call('user/change_password', passwords)).status).toBe(400);
  expect(await actions(mallory)).toEqual(before);
});

test('continues a page at its cursor while entries are added, and returns nothing for another user’s cursor', async () => {
  for (let index = 0; index < 5; index++) await mallory.call('user/update_profile', { first_name: `M${index}` });
  const all = (await page(mallory)).entries;
  const first = await page(mallory, { limit: 3 });
  await mallory.call('user/update_profile', { first_name: 'later' });
  const second = await page(mallory, { limit: 200, cursor: first.next_cursor });
  expect([...first.entries, ...second.entries]).toEqual(all);
  expect(second.next_cursor).toBeNull();
  const foreign = await page(alice, { cursor: first.next_cursor });
  expect(foreign.entries).toEqual([]);
  for (const body of [{ limit: 201 }, { limit: 0 }, { cursor: 'x' }])
    expect((await mallory.call('user/list_audit_log', body)).status).toBe(400);
});

test('records the revocation of tokens, and keeps entries for a year', async () => {
  await alice.call('user/revoke_tokens');
  const answer = await app.call('user/authorize_user', { user_name: 'alice', password: PASSWORD });
  const { token } = answer.body.data as unknown as { token: string };
  const kept = async () =>
    ((await app.call('user/list_audit_log', {}, token)).body.data as unknown as Page).entries.map(
      (entry) => entry.action,
    );
  expect((await kept()).slice(0, 2)).toEqual(['user.signed_in', 'user.tokens_revoked']);
  const { db, clock } = app.database;
  await clock.advance({ days: 364 });
  await clearOld({ db }, 'audit_log');
  expect(await kept()).toContain('user.signed_up');
  await clock.advance({ days: 3 });
  await app.call('user/update_profile', { first_name: 'A' }, token);
  await clearOld({ db }, 'audit_log');
  expect(await kept()).toEqual(['user.profile_changed']);
});
