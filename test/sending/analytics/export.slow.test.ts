import { parse as parseContentDisposition } from 'content-disposition';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { execute, sql } from '../../../src/platform/database/statements.ts';
import { describe, expect, test } from 'vitest';
import { writeCsv } from '../../../src/api/routes/csv.ts';
import { describeFailure, storeFailure } from '../../../src/platform/errors/failures.ts';
import { groupsOf, useTestApp } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';

type Row = Record<string, string>;
interface Analytics {
  totals: { queued: number; pins_waiting?: number };
  groups: Array<Record<string, string | number | null>>;
}

/** The columns of a campaign without pins, mentions, quotes and questions. */
const NOT_ASKED = Object.fromEntries(
  ['pinned', 'unpinned', 'pins_waiting', 'pins_failed', 'pinned_until', 'pin_error']
    .concat(['mentions', 'mentions_left_out', 'mention_left_out', 'quotes', 'skipped', 'voters', 'unreadable_votes'])
    .concat(['members_without_devices', 'error_code', 'external_id', 'pin_error_text', 'mention_left_out_text'])
    .concat(['group_external_id', 'tags'])
    .map((name) => [name, null]),
);

const app = await useTestApp({ sandboxSpeed: 0 });
const alice = await app.signUp('alice');
const groups = await groupsOf(alice);

async function send(name: string, more: object = {}): Promise<string> {
  const post = { name, html: 'Hello', group_metadata_ids: groups, ...more };
  const answer = await alice.call<{ campaign_id: string }>('venom/add-campaign', post);
  const { campaign_id } = answer.body.data;
  await until(
    () => analyticsOf(campaign_id),
    ({ totals }) => totals.queued === 0,
  );
  return campaign_id;
}

async function analyticsOf(campaign_id: string): Promise<Analytics> {
  const answer = await alice.call<Analytics>('analytics/get-campaign-group-analytics-master', { campaign_id });
  return answer.body.data;
}

