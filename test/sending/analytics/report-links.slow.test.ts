import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { clearOld } from '../../support/clear-old.ts';
import { groupsOf, PASSWORD, useTestApp, type Answer, type Call, type Person } from '../../support/app.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { until } from '../../support/ledger.ts';
import { createTeam, inWorkspace } from '../../support/team.ts';
import { workspaceOf } from '../../support/workspaces.ts';

const MAY = { start_date: '2031-05-01', end_date: '2031-05-31' };

interface Shared {
  report_link_id: number;
  token: string;
  path: string;
  expires_at: string;
}
interface Report {
  time_zone: string;
  campaign: { name: string } | null;
  group_list_name: string | null;
  totals: { sent: number };
  groups: Array<{ group_metadata_id: number }>;
}

let alice: Person;
let groups: number[];
let people = 0;

const app = await useTestApp({ sandboxSpeed: 0 });
beforeEach(async () => {
  await app.database.clock.set('2031-05-20T12:00:00Z');
  await execute(app.database.db)`delete from attempts`;
  alice = await app.signUp(`sharer${++people}`);
  groups = await groupsOf(alice);
});

async function share(body: object = MAY): Promise<Shared> {
  const answer = await alice.call<Shared>('analytics/share-report', body);
  expect(answer.status).toBe(200);
  return answer.body.data;
}

/** Reads the report of a link as a stranger. */
const open = (token: string) =>
  app.call('analytics/get-shared-report', { token }) as Promise<unknown> as Promise<Answer<Report>>;

async function sendNow(group_metadata_ids: number[]): Promise<string> {
  const post = { name: 'Fair', html: 'Hello', group_metadata_ids };
  const { campaign_id } = (await alice.call<{ campaign_id: string }>('venom/add-campaign', post)).body.data;
  await until(
    () => alice.call<{ status: string }>('venom/get-campaign', { campaign_id }),
    ({ body }) => body.data.status.startsWith('completed'),
  );
  return campaign_id;
}

test('shows anyone the report that its owner sees, with later figures, and is kept by no cache and no search engine', async () => {
  await alice.call('user/update_profile', { time_zone: 'Asia/Kolkata' });
  const { token, path, expires_at } = await share();
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(path).toBe(`/shared-report#${token}`);
  expect(expires_at.slice(0, 16)).toBe('2031-06-19T12:00');
  await sendNow(groups);
  await alice.call('user/update_profile', { time_zone: 'UTC' });
  const answer = await open(token);
  expect(answer).toMatchObject({ status: 200, body: { data: { time_zone: 'Asia/Kolkata', totals: { sent: 3 } } } });
  expect(answer.headers.get('cache-control')).toBe('private, no-store');
  expect(answer.headers.get('x-robots-tag')).toBe('noindex, nofollow');
  await alice.call('user/update_profile', { time_zone: 'Asia/Kolkata' });
  expect(answer.body.data).toEqual((await alice.call<Report>('analytics/get-report', MAY)).body.data);
});

test('shows the posts and the name of the workspace, and never the user name that stands for it elsewhere', async () => {
  const { token } = await share();
  await sendNow(groups.slice(0, 1));
  const shared = async () => {
    const answer = await app.call('analytics/get-shared-report', { token, with_runs: true });
    return answer as unknown as Answer<object>;
  };
  const answer = await shared();
  expect(answer.body.data).toMatchObject({ workspace_name: null, runs: [{ campaign: { name: 'Fair' }, sent: 1 }] });
  expect(JSON.stringify(answer.body)).not.toContain(alice.name);
  await alice.call('workspace/rename-workspace', { name: 'Old town' });
  expect((await shared()).body.data).toMatchObject({ workspace_name: 'Old town' });
});

test('stays about the groups that the list had, and about its campaign', async () => {
  const campaign_id = await sendNow(groups);
  const list = { name: 'Villages', group_metadata_ids: groups.slice(0, 1) };
  const { group_list_id } = (await alice.call<{ group_list_id: number }>('venom/save-group-list', list)).body.data;
  const { token } = await share({ ...MAY, group_list_id, campaign_id });
  await alice.call('venom/save-group-list', { ...list, name: 'All', group_metadata_ids: groups, group_list_id });
  await alice.call('venom/delete-group-list', { group_list_id });
  const { body } = await open(token);
  expect(body.data).toMatchObject({ campaign: { name: 'Fair' }, group_list_name: 'Villages', totals: { sent: 1 } });
  expect(body.data.groups.map((group) => group.group_metadata_id)).toEqual(groups.slice(0, 1));
  await alice.call('venom/delete-campaign', { campaign_id });
  expect((await open(token)).status, 'the campaign is deleted').toBe(404);
});

