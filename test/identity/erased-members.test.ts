/** A deleted member leaves the history of workspaces of others, and nowhere a name, an address or a number. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PASSWORD, startTestApp, type Call, type Person, type TestApp } from '../support/app.ts';
import { until } from '../support/ledger.ts';
import { callIn, defaultWorkspace, inWorkspace, join } from '../support/team.ts';

const ERIKA = {
  first_name: 'Erikamaria',
  last_name: 'Zauberhut',
  user_name: 'erika-z_x',
  email: 'erika-z@secret.example',
  phone_number: '+49 1577 0001234',
  whatsapp_number: '+49 1577 0005678',
  password: PASSWORD,
};
/** As they could be written anywhere, in lower case. */
const TRACES = ['erikamaria', 'zauberhut', 'erika-z', 'secret.example', '1577 000', '1577000'];

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ signUp: 'open' });
});
afterAll(() => app.stop());

interface Entry {
  action: string;
  user_id: number;
  user_name?: string;
}

/** Stands for the phones of members, which keep what was posted. */
const PHONES = 'sandbox_messages';

/** Returns the tables in which a text is found, with a row of each. */
async function findTraces(): Promise<string[]> {
  const { db } = app.database;
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(
    db,
  );
  const patterns = TRACES.map((trace) => `%${trace}%`);
  const found: string[] = [];
  for (const { name } of tables.filter((table) => table.name !== PHONES)) {
    const { rows } = await sql<{ row: string }>`
      select to_jsonb(t)::text as row from ${sql.table(name)} t where lower(to_jsonb(t)::text) like any(${patterns}::text[])`.execute(
      db,
    );
    found.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  return found;
}

async function ok<Data>(call: Call, path: string, body: object): Promise<Data> {
  const answer = await call<Data>(path, body);
  expect(answer.status, `${path} ${JSON.stringify(answer.body)}`).toBe(200);
  return answer.body.data;
}

async function signUpErika(admin: Person): Promise<Person> {
  await ok(admin.call, 'user/invite', { email: ERIKA.email });
  await app.call('user/create_user', ERIKA);
  return app.signIn(ERIKA.user_name);
}

/** What a manager does in a workspace of others. Returns the id of a campaign. */
async function work(call: Call): Promise<string> {
  const { groups } = await ok<{ groups: Array<{ group_metadata_id: number }> }>(call, 'venom/list-groups', {});
  const group_metadata_ids = groups.slice(0, 1).map((group) => group.group_metadata_id);
  await ok(call, 'venom/save-group-list', { name: 'Clubs', group_metadata_ids });
  await ok(call, 'analytics/share-report', { start_date: '2026-01-01', end_date: '2026-12-31' });
  const post = { name: 'Fair', html: 'We open at nine', group_metadata_ids };
  const { campaign_id } = await ok<{ campaign_id: string }>(call, 'venom/add-campaign', post);
  return campaign_id;
}

/** The person asks for an approval in a review group, and is listed there by their number. */
async function askForApproval(owner: Call, { call, userId }: { call: Call; userId: number }): Promise<void> {
  const { groups } = await ok<{ groups: Array<{ group_metadata_id: number }> }>(owner, 'venom/list-groups', {});
  const [group] = groups;
  await ok(owner, 'workspace/set-approval-rules', {
    approval: 'authors',
    review_group_id: group?.group_metadata_id,
    phone_approvers: [{ user_id: userId, whatsapp_number: ERIKA.whatsapp_number }],
  });
  const post = { name: 'Asked', html: 'We open at nine', group_metadata_ids: [group?.group_metadata_id] };
  await ok(call, 'venom/request-approval', { approval_id: randomUUID(), is_schedule: false, ...post });
}

test('nothing of the person is left, and everything of the workspaces', async () => {
  const admin = await app.signUp('admin');
  const erika = await signUpErika(admin);
  const team = await defaultWorkspace(admin);
  await ok(admin.call, 'workspace/invite-member', { role: 'author', email: ERIKA.email });
  await join(app, { owner: admin, workspaceId: team, role: 'manager' }, erika);
  const campaign_id = await work(inWorkspace(app, erika, team));
  await askForApproval(inWorkspace(app, admin, team), { call: inWorkspace(app, erika, team), userId: erika.userId });
  // A workspace that was hers, with her name, her number and her sign-ins in its log.
  const hers = await defaultWorkspace(erika);
  await ok(erika.call, 'user/update_profile', { first_name: ERIKA.first_name, whatsapp_number: '+49 1577 0009999' });
  await ok(erika.call, 'user/update_profile', { whatsapp_number: ERIKA.whatsapp_number });
  const heir = await app.signUp('heir');
  await join(app, { owner: erika, workspaceId: hers, role: 'manager' }, heir);
  await ok(erika.call, 'user/create_api_key', { name: 'Site', scopes: ['read'] });
  await work(inWorkspace(app, erika, hers));
  await askForApproval(erika.call, { call: erika.call, userId: erika.userId });
  await ok(inWorkspace(app, erika, hers), 'workspace/hand-over-workspace', { user_id: heir.userId });
  const { user_id } = { user_id: erika.userId };
  for (const path of ['admin/disable_user', 'admin/enable_user', 'admin/reset_factors'])
    await ok(admin.call, path, { user_id });
  expect((await findTraces()).length).toBeGreaterThan(5);

  await ok(admin.call, 'admin/delete_user', { user_id, password: PASSWORD });
  await until(
    async () =>
      (await sql`select from users where user_id = ${user_id} and erased_at is not null`.execute(app.database.db)).rows,
    (rows) => rows.length > 0,
  );
  expect(await findTraces()).toEqual([]);

  const inTeam = inWorkspace(app, admin, team);
  const { entries } = await ok<{ entries: Entry[] }>(inTeam, 'user/list_audit_log', { user_id });
  expect(entries.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['campaign.accepted', 'report.shared', 'group_list.saved', 'member.joined']),
  );
  expect(entries.filter((entry) => entry.user_name !== undefined)).toEqual([]);
  const inHers = inWorkspace(app, heir, hers);
  expect((await ok<{ entries: Entry[] }>(inHers, 'user/list_audit_log', { user_id })).entries.length).toBeGreaterThan(
    5,
  );
  await ok(inTeam, 'venom/get-campaign', { campaign_id });
  await ok(inTeam, 'analytics/get-campaign-group-analytics-master', { campaign_id });
  for (const call of [inTeam, inHers]) {
    const { campaigns } = await ok<{ campaigns: unknown[] }>(call, 'venom/list-campaigns', {});
    expect(campaigns).toHaveLength(1);
    const { links } = await ok<{ links: unknown[] }>(call, 'analytics/list-report-links', {});
    // The person has the links still, so they end with the person.
    expect(links).toEqual([]);
    const { group_lists } = await ok<{ group_lists: unknown[] }>(call, 'venom/list-group-lists', {});
    expect(group_lists).toHaveLength(1);
  }
  for (const [path, body] of [
    ['analytics/export-campaign', { campaign_id, format: 'csv' }],
    ['user/export_audit_log', { format: 'csv' }],
  ] as const) {
    const answer = await fetch(`${app.url}/api/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${admin.token}`, 'x-workspace': team },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(200);
    const text = (await answer.text()).toLowerCase();
    expect(TRACES.filter((trace) => text.includes(trace))).toEqual([]);
  }
  const members = await callIn(app, admin, team, 'workspace/list-members');
  expect(members.status).toBe(200);
});