function download(body: object): Promise<Response> {
  return fetch(`${app.url}/api/v1/analytics/export-campaign`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.token}` },
    body: JSON.stringify(body),
  });
}

const readRows = (text: string): Row[] => parse(text, { columns: true, bom: true });

test('exports the rows of the analytics under the same names', async () => {
  const { db } = app.database;
  await execute(db)`update groups set name = '=HYPERLINK("http://evil.example","x")' where group_id = ${groups[0]}`;
  await execute(db)`update groups set name = 'Bänke, "rot"' || chr(10) || '=1+1 🌳' where group_id = ${groups[1]}`;
  await execute(db)`update groups set send_to = 'no-' || send_to where group_id = ${groups[2]}`;
  const campaign_id = await send('Fair');
  const answer = await download({ campaign_id, format: 'csv' });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  const rows = readRows(bytes.toString());
  const { groups: expected } = await analyticsOf(campaign_id);
  expect(rows.map((row) => row['group_name'])).toEqual([
    '\'=HYPERLINK("http://evil.example","x")',
    'Bänke, "rot"\n\'=1+1 🌳',
    expect.any(String),
  ]);
  const withoutNames = (row: object) => ({ ...row, group_name: '', error_text: '' });
  const asCells = (row: object) =>
    Object.entries({ ...NOT_ASKED, ...row, recalled: 0, corrected: 0 }).map(([name, cell]) => [
      name,
      String(cell ?? ''),
    ]);
  expect(rows.map(withoutNames)).toEqual(expected.map((row) => Object.fromEntries(asCells(withoutNames(row)))));
  expect(rows[2]).toMatchObject({
    failed: '1',
    views: '',
    last_error: expect.stringContaining('group'),
    error_code: 'group_gone',
    error_text: expect.stringMatching(/^The group no longer exists.*Sync your groups/),
  });
  await execute(db)`update groups set send_to = substr(send_to, 4) where group_id = ${groups[2]}`;
});

test('tells of pins, mentions and quotes in each group, as the analytics do', async () => {
  const first = await send('Fair', { group_metadata_ids: groups.slice(0, 1) });
  const campaign_id = await send('Fair', { mention_all: true, pin_for: '24h', reply_to: { campaign_id: first } });
  await until(
    () => analyticsOf(campaign_id),
    ({ totals }) => totals.pins_waiting === 0,
  );
  const exported = async () => readRows(await (await download({ campaign_id, format: 'csv' })).text());
  const reach = { pinned: '1', pins_waiting: '0', unpinned: '0', pins_failed: '0', pin_error: '' };
  const mention = { mentions: '1', mentions_left_out: '0', mention_left_out: '' };
  const rows = await exported();
  for (const row of rows)
    expect(row).toMatchObject({ ...reach, ...mention, pinned_until: expect.stringMatching(/Z$/) });
  expect(rows.map(({ quotes }) => quotes)).toEqual(['1', '0', '0']);
  const { totals, groups: shown } = await analyticsOf(campaign_id);
  expect(totals).toMatchObject({ pinned: 3, unpinned: 0, pins_failed: 0, mentions: 3, quotes: 1 });
  expect(shown.map((row) => row['pinned_until'])).toEqual(rows.map((row) => row['pinned_until']));
  await alice.call('venom/unpin-campaign', { campaign_id });
  await until(exported, ([row]) => row?.['unpinned'] === '1');
  expect((await exported())[0]).toMatchObject({ pinned: '0', pinned_until: '' });
  await execute(app.database.db)`
    update pins set failure = ${storeFailure(describeFailure('pin_by_admins'))}::jsonb, wanted = null where group_id = ${groups[1]}`;
  expect((await exported())[1]).toMatchObject({
    pins_failed: '1',
    pin_error: expect.stringMatching(/^Only admins may pin in this group\. Ask an admin/),
    pin_error_text: 'Only admins can pin there. Ask an admin of these groups to make you one.',
    mention_left_out_text: '',
  });
  expect((await analyticsOf(campaign_id)).groups[1]).toMatchObject({ pin_error_code: 'pin_by_admins' });
});

test.each([
  [{ poll: { question: 'When?', options: ['=1+1', 'a;=2'] } }, ['votes: =1+1', "votes: a;'=2"]],
  [{ event: { name: 'Fair', start_at: '2032-06-05T09:00:00Z' } }, ['votes: going', 'votes: maybe', 'votes: not_going']],
])('has a column for each answer to %j', async (asked, columns) => {
  const campaign_id = await send('Asked', { html: '', ...asked });
  const votes = columns.map((_, index) => index + 1);
  const counts = [6, 5, ...votes, ...Array.from({ length: 12 - votes.length }, () => 0)];
  const { db } = app.database;
  await execute(db)`
    insert into poll_results (workspace_id, run_id, group_id, counts)
    select r.workspace_id, r.run_id, ${groups[1]}, ${counts}::int[] from runs r join campaigns c using (campaign_id)
    where c.public_id = ${campaign_id}`;
  const [none, voted] = readRows(await (await download({ campaign_id, format: 'csv' })).text());
  expect(Object.keys(none ?? {}).slice(-columns.length)).toEqual(columns);
  expect(none).toMatchObject({ voters: '0', unreadable_votes: '0', [columns[0] ?? '']: '0' });
  expect(voted).toMatchObject({ voters: '6', unreadable_votes: '5' });
  expect(columns.map((column) => voted?.[column])).toEqual(votes.map(String));
});

test('names the question of each column if the question of a plan changed', async () => {
  const plan = { is_schedule: true, start_date: '2040-06-01', end_date: '2040-06-02', schedule_time: '09:00:00' };
  const poll = { question: 'When?', options: ['Saturday', 'Sunday'] };
  const body = { name: 'Polls', html: '', group_metadata_ids: groups, poll, ...plan };
  const campaign_id = (await alice.call('venom/add-campaign-batch', body)).headers.get('x-campaign-id') ?? '';
  const [run] = await sql<{ run_id: number }>`
    update runs r set status = 'completed', content_id = c.content_id, started_at = campanile_now(), finished_at = campanile_now()
    from campaigns c where c.campaign_id = r.campaign_id and c.public_id = ${campaign_id} and r.due_at < '2040-06-02'
    returning r.run_id`
    .execute(app.database.db)
    .then(({ rows }) => rows);
  expect(run).toBeDefined();
  await alice.call('venom/update-campaign', { campaign_id, poll: { ...poll, question: 'When then?' } });
  const [row] = readRows(await (await download({ campaign_id, format: 'csv' })).text());
  expect(Object.keys(row ?? {}).slice(-4)).toEqual([
    'votes: When? Saturday',
    'votes: When? Sunday',
    'votes: When then? Saturday',
    'votes: When then? Sunday',
  ]);
});

test.each([
  ['Spring fair', 'Spring fair.csv'],
  ['Größe/Maß: "ü" 🌳', 'Größe Maß ü 🌳.csv'],
  ['../../etc/passwd\r\nx-evil: 1', 'etc passwd x-evil 1.csv'],
  ['🌳', '🌳.csv'],
])('downloads a campaign named %j as %j', async (name, fileName) => {
  const answer = await download({ campaign_id: await send(name), format: 'csv' });
  const header = answer.headers.get('content-disposition') ?? '';
  expect(parseContentDisposition(header)).toMatchObject({ type: 'attachment', parameters: { filename: fileName } });
  expect(answer.headers.get('x-evil')).toBeNull();
});

test('answers failures in the envelope', async () => {
  const campaign_id = await send('Fair');
  const wrong = await download({ campaign_id, format: 'xlsx' });
  expect(wrong.status).toBe(400);
  expect(await wrong.json()).toMatchObject({
    code: 400,
    details: [{ field: 'format', issue: 'must be one of csv, excel' }],
  });
  const missing = await download({ campaign_id });
  expect(await missing.json()).toMatchObject({ code: 400, details: [{ field: 'format', issue: 'is required' }] });
  const bob = await app.signUp('bob');
  const answer = await bob.call('analytics/export-campaign', { campaign_id, format: 'csv' });
  expect(answer).toMatchObject({ status: 404, body: { details: [{ field: 'campaign_id' }] } });
});

describe('a cell', () => {
  const write = async (rows: ReadonlyArray<{ a: string | number; b: string | null }>) =>
    (await Array.fromAsync(writeCsv(['a', 'b'], rows, (row) => row).pieces)).join('');
  const cellOf = async (text: string) => parse(await write([{ a: text, b: 'end' }]), { bom: true })[1];

  test.each(['=1', '+1', '-1', '@x', ' =1', '  -1', '＝1', '+49 151 1234', '\t1', '\r1', '\n1', "'=1"])(
    'CSV injection: is quoted if it would run as a formula: %j',
    async (text) => {
      expect(await cellOf(text)).toEqual([`'${text}`, 'end']);
    },
  );

  test.each(['1=1', 'a-b', "'x", 'x\n1', 'x\r\n1,"', '", "', 'a; b\tc', '', ' ', 'e@example.org'])(
    'is written unchanged: %j',
    async (text) => {
      expect(await cellOf(text)).toEqual([text, 'end']);
    },
  );

  test.each([
    ['\t=1', "'\t'=1"],
    ['Fair;=1+1', "Fair;'=1+1"],
    ['Fair; -1', "Fair;' -1"],
    ['Fair\t@x', "Fair\t'@x"],
    ['Fair;"=1;', 'Fair;\'"=1;'],
    ['Fair\n=1+1', "Fair\n'=1+1"],
  ])('CSV injection: is quoted if another separator would begin a formula within %j', async (text, shown) => {
    expect(await cellOf(text)).toEqual([shown, 'end']);
  });

  test('keeps any text but for added apostrophes, and runs with no separator', async () => {
    const unit = fc.constantFrom('"', ',', '\r', '\n', '=', '-', ' ', '\t', 'x', 'é', '🌳', "'", ';');
    await fc.assert(
      fc.asyncProperty(fc.string({ unit, minLength: 1, maxLength: 12 }), async (text) => {
        const [cell = '', end] = (await cellOf(text)) as string[];
        expect(cell.replaceAll("'", '')).toBe(text.replaceAll("'", ''));
        expect(end).toBe('end');
        const written = await write([{ a: 1, b: text }]);
        for (const separator of [/[;\r\n]/, /[\t\r\n]/])
          for (const one of written.split(separator)) expect(one).not.toMatch(/^[\s"]*[=+\-@]/);
      }),
    );
  });

  test('is in its place among ten thousand rows', async () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => ({ a: index, b: null }));
    const cells = parse(await write(rows), { bom: true }) as string[][];
    expect(cells).toHaveLength(10_001);
    expect(cells[0]).toEqual(['a', 'b']);
    expect(cells.slice(1).every(([a, b], index) => a === String(index) && b === '')).toBe(true);
  });
});

