/** Notices, once each: in the dashboard, by push and by e-mail. */
import { execute, readValue, sql } from '../../../src/platform/database/statements.ts';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { readAllowedHosts } from '../../../src/platform/network/allowed-hosts.ts';
import { makeNotices, NOTICES_LIMIT } from '../../../src/notifications/notices/make-notices.ts';
import { notifyOldBackup } from '../../../src/notifications/notices/notify-old-backup.ts';
import { clearOld } from '../../support/clear-old.ts';
import { startTestApp, type Person } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';
import { startMailServer } from '../../support/servers/mail-server.ts';
import { startPushService, type PushService } from '../../support/servers/push-service.ts';

let pushes: PushService;
let alice: Person;
let people = 0;

const allowed = readAllowedHosts(['127.0.0.0/8']);
if (!allowed) throw new Error('no such hosts');
const mails = await startMailServer();
const app = await startTestApp({
  egress: { allowHttp: true, allowed, proxy: {} },
  smtpUrl: mails.url,
  mailFrom: 'campanile@example.com',
  publicUrl: 'https://campanile.example.com',
  signUp: 'open',
});
afterAll(async () => {
  await app.stop();
  await mails.close();
});
beforeEach(async () => {
  pushes = await startPushService();
  alice = await app.signUp(`alice${++people}`);
});
afterEach(async () => {
  await execute(app.database.db)`delete from push_subscriptions`;
  await pushes.close();
});

interface Listed {
  unread_count: number;
  notices: Array<{ place: number; kind: string; is_read: boolean; campaign: { name: string } | null }>;
  next_cursor: string | null;
}

const list = async (who = alice, body: object = {}) => (await who.call<Listed>('user/list_notices', body)).body.data;
const listed = (count: number, who = alice) =>
  until(
    () => list(who),
    ({ notices }) => notices.length === count,
  );
const choose = (...kinds: object[]) => alice.call('user/update_notice_settings', { kinds });
const subscribe = async () => {
  const subscription = pushes.subscribe();
  expect((await alice.call('user/subscribe_push', subscription)).status).toBe(200);
  return subscription;
};
const pushed = (count: number) =>
  until(
    () => pushes.pushed,
    (all) => all.length === count,
  );

/** Inserts events of the user's workspace. */
async function happen(type: string, ...names: string[]): Promise<void> {
  await happenWith({}, type, ...names);
}

async function happenWith(data: object, type: string, ...names: string[]): Promise<void> {
  await execute(app.database.db)`
    insert into events (workspace_id, type, data)
    select workspace_id, ${type}, jsonb_build_object('campaign_id', gen_random_uuid(), 'name', name) || ${JSON.stringify(data)}::jsonb
    from memberships, unnest(${names}::text[]) name where user_id = ${alice.userId}`;
}

test('lists a notice for an ended campaign once to its owner, and marks it as read on request', async () => {
  const groups = await alice.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  const group_metadata_ids = [groups.body.data.groups[0]?.group_metadata_id];
  const { body } = await alice.call<{ campaign_id: string }>('venom/add-campaign', {
    name: 'News',
    html: 'Hello',
    group_metadata_ids,
  });
  const { campaign_id } = body.data;
  expect(await listed(1)).toMatchObject({
    unread_count: 1,
    notices: [
      { kind: 'campaign_done', is_read: false, campaign: { campaign_id, name: 'News' }, due_at: null, url: null },
    ],
  });
  // Reading the events again, as after a crash, creates no second notice.
  await execute(app.database.db)`update notice_reader set position = 0`;
  await happenWith({ status: 'completed_with_errors' }, 'run.completed', 'Other');
  const { notices } = await listed(2);
  const stranger = await app.signUp(`bob${people}`);
  expect(await list(stranger)).toEqual({ unread_count: 0, notices: [], next_cursor: null });
  await stranger.call('user/read_notices', { up_to: notices[0]?.place });
  expect((await list()).unread_count).toBe(2);
  const read = await alice.call('user/read_notices', { up_to: notices[1]?.place });
  expect(read.body.data).toEqual({ unread_count: 1 });
  const page = await list(alice, { limit: 1 });
  expect(page.notices).toMatchObject([{ kind: 'campaign_failed', is_read: false }]);
  expect((await list(alice, { limit: 1, cursor: page.next_cursor })).notices).toMatchObject([{ is_read: true }]);
});

