/** The audit log of a workspace: what its members changed, filters, and the export. */
import { randomUUID } from 'node:crypto';
import { parse as parseContentDisposition } from 'content-disposition';
import { parse } from 'csv-parse/sync';
import { execute, readCount, type Connection } from '../../../src/platform/database/statements.ts';
import { describe, expect, test } from 'vitest';
import type { WorkspaceId } from '../../../src/platform/database/schema.ts';
import { listAuditLog, SCAN_LIMIT, type AuditPage } from '../../../src/workspaces/audit/list-audit-log.ts';
import { useTestApp, type Call } from '../../support/app.ts';
import { createTeam, inWorkspace } from '../../support/team.ts';

interface Change {
  field: string;
  before: string | null;
  after: string | null;
}
interface Entry {
  action: string;
  subject: string;
  user_id: number;
  user_name?: string;
  draft_name?: string;
  changes?: Change[];
}

const app = await useTestApp();
const team = await createTeam(app, 'parish');
const as = (role: 'owner' | 'manager' | 'author') => inWorkspace(app, team.members[role], team.workspaceId);
const [owner, manager, author] = [as('owner'), as('manager'), as('author')];
const { body } = await owner<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
const groupIds = body.data.groups.slice(0, 3).map((group) => group.group_metadata_id);

const log = async (filter: object = {}) =>
  (await owner<{ entries: Entry[] }>('user/list_audit_log', { limit: 200, ...filter })).body.data.entries;
const newest = async () => (await log({ limit: 1 }))[0];