describe('for Excel', () => {
  const lines = async (body: object, headers: object = {}, path = 'analytics/export-campaign') => {
    const answer = await fetch(`${app.url}/api/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.token}`, ...headers },
      body: JSON.stringify({ ...body, format: 'excel' }),
    });
    expect(answer.status).toBe(200);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(answer.headers.get('content-disposition')).toMatch(/\.csv"?$/);
    return bytes.toString();
  };

  test.each([
    ['de', ';'],
    ['de-DE, en;q=0.5', ';'],
    ['pt-BR', ';'],
    ['id', ';'],
    ['es-ES', ';'],
    ['es-MX', ','],
    ['en-ZA', ';'],
    ['en', ','],
    ['hi', ','],
    ['de-1', ';'],
  ])('a reader of %s gets cells parted by %j', async (accepted, separator) => {
    const campaign_id = await send('For Excel');
    const [head] = (await lines({ campaign_id }, { 'accept-language': accepted })).split('\r\n');
    expect(head).toMatch(new RegExp(`^\ufeffgroup_metadata_id${separator}group_name${separator}`));
  });

  test('times are those of the reader, and rates whole percentages', async () => {
    const campaign_id = await send('For Excel too');
    await alice.call('user/update_profile', { time_zone: 'Asia/Kolkata', language: 'de' });
    const text = await lines({ campaign_id });
    await alice.call('user/update_profile', { time_zone: null, language: null });
    const [row] = parse(text, { columns: true, bom: true, delimiter: ';' }) as Row[];
    const { groups: all } = await analyticsOf(campaign_id);
    const [group] = all as unknown as Array<{ first_sent_at: string; delivery_rate: number | null }>;
    const local = new Date(Date.parse(group?.first_sent_at ?? '') + 5.5 * 3_600_000).toISOString();
    expect(row?.['first_sent_at']).toBe(local.slice(0, 19).replace('T', ' '));
    const rate = group?.delivery_rate;
    expect(row?.['delivery_rate']).toBe(rate === null || rate === undefined ? '' : `${Math.round(rate * 100)}%`);
  });

  test('a text that a spreadsheet would run as a formula gets an apostrophe, also with semicolons', async () => {
    const { db } = app.database;
    await execute(db)`update groups set name = '=1+1;=2+2' where group_id = ${groups[1]}`;
    const text = await lines({ campaign_id: await send('Formula') }, { 'accept-language': 'de' });
    expect(text).toContain(`;"'=1+1;'=2+2";`);
  });

  test('reports and polls, too', async () => {
    const inGerman = { 'accept-language': 'de' };
    const days = { start_date: '2026-01-01', end_date: '2026-12-31' };
    expect(await lines(days, inGerman, 'analytics/export-report')).toMatch(/^\ufeffgroup_metadata_id;group_name;/);
    const poll = { question: 'Tea?', options: ['yes', 'no'] };
    const campaign_id = await send('Poll for Excel', { html: '', poll });
    expect(await lines({ campaign_id }, inGerman, 'analytics/export-poll')).toMatch(/^\ufeff\w+;\w+;/);
  });

  test('the audit log, too', async () => {
    const text = await lines({}, { 'accept-language': 'de' }, 'user/export_audit_log');
    expect(text.split('\r\n')[1]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d;/);
  });
});