test('lists a pause of the service, and none of a user', async () => {
  const { body } = await alice.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  const added = await alice.call('venom/add-campaign-batch', {
    name: 'News',
    html: 'Hello',
    group_metadata_ids: [body.data.groups[0]?.group_metadata_id],
    is_schedule: true,
    start_date: '2099-01-01',
    end_date: '2099-01-02',
    schedule_time: '09:00:00',
  });
  const campaign_id = added.headers.get('x-campaign-id');
  await alice.call('venom/pause-campaign', { campaign_id });
  await alice.call('venom/resume-campaign', { campaign_id });
  await execute(app.database.db)`
    update campaigns set status = 'paused', pause_reason = 'only admins' where public_id = ${campaign_id}::uuid`;
  expect(await listed(1)).toMatchObject({
    notices: [{ kind: 'campaign_paused', campaign: { campaign_id, name: 'News' } }],
  });
  expect((await list()).unread_count).toBe(1);
});

test('lists each run that ended with failures, while its campaign goes on', async () => {
  const { body } = await alice.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  const added = await alice.call('venom/add-campaign-batch', {
    name: 'News',
    html: 'Hello',
    group_metadata_ids: [body.data.groups[0]?.group_metadata_id],
    is_schedule: true,
    start_date: '2099-01-01',
    end_date: '2099-01-03',
    schedule_time: '09:00:00',
  });
  const campaign_id = added.headers.get('x-campaign-id');
  const end = (status: string, dueOn: string) =>
    execute(app.database.db)`update runs r set status = ${status}::run_status from campaigns c
        where c.public_id = ${campaign_id}::uuid and c.campaign_id = r.campaign_id and r.due_at::date = ${dueOn}::date`;
  await end('completed', '2099-01-01');
  await end('completed_with_errors', '2099-01-02');
  expect(await listed(1)).toMatchObject({
    notices: [{ kind: 'campaign_failed', campaign: { campaign_id, name: 'News' }, due_at: '2099-01-02T09:00:00.000Z' }],
  });
  expect((await list()).unread_count).toBe(1);
});

test('hides kinds that are turned off, and saves each channel separately', async () => {
  await happen('campaign.completed', 'One');
  await happen('campaign.late', 'Two');
  await listed(2);
  const { body } = await choose({ kind: 'campaign_done', bell: false });
  expect(body.data).toMatchObject({
    has_mail: true,
    kinds: expect.arrayContaining([
      { kind: 'campaign_done', bell: false, browser: true, email: false },
      { kind: 'account_unlinked', bell: true, browser: true, email: true },
    ]),
  });
  expect(await list()).toMatchObject({ unread_count: 1, notices: [{ kind: 'campaign_late' }] });
  expect((await alice.call('user/get_notice_settings')).body.data).toEqual(body.data);
});

test('keeps the newest thousand notices of a user, for at most 90 days', async () => {
  await happen('campaign.completed', ...Array.from({ length: NOTICES_LIMIT + 30 }, (_, index) => `${index}`));
  const first = await until(
    () => list(),
    ({ notices }) => notices[0]?.campaign?.name === `${NOTICES_LIMIT + 29}`,
  );
  expect(first.unread_count).toBe(NOTICES_LIMIT);
  await execute(app.database.db)`
    update notices set at = at - interval '91 days' where user_id = ${alice.userId} and notice_id < ${first.notices[4]?.place ?? 0}`;
  await clearOld(app.database, 'notices');
  expect((await list()).unread_count).toBe(5);
});

test('notifies only administrators of an old backup, once a day', async () => {
  const { db, clock } = app.database;
  const admin = await app.signUp(`admin${people}`);
  await execute(db)`update users set is_admin = user_id = ${admin.userId}`;
  await notifyOldBackup(db, new Date());
  await notifyOldBackup(db, undefined);
  await notifyOldBackup(db, undefined);
  await listed(1, admin);
  expect((await list(admin)).notices).toMatchObject([{ kind: 'backup_old' }]);
  await clock.advance({ days: 1, minutes: 1 });
  await notifyOldBackup(db, undefined);
  await listed(2, admin);
  expect((await list()).notices).toEqual([]);
});