describe('answers one and the same to a token that is', () => {
  /** The answer without what differs in each. */
  const answerTo = async (token: string) => {
    const { status, body, headers } = await open(token);
    const { request_id: _id, ...rest } = body as object as { request_id: string };
    return { status, rest, caching: headers.get('cache-control'), robots: headers.get('x-robots-tag') };
  };
  const unknown = () => answerTo('A'.repeat(43));

  test('unknown or malformed', async () => {
    const answer = await unknown();
    expect(answer).toMatchObject({ status: 404, rest: { error_code: 'report_link_not_found' } });
    expect(answer.caching).toMatch(/no-store/);
    for (const token of ['x', '../../etc/passwd', "' or 1=1", '\u{1f600}'])
      expect(await answerTo(token)).toEqual(answer);
  });

  test('expired', async () => {
    const { token } = await share({ ...MAY, expires_in_days: 1 });
    await app.database.clock.advance({ hours: 23, minutes: 59 });
    expect((await open(token)).status).toBe(200);
    await app.database.clock.advance({ minutes: 1 });
    expect(await answerTo(token)).toEqual(await unknown());
    const list = await alice.call<{ links: Shared[] }>('analytics/list-report-links');
    expect(list.body.data.links).toEqual([]);
  });

  test('revoked', async () => {
    const { token, report_link_id } = await share();
    expect((await alice.call('analytics/revoke-report-link', { report_link_id })).status).toBe(200);
    expect(await answerTo(token)).toEqual(await unknown());
    expect(await alice.call('analytics/revoke-report-link', { report_link_id })).toMatchObject({ status: 404 });
  });

  test('of a user who is disabled or deleted', async () => {
    const { token } = await share();
    await execute(app.database.db)`update users set disabled_at = campanile_now() where user_id = ${alice.userId}`;
    expect(await answerTo(token)).toEqual(await unknown());
    await execute(app.database.db)`update users set disabled_at = null where user_id = ${alice.userId}`;
    expect((await open(token)).status).toBe(200);
    expect((await alice.call('user/delete_account', { password: PASSWORD })).status).toBe(200);
    expect(await answerTo(token)).toEqual(await unknown());
  });
});

test('cannot be revoked or listed by another user, and shows nothing of theirs', async () => {
  const { token, report_link_id } = await share();
  const bob = await app.signUp(`other${people}`);
  expect(await bob.call('analytics/revoke-report-link', { report_link_id })).toMatchObject({ status: 404 });
  expect((await bob.call<{ links: Shared[] }>('analytics/list-report-links')).body.data.links).toEqual([]);
  const campaign_id = await sendNow(groups.slice(0, 1));
  expect(await bob.call('analytics/share-report', { ...MAY, campaign_id })).toMatchObject({ status: 404 });
  expect((await open(token)).status).toBe(200);
  const mine = await alice.call<{ links: Array<Shared & { start_date: string }> }>('analytics/list-report-links');
  expect(mine.body.data.links).toMatchObject([{ report_link_id, start_date: '2031-05-01', campaign: null }]);
  expect(JSON.stringify(mine.body), 'the token is shown once').not.toContain(token);
});