async function ok(call: Call, path: string, body: object): Promise<void> {
  const answer = await call(path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
}

const CAMPAIGN = {
  name: 'Fair',
  html: 'We open at nine',
  is_schedule: true,
  start_date: '2999-01-01',
  end_date: '2999-01-05',
  schedule_time: '09:00:00',
};

async function schedule(): Promise<string | null> {
  const answer = await manager('venom/add-campaign-batch', { ...CAMPAIGN, group_metadata_ids: groupIds.slice(0, 2) });
  return answer.headers.get('x-campaign-id');
}

describe('records the differences of', () => {
  test('a campaign: text, plan, groups and state', async () => {
    const campaign_id = await schedule();
    expect(await newest()).toMatchObject({
      action: 'campaign.accepted',
      user_name: 'parish-manager',
      changes: [{ field: 'status', before: null, after: 'scheduled' }],
    });
    await ok(manager, 'venom/update-campaign', {
      campaign_id,
      name: 'Feast',
      html: 'We open at ten',
      schedule_time: '10:00:00',
      weekdays: [1, 5],
      group_metadata_ids: groupIds.slice(1),
    });
    const { changes } = (await newest()) as Required<Entry>;
    expect(changes).toEqual([
      { field: 'name', before: 'Fair', after: 'Feast' },
      { field: 'schedule_time', before: '09:00:00', after: '10:00:00' },
      { field: 'weekdays', before: null, after: '1, 5' },
      { field: 'text', before: 'We open at nine', after: 'We open at ten' },
      {
        field: 'groups',
        before: expect.stringContaining(`(${groupIds[0]})`),
        after: expect.stringContaining(`(${groupIds[2]})`),
      },
    ]);
    await ok(manager, 'venom/pause-campaign', { campaign_id });
    expect((await newest())?.changes).toEqual([{ field: 'status', before: 'scheduled', after: 'paused' }]);
    await ok(manager, 'venom/cancel-campaign', { campaign_id });
    expect((await newest())?.changes).toEqual([{ field: 'status', before: 'paused', after: 'cancelled' }]);
  });

  test('a run that is moved or left out', async () => {
    const campaign_id = await schedule();
    const { runs } = (
      await manager<{ runs: Array<{ run_id: number; due_at: string }> }>('venom/get-campaign', { campaign_id })
    ).body.data;
    const [first, second] = runs;
    const due_at = '2999-01-01T10:30:00.000Z';
    await ok(manager, 'venom/move-run', { campaign_id, run_id: first?.run_id, due_at });
    expect((await newest())?.changes).toEqual([{ field: 'due_at', before: first?.due_at, after: due_at }]);
    await ok(manager, 'venom/skip-run', { campaign_id, run_id: second?.run_id });
    expect((await newest())?.changes).toEqual([{ field: 'due_at', before: second?.due_at, after: null }]);
  });

  test('a draft: saves of one person within ten minutes are one entry', async () => {
    const draft = { draft_id: randomUUID(), name: 'Feast', group_metadata_ids: [] };
    const texts = ['We', 'We open', 'We open at nine'];
    for (const [version, html] of texts.entries()) await ok(author, 'venom/save-draft', { ...draft, version, html });
    expect(await newest()).toMatchObject({
      action: 'draft.changed',
      subject: draft.draft_id,
      draft_name: 'Feast',
      user_name: 'parish-author',
      changes: [{ field: 'html', before: 'We', after: 'We open at nine' }],
    });
    const of = async () => (await log({ kind: 'drafts' })).filter(({ subject }) => subject === draft.draft_id);
    expect((await of()).map(({ action }) => action)).toEqual(['draft.changed', 'draft.created']);
    // Saved once more, by a client that missed the answer: nothing has changed.
    await ok(author, 'venom/save-draft', { ...draft, version: 2, html: texts[2] });
    await ok(manager, 'venom/save-draft', { ...draft, version: 3, html: 'We open at ten' });
    await app.database.clock.advance({ minutes: 11 });
    await ok(manager, 'venom/save-draft', {
      ...draft,
      version: 4,
      html: 'Closed',
      group_metadata_ids: groupIds.slice(0, 1),
    });
    await ok(author, 'venom/delete-draft', { draft_id: draft.draft_id });
    const entries = await of();
    expect(entries.map(({ action, user_name }) => `${action} ${user_name}`)).toEqual([
      'draft.deleted parish-author',
      'draft.changed parish-manager',
      'draft.changed parish-manager',
      'draft.changed parish-author',
      'draft.created parish-author',
    ]);
    expect(entries[0]?.draft_name).toBeUndefined();
  });

  test('a list of groups, the rules for sending, a webhook, a key and the name of the workspace', async () => {
    const list = { name: 'Clubs', group_metadata_ids: groupIds.slice(0, 2) };
    const saved = await manager<{ group_list_id: number }>('venom/save-group-list', list);
    const { group_list_id } = saved.body.data;
    await ok(manager, 'venom/save-group-list', {
      group_list_id,
      name: 'All clubs',
      group_metadata_ids: groupIds.slice(0, 1),
    });
    expect((await newest())?.changes).toEqual([
      { field: 'name', before: 'Clubs', after: 'All clubs' },
      { field: 'groups', before: expect.stringContaining(`(${groupIds[1]})`), after: null },
    ]);
    await ok(owner, 'venom/update-account', { quiet_hours: { from: '22:00', to: '07:00' }, daily_cap: 500 });
    expect((await newest())?.changes).toEqual([
      { field: 'quiet_hours', before: null, after: '22:00–07:00' },
      { field: 'daily_cap', before: null, after: '500' },
    ]);
    const url = 'https://hooks.invalid/a';
    const created = await owner<{ webhook_id: string }>('venom/create-webhook', {
      url,
      events: ['campaign.completed'],
    });
    const { webhook_id } = created.body.data;
    const next = 'https://hooks.invalid/b?key=secret';
    await ok(owner, 'venom/update-webhook', { webhook_id, url: next, events: ['campaign.*'], is_enabled: false });
    expect((await newest())?.changes).toEqual([
      { field: 'url', before: url, after: 'https://hooks.invalid/b?…' },
      { field: 'events', before: 'campaign.completed', after: 'campaign.*' },
      { field: 'is_enabled', before: 'true', after: 'false' },
    ]);
    await ok(owner, 'user/create_api_key', { name: 'Site', scopes: ['read'], role: 'analyst' });
    expect((await newest())?.changes).toEqual([
      { field: 'role', before: null, after: 'analyst' },
      { field: 'scopes', before: null, after: 'read' },
      { field: 'is_test', before: null, after: 'false' },
    ]);
    await ok(owner, 'workspace/rename-workspace', { name: 'Old town' });
    await ok(owner, 'workspace/rename-workspace', { name: 'New town' });
    expect((await newest())?.changes).toEqual([{ field: 'name', before: 'Old town', after: 'New town' }]);
  });
});

test('records nothing of a change that is refused', async () => {
  const before = await newest();
  const campaign_id = await schedule();
  const accepted = await newest();
  expect(accepted).not.toEqual(before);
  expect((await manager('venom/update-campaign', { campaign_id, end_date: '2998-01-01' })).status).toBe(400);
  expect((await manager('venom/delete-campaign', { campaign_id })).status).toBe(409);
  expect(await newest()).toEqual(accepted);
});

test('is filtered by person and by kind, both in pages', async () => {
  const { userId } = team.members.author;
  const byAuthor = await log({ user_id: userId });
  expect(byAuthor.length).toBeGreaterThan(1);
  expect(new Set(byAuthor.map((entry) => entry.user_id))).toEqual(new Set([userId]));
  const drafts = await log({ user_id: userId, kind: 'drafts' });
  expect(drafts.length).toBeGreaterThan(1);
  expect(drafts.every(({ action }) => action.startsWith('draft.'))).toBe(true);
  const first = await owner<{ entries: Entry[]; next_cursor: string }>('user/list_audit_log', {
    kind: 'drafts',
    limit: 2,
  });
  const second = await log({ kind: 'drafts', cursor: first.body.data.next_cursor });
  expect([...first.body.data.entries, ...second]).toEqual(await log({ kind: 'drafts' }));
  expect((await owner('user/list_audit_log', { kind: 'anything' })).status).toBe(400);
  expect(await log({ user_id: 987_654_321 })).toEqual([]);
});

/** Downloads the log as CSV. */
async function download(body: object) {
  const answer = await fetch(`${app.url}/api/v1/user/export_audit_log`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${team.members.owner.token}`,
      'x-workspace': team.workspaceId,
    },
    body: JSON.stringify({ format: 'csv', ...body }),
  });
  const rows: Array<Record<string, string>> = parse(await answer.text(), { columns: true, bom: true });
  return { answer, rows };
}

test('is exported as CSV that no spreadsheet runs, all of it, in steps', async () => {
  await ok(manager, 'venom/save-group-list', { name: '=1+1', group_metadata_ids: groupIds });
  await execute(app.database.db)`
    insert into audit_log (workspace_id, user_id, action, subject, address, at)
    select ${team.workspaceId}::bigint, ${team.members.manager.userId}, 'group.created', 'Group ' || g, '', campanile_now() - interval '1 day'
    from generate_series(1, 1200) g`;
  const { answer, rows } = await download({});
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const { parameters } = parseContentDisposition(answer.headers.get('content-disposition') ?? '');
  expect(parameters['filename']).toBe('audit-log.csv');
  expect(rows.length).toBeGreaterThan(1_200);
  expect(rows[0]).toMatchObject({ action: 'group_list.saved', subject: `'=1+1`, user_name: 'parish-manager' });
  expect(rows.find(({ action }) => action === 'workspace.renamed')).toMatchObject({
    changes: 'name: Old town → New town',
  });
  expect(new Set(rows.map(({ subject }) => subject)).size).toBeGreaterThan(1_200);
  const { rows: keys } = await download({ kind: 'keys' });
  expect(keys.map(({ action }) => action)).toEqual(['api_key.created']);
  expect((await download({ user_id: 987_654_321 })).rows).toEqual([]);
});

test('is for the owner alone, as a list and as a file', async () => {
  for (const path of ['user/list_audit_log', 'user/export_audit_log'])
    expect((await manager(path, { format: 'csv' })).status).toBe(403);
});

test('a filter that few entries match reads a bounded part of the log for each page, and comes to them', async () => {
  const { members, workspaceId } = await createTeam(app, 'archive');
  const { db } = app.database;
  await execute(db)`
    insert into audit_log (workspace_id, user_id, action, subject, address, at)
    select ${workspaceId}, ${members.owner.userId}, case when i = 1 then 'webhook.created' else 'draft.changed' end,
           gen_random_uuid(), '', now() - interval '1 year' + i * interval '1 s'
    from generate_series(1, ${2.5 * SCAN_LIMIT}::int) i`;
  await execute(db)`analyze audit_log`;
  const actor = {
    ...members.owner,
    workspaceId: Number(workspaceId) as WorkspaceId,
    role: 'owner',
    address: '',
  } as const;
  const pages: AuditPage[] = [];
  for (let before: number | null = null; pages.length === 0 || before !== null; before = pages.at(-1)?.next ?? null) {
    const { page, reads } = await db.transaction().execute(async (trx) => {
      const readBefore = await readRows(trx);
      const found = await listAuditLog(
        { db: trx },
        { ...actor, apiKeyId: undefined },
        { limit: 20, before, kind: 'webhooks' },
      );
      return { page: found, reads: (await readRows(trx)) - readBefore };
    });
    pages.push(page);
    // Once for the entries, and once for the place at which the next page begins.
    expect(reads).toBeLessThan(2 * SCAN_LIMIT + 100);
  }
  expect(pages.map(({ entries }) => entries.map(({ action }) => action))).toEqual([[], [], ['webhook.created']]);
});

/** The rows of the log that this transaction has fetched. */
async function readRows(trx: Connection): Promise<number> {
  return readCount(trx)`
    select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::float8 as reads
    from pg_stat_xact_user_tables where relname = 'audit_log'`;
}