test('encrypts a push message for its browser, and signs it with the VAPID key of the subscription', async () => {
  const { endpoint } = await subscribe();
  await happen('campaign.completed', 'x'.repeat(5_000));
  const [told] = await pushed(1);
  expect(told).toMatchObject({
    endpoint,
    headers: { ttl: '86400', topic: 'campaign_done', 'content-encoding': 'aes128gcm' },
    claims: { aud: new URL(endpoint).origin, sub: 'https://campanile.example.com' },
    said: {
      kind: 'campaign_done',
      text: `${'x'.repeat(99)}… has ended: all posts were sent.`,
      page: expect.stringMatching(/^\/campaigns\/.{36}\?workspace=\d+$/),
    },
  });
  const settings = await alice.call<{ push_public_key: string }>('user/get_notice_settings');
  expect(told?.publicKey).toBe(settings.body.data.push_public_key);
});

test('aggregates push messages of a kind within a minute', async () => {
  await subscribe();
  await happen('campaign.completed', 'One');
  await pushed(1);
  await happen('campaign.completed', 'Two', 'Three', 'Four');
  await happen('campaign.late', 'Five');
  await pushed(2);
  expect(pushes.pushed[1]?.said).toMatchObject({ kind: 'campaign_late', text: 'Five did not begin on time.' });
  await listed(5);
  await app.database.clock.advance({ seconds: 61 });
  await pushed(3);
  expect(pushes.pushed[2]?.said).toEqual({
    kind: 'campaign_done',
    text: '3 campaigns have ended: all posts were sent.',
    page: expect.stringMatching(/^\/\?workspace=\d+$/),
  });
  await choose({ kind: 'campaign_done', browser: false });
  await happen('campaign.completed', 'Six');
  await app.database.clock.advance({ seconds: 61 });
  await happen('campaign.missed', 'Seven');
  await pushed(4);
  expect(pushes.pushed[3]?.said.text).toMatch(/^Seven could not begin in time/);
});

test('retries an unavailable push service later, and deletes a subscription that is gone', async () => {
  const count = () => readValue<number>(app.database.db)`select count(*)::int as count from push_subscriptions`;
  await subscribe();
  pushes.answer(503, { 'retry-after': '600' });
  await happen('campaign.completed', 'One');
  await until(pushes.asked, (asked) => asked === 1);
  const waits = () =>
    sql<{ seconds: number }>`
      select extract(epoch from due_at - campanile_now())::float8 as seconds from notice_turns
      where user_id = ${alice.userId} and subscription_id is not null`.execute(app.database.db);
  await until(waits, ({ rows }) => (rows[0]?.seconds ?? 0) > 500);
  pushes.answer(201);
  await app.database.clock.advance({ minutes: 11 });
  expect((await pushed(1))[0]?.said.text).toMatch(/^One has ended/);
  pushes.answer(410);
  await happen('campaign.late', 'Two');
  await until(count, (left) => left === 0);
});

test('deletes a subscription that fails for a day', async () => {
  await subscribe();
  pushes.answer(500);
  await happen('campaign.completed', 'One');
  await until(pushes.asked, (asked) => asked === 1);
  const read = () =>
    sql<{ failing: boolean }>`select failing_since is not null as failing from push_subscriptions`.execute(
      app.database.db,
    );
  await until(read, ({ rows }) => rows[0]?.failing === true);
  await app.database.clock.advance({ days: 1, minutes: 1 });
  await happen('campaign.late', 'Two');
  const { rows } = await until(read, (left) => left.rows.length === 0);
  expect(rows).toEqual([]);
});

