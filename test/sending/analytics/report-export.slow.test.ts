import { parse as parseContentDisposition } from 'content-disposition';
import { parse } from 'csv-parse/sync';
import { readRows } from '../../../src/platform/database/statements.ts';
import { expect, test } from 'vitest';
import { useTestApp } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';
import { workspaceOf } from '../../support/workspaces.ts';

const MAY = { start_date: '2031-05-01', end_date: '2031-05-31' };
/** More than one piece of either format, and more than get-report returns. */
const GROUPS = 1_201;

const app = await useTestApp({ sandboxSpeed: 0 });
await app.database.clock.set('2031-05-20T12:00:00Z');
const alice = await app.signUp('alice');
const { db } = app.database;
const rows = await readRows<{ id: number }>(db)`
  insert into groups (workspace_id, chat_id, send_to, kind, name, participants, can_send)
  select workspace_id, g || '@g.us', 'nowhere@g.us', 'group', '=Group, "' || g || '" 🌳', 3, true
  from accounts, generate_series(1, ${GROUPS}::int) g where workspace_id = ${workspaceOf(alice)}
  returning group_id as id`;
const post = { name: 'Fair', html: 'Hello', group_metadata_ids: rows.map(({ id }) => id) };
const { campaign_id } = (await alice.call<{ campaign_id: string }>('venom/add-campaign', post)).body.data;
await until(
  async () => {
    // Refusals in a row pause it.
    await alice.call('venom/resume-campaign', { campaign_id });
    return alice.call<{ status: string }>('venom/get-campaign', { campaign_id });
  },
  ({ body }) => body.data.status.startsWith('completed'),
);

function download(body: object): Promise<Response> {
  return fetch(`${app.url}/api/v1/analytics/export-report`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.token}` },
    body: JSON.stringify({ ...MAY, ...body }),
  });
}

test('exports all rows as CSV that no spreadsheet runs', async () => {
  const answer = await download({ format: 'csv' });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const { parameters } = parseContentDisposition(answer.headers.get('content-disposition') ?? '');
  expect(parameters['filename']).toBe('2031-05-01 - 2031-05-31.csv');
  const rows: Array<Record<string, string>> = parse(await answer.text(), { columns: true, bom: true });
  expect(rows).toHaveLength(GROUPS);
  expect(rows[0]).toMatchObject({ group_name: `'=Group, "1" 🌳`, failed: '1', read_rate: '', is_silent: 'false' });
  expect(new Set(rows.map((row) => row['group_metadata_id'])).size).toBe(GROUPS);
});

test('returns all rows as JSON on request', async () => {
  const { body } = await alice.call<{ groups: unknown[]; group_count: number }>('analytics/get-report', {
    ...MAY,
    limit: 100_000,
  });
  expect(body.data.groups).toHaveLength(GROUPS);
  expect(body.data.group_count).toBe(GROUPS);
});

test('exports an empty report', async () => {
  const none = { start_date: '2030-05-01', end_date: '2030-05-31' };
  const rows: unknown[] = parse(await (await download({ ...none, format: 'csv' })).text(), {
    columns: true,
    bom: true,
  });
  expect(rows).toEqual([]);
});

test('answers errors in the usual envelope', async () => {
  const answer = await download({ format: 'xlsx' });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: true, details: [{ field: 'format' }] });
});