describe('a link of a member who is gone', () => {
  /** A team whose manager has shared a report, in the workspace and with a test key. */
  async function shareAsManager() {
    const team = await createTeam(app, `links${++people}`);
    const { owner, manager } = team.members;
    const asOwner = inWorkspace(app, owner, team.workspaceId);
    const asManager = inWorkspace(app, manager, team.workspaceId);
    const shareIn = async (call: Call) => (await call<Shared>('analytics/share-report', MAY)).body.data;
    const links = [await shareIn(asManager), await shareIn(asManager)];
    const own = await shareIn(asOwner);
    const list = async () =>
      (await asOwner<{ links: Array<Shared & { created_by: object | null }> }>('analytics/list-report-links')).body.data
        .links;
    const statuses = async () => Promise.all([...links, own].map(async ({ token }) => (await open(token)).status));
    const findEntry = async (wanted: string) =>
      (
        await asOwner<{ entries: Array<{ action: string; changes?: object[] }> }>('user/list_audit_log')
      ).body.data.entries.find(({ action }) => action === wanted);
    return { team, owner, manager, asOwner, asManager, list, statuses, findEntry };
  }

  test('names its maker, and is revoked with the membership', async () => {
    const { owner, manager, asOwner, list, statuses, findEntry } = await shareAsManager();
    const [ours, theirs] = [owner, manager].map(({ userId, name }) => ({ user_id: userId, user_name: name, name }));
    expect((await list()).map((link) => link.created_by)).toEqual([ours, theirs, theirs]);
    expect(await statuses()).toEqual([200, 200, 200]);
    expect((await asOwner('workspace/remove-member', { user_id: manager.userId })).status).toBe(200);
    expect(await statuses()).toEqual([404, 404, 200]);
    expect((await list()).map((link) => link.created_by)).toEqual([ours]);
    expect(await findEntry('member.removed')).toMatchObject({
      changes: [{ field: 'report_links', before: '2', after: '0' }],
    });
  });

  test('is not made at the same moment as its maker is removed', async () => {
    const { manager, asOwner, asManager, list } = await shareAsManager();
    const share = () => asManager<Shared>('analytics/share-report', MAY);
    const [removed, ...made] = await Promise.all([
      asOwner('workspace/remove-member', { user_id: manager.userId }),
      ...Array.from({ length: 6 }, share),
    ]);
    expect(removed.status).toBe(200);
    const tokens = made.flatMap(({ status, body }) => (status === 200 ? [body.data.token] : []));
    expect(await Promise.all(tokens.map(async (token) => (await open(token)).status))).toEqual(tokens.map(() => 404));
    expect((await list()).map((link) => link.created_by)).toHaveLength(1);
  });

  test('holds on where the owner chooses so, and still names its maker', async () => {
    const { manager, asOwner, list, statuses, findEntry } = await shareAsManager();
    await asOwner('workspace/remove-member', { user_id: manager.userId, keep_report_links: true });
    expect(await statuses()).toEqual([200, 200, 200]);
    expect((await list()).at(-1)?.created_by).toEqual({
      user_id: manager.userId,
      user_name: manager.name,
      name: manager.name,
    });
    expect(await findEntry('member.removed')).toMatchObject({
      changes: [{ field: 'report_links_kept', before: null, after: '2' }],
    });
  });

  test('is revoked when they leave or delete their account, and rests while they are disabled', async () => {
    const { manager, asManager, statuses, findEntry } = await shareAsManager();
    await execute(app.database.db)`update users set disabled_at = campanile_now() where user_id = ${manager.userId}`;
    expect(await statuses()).toEqual([404, 404, 200]);
    await execute(app.database.db)`update users set disabled_at = null where user_id = ${manager.userId}`;
    expect(await statuses()).toEqual([200, 200, 200]);
    expect((await asManager('workspace/leave-workspace')).status).toBe(200);
    expect(await statuses()).toEqual([404, 404, 200]);
    expect(await findEntry('member.left')).toMatchObject({
      changes: [{ field: 'report_links', before: '2', after: '0' }],
    });
    const other = await shareAsManager();
    expect((await other.manager.call('user/delete_account', { password: PASSWORD })).status).toBe(200);
    expect(await other.statuses()).toEqual([404, 404, 200]);
  });

  test('of a test workspace goes, too', async () => {
    const { owner, manager, asOwner, asManager } = await shareAsManager();
    await asOwner('workspace/hand-over-workspace', { user_id: manager.userId });
    const wanted = { name: 'test', scopes: ['admin'], is_test: true };
    const { key } = (await asManager<{ key: string }>('user/create_api_key', wanted)).body.data;
    const made = await app.call('analytics/share-report', MAY, key);
    const { token } = (made as unknown as Answer<Shared>).body.data;
    await asManager('workspace/hand-over-workspace', { user_id: owner.userId });
    expect((await open(token)).status).toBe(200);
    expect((await asOwner('workspace/remove-member', { user_id: manager.userId })).status).toBe(200);
    expect((await open(token)).status).toBe(404);
  });
});

test('stores no token, and removes expired links', async () => {
  const { db } = app.database;
  const { token } = await share({ ...MAY, expires_in_days: 1 });
  const rows = async () => await readRows(db)`select * from report_links where workspace_id = ${workspaceOf(alice)}`;
  expect(JSON.stringify(await rows())).not.toContain(token);
  await clearOld({ db, log: createLog('fatal') }, 'report_links');
  expect(await rows()).toHaveLength(1);
  await app.database.clock.advance({ days: 1 });
  await clearOld({ db, log: createLog('fatal') }, 'report_links');
  expect(await rows()).toHaveLength(0);
});

test('is one of 50 at most, and holds for 90 days at most', async () => {
  for (let link = 0; link < 50; link++) await share();
  expect(await alice.call('analytics/share-report', MAY)).toMatchObject({
    status: 409,
    body: { error_code: 'report_link_limit_reached' },
  });
  for (const expires_in_days of [0, 91, 1.5])
    expect(await alice.call('analytics/share-report', { ...MAY, expires_in_days })).toMatchObject({ status: 400 });
});

test('can be read 60 times a minute', async () => {
  const { token } = await share();
  const statuses: number[] = [];
  // All within a few seconds of the clock: on a slow machine they take more than the minute. Few at once, so that none waits for too long.
  const startOver = () => app.database.clock.set('2031-05-20T12:00:00Z');
  for (let read = 0; read < 60; read += 4) {
    await startOver();
    statuses.push(...(await Promise.all(Array.from({ length: 4 }, async () => (await open(token)).status))));
  }
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  await startOver();
  expect((await open(token)).status).toBe(429);
  await app.database.clock.advance({ minutes: 2 });
  expect((await open(token)).status).toBe(200);
});

test('needs a key with the scope admin to be created', async () => {
  const { body } = await alice.call<{ key: string }>('user/create_api_key', {
    name: 'reader',
    scopes: ['read', 'send'],
  });
  const answer = await app.call('analytics/share-report', MAY, body.data.key);
  expect(answer).toMatchObject({ status: 403, body: { error_code: 'scope_missing' } });
});