test('accepts five browsers of a user, one user for a browser, and only valid endpoints and keys', async () => {
  const first = await subscribe();
  for (let more = 0; more < 5; more++) await subscribe();
  const owned = () =>
    sql<{ endpoint: string; user: number }>`select endpoint, user_id as user from push_subscriptions`.execute(
      app.database.db,
    );
  const { rows } = await owned();
  expect(rows).toHaveLength(5);
  expect(rows.map(({ endpoint }) => endpoint)).not.toContain(first.endpoint);
  const shared = pushes.subscribe();
  await alice.call('user/subscribe_push', shared);
  const bob = await app.signUp(`bob${people}`);
  await bob.call('user/subscribe_push', shared);
  await alice.call('user/unsubscribe_push', { endpoint: shared.endpoint });
  expect((await owned()).rows.filter(({ user }) => user === bob.userId)).toHaveLength(1);
  await bob.call('user/unsubscribe_push', { endpoint: shared.endpoint });
  expect((await owned()).rows.filter(({ user }) => user === bob.userId)).toEqual([]);
  const wrong = await alice.call('user/subscribe_push', { ...shared, endpoint: 'ftp://push.example.com/' });
  expect(wrong.body.details).toMatchObject([{ field: 'endpoint', issue: 'must begin with https:// or http://' }]);
  const pointless = await alice.call('user/subscribe_push', { ...shared, p256dh: 'B'.repeat(87) });
  expect(pointless.body.details).toMatchObject([{ field: 'p256dh', issue: 'must be a public key of P-256' }]);
});

test('mails a notice to a confirmed address on request, with a link to turn it off', async () => {
  const to = `${alice.name}@example.com`;
  const mine = () => mails.mails.filter((mail) => mail.to === to && !/Confirm/.test(mail.subject));
  await choose({ kind: 'campaign_done', email: true });
  await happen('campaign.completed', 'Unseen');
  await listed(1);
  await execute(app.database.db)`update users set email_verified_at = campanile_now() where user_id = ${alice.userId}`;
  await happen('campaign.completed', 'News\nof today');
  const [first] = await until(mine, (all) => all.length === 1);
  expect(first?.text).toMatch(/News of today has ended: all posts were sent\./);
  expect(first?.text).toMatch(/https:\/\/campanile\.example\.com\/campaigns\/[0-9a-f-]{36}\?workspace=\d+\s/);
  expect(first?.text).toContain(
    'To change that, open Settings, Notices: https://campanile.example.com/settings#notices',
  );
  await happen('campaign.completed', 'Two', 'Three');
  await listed(4);
  await app.database.clock.advance({ seconds: 61 });
  await until(mine, (all) => all.length === 2);
  expect(mine()[1]?.subject).toBe('2 campaigns have ended: all posts were sent.');
});

test('a notice is in the language and the time zone of its reader, in a browser and by mail', async () => {
  const to = `${alice.name}@example.com`;
  await alice.call('user/update_profile', { language: 'de', time_zone: 'Asia/Kolkata' });
  await execute(app.database.db)`update users set email_verified_at = campanile_now() where user_id = ${alice.userId}`;
  await subscribe();
  await execute(app.database.db)`
    insert into events (workspace_id, type, data)
    select workspace_id, 'campaign.missed', '{"name": "Fest", "due_at": "2030-01-01T09:00:00.000Z"}'::jsonb
    from memberships where user_id = ${alice.userId}`;
  const text =
    'Fest konnte nicht rechtzeitig beginnen; zu diesem Termin wurde nichts gesendet. Der Termin war am 01.01.2030, 14:30:00 GMT+5:30.';
  expect((await pushed(1))[0]?.said.text).toBe(text);
  const [mail] = await until(
    () => mails.mails.filter((one) => one.to === to && one.subject.startsWith('Fest')),
    (all) => all.length === 1,
  );
  expect(mail?.subject).toBe(text);
  expect(mail?.text).toContain('Sie erhalten diese E-Mail');
});

test('creates each notice once when several processes run at once', async () => {
  const { db } = app.database;
  await happen('campaign.completed', ...Array.from({ length: 40 }, (_, index) => `${index}`));
  await Promise.all(Array.from({ length: 4 }, () => makeNotices({ db }, { hasMail: false })));
  expect((await listed(30)).unread_count).toBe(40);
});
