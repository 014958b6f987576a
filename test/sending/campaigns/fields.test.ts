/** Posts that fit their groups: fields in a post, filled with the values of each group (contract §3). */
import { randomUUID } from 'node:crypto';
import { readRows, readValue } from '../../../src/platform/database/statements.ts';
import { beforeEach, expect, test } from 'vitest';
import { removeDeleted } from '../../../src/sending/campaigns/change/remove-deleted.ts';
import { groupsOf, untilCompleted, useTestApp, type Person } from '../../support/app.ts';
import { PNG } from '../../support/inputs/sample-files.ts';
import { until } from '../../support/ledger.ts';
import { upload } from '../../support/upload.ts';
import { actorOf } from '../../support/workspaces.ts';
import type { WorkspaceId } from '../../../src/platform/database/schema.ts';

interface Message {
  text: string;
  poll?: { question: string; options: string[] };
  event?: { name: string; place: string | null };
  link_preview?: { url: string; title: string } | null;
  files?: Array<{ file_name: string; caption: string | null }>;
}
interface Analytics {
  campaign: { status: string };
  groups: Array<{
    group_metadata_id: number;
    sent: number;
    failed: number;
    cancelled: number;
    skipped?: string;
    last_error: string | null;
    last_error_code?: string | null;
  }>;
  runs: Array<{ run_id: number; status: string }>;
}

const app = await useTestApp({ sandboxSpeed: 0 });
const { db } = app.database;
let alice: Person;
let workspaceId: WorkspaceId;
let groups: number[];

beforeEach(async () => {
  await app.database.clock.set('2031-06-02T08:00:00Z');
  alice = await app.signUp(`alice-${randomUUID().slice(0, 8)}`);
  await alice.call('user/update_profile', { time_zone: 'Europe/Berlin' });
  ({ workspaceId } = await actorOf(db, alice));
  groups = await groupsOf(alice);
});

/** Gives the groups values of a field, in their order; undefined takes the value away. */
async function give(name: string, values: ReadonlyArray<string | undefined>, kind?: string): Promise<void> {
  const field = await alice.call('venom/set-fields', { fields: [{ name, kind }] });
  expect(field.status, JSON.stringify(field.body)).toBe(200);
  const given = values.map((value, index) => ({ group_metadata_id: groups[index], fields: { [name]: value ?? null } }));
  const answer = await alice.call('venom/set-group-fields', { groups: given });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
}

const post = (more: object = {}) => ({
  name: 'Fair',
  html: 'Ask {{ coordinator }}',
  with_fields: true,
  group_metadata_ids: groups,
  ...more,
});
const later = (more: object = {}) => ({
  ...post(),
  is_schedule: true,
  start_date: '2031-06-03',
  end_date: '2031-06-03',
  schedule_time: '09:00:00',
  ...more,
});

async function send(body: object = post()): Promise<string> {
  const answer = await alice.call<{ campaign_id: string }>('venom/add-campaign', body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  await ended(answer.body.data.campaign_id);
  return answer.body.data.campaign_id;
}
async function schedule(body: object = later()): Promise<string> {
  const answer = await alice.call('venom/add-campaign-batch', body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.headers.get('x-campaign-id') ?? '';
}
const resultsOf = async (campaign_id: string) =>
  (await alice.call<Analytics>('analytics/get-campaign-group-analytics-master', { campaign_id })).body.data;
const ended = (id: string) =>
  until(
    () => resultsOf(id),
    ({ campaign }) => campaign.status.startsWith('completed'),
  );
async function messagesOf(index: number): Promise<Message[]> {
  const { body } = await alice.call<{ messages: Message[] }>('sandbox/list-messages', {
    group_metadata_id: groups[index],
    limit: 100,
  });
  return body.data.messages;
}
/** The last message of each group. */
const lastTexts = () => Promise.all(groups.map(async (_, index) => (await messagesOf(index)).at(-1)?.text));
const problemsOf = (answer: { body: { details?: Array<{ field: string; issue: string }> } }) =>
  answer.body.details?.map(({ field: name, issue }) => `${name} ${issue}`) ?? [];
const valuesKept = () =>
  readValue<number>(db)`select count(*)::int from delivery_values where workspace_id = ${workspaceId}`;

test('fills each field with the value of the group, a fallback, and what is built in', async () => {
  await give('Coordinator', ['Ana', undefined, 'Çelik']);
  await send(
    post({ html: '<b>{{ group }}</b> ({{members}}): {{ COORDINATOR | "the office" }}, {{ weekday }} {{ time }}' }),
  );
  const [name] = await readRows<{ name: string; participants: number }>(db)`
    select name, participants from groups where group_id = ${groups[0]}`;
  expect(await lastTexts()).toEqual([
    `*${name?.name}* (${name?.participants}): Ana, Monday 10:00`,
    expect.stringContaining(': the office, Monday'),
    expect.stringContaining(': Çelik, Monday'),
  ]);
});

test('takes the quotes of phones, and accents and case of names as they come', async () => {
  await give('Café', [undefined, 'Mokka', 'Filter']);
  await send(post({ html: '{{ CAFE | „keiner“ }} {{ cafe | ‘the office’s’ }} {{ cafe | «ninguno» }}' }));
  expect(await lastTexts()).toEqual(['keiner the office’s ninguno', 'Mokka Mokka Mokka', 'Filter Filter Filter']);
});

test('writes date, weekday and time in the language of the group and the zone of the schedule', async () => {
  await give('Language', ['de', 'es-MX', undefined], 'language');
  await schedule(later({ html: '{{ weekday }}, {{ date }}, {{ time }}', time_zone: 'America/New_York' }));
  await app.database.clock.set('2031-06-03T13:00:01Z');
  await until(async () => (await messagesOf(2)).length, 1);
  expect(await lastTexts()).toEqual([
    'Dienstag, 3. Juni 2031, 09:00',
    expect.stringMatching(/^martes, 3 de junio de 2031, 9:00/),
    'Tuesday, 3 June 2031, 09:00',
  ]);
});

test('writes date and weekday in any language, as its region writes them, else in that of the owner', async () => {
  await alice.call('user/update_profile', { language: 'de' });
  await give('Language', ['fr', 'zh-HK', 'tlh'], 'language');
  await send(post({ html: '{{ weekday }}, {{ date }}' }));
  expect(await lastTexts()).toEqual(['lundi, 2 juin 2031', '星期一, 2031年6月2日', 'Montag, 2. Juni 2031']);
  await give('Language', ['nb', 'en-US', 'pt'], 'language');
  await send(post({ html: '{{ weekday }}, {{ date }}' }));
  expect(await lastTexts()).toEqual([
    'mandag, 2. juni 2031',
    'Monday, June 2, 2031',
    'segunda-feira, 2 de junho de 2031',
  ]);
});

test('a post of which nothing is left for a group is rejected, and so is a correction; with a file it has no text', async () => {
  await give('city', ['Pune', undefined, 'Goa']);
  const bare = post({ html: '<b>{{ city | "" }}</b>' });
  const [, second] = groups;
  const named = { group_metadata_id: second, code: 'nothing_visible' };
  expect(await alice.call('venom/check-campaign', { when: 'now', ...bare })).toMatchObject({
    body: { data: { groups: { ok: 2, problems: [named] }, fields: { without_value: 0, unfit: 1 } } },
  });
  const preview = await alice.call('venom/preview-campaign', { ...bare, group_metadata_id: second });
  expect(preview.body).toMatchObject({ data: { unfit: { code: 'nothing_visible' } } });
  const rejected = { status: 400, body: { details: [{ code: 'groups_unfit' }] } };
  for (const on_missing_value of ['reject', 'leave_out'])
    expect(await alice.call('venom/add-campaign', { ...bare, on_missing_value })).toMatchObject(rejected);
  const campaign_id = await send(post({ html: 'In {{ city | "town" }}' }));
  const correction = { campaign_id, html: '{{ city | "" }}', with_fields: true };
  expect(await alice.call('venom/correct-campaign', correction)).toMatchObject(rejected);
  expect(await lastTexts()).toEqual(['In Pune', 'In town', 'In Goa']);
  await send({ ...bare, image: PNG.toString('base64') });
  expect(await lastTexts()).toEqual(['*Pune*', '', '*Goa*']);
});

test('groups without a value are left out, and values that do not fit are rejected all the same', async () => {
  await give('city', ['Pune', undefined, 'Goa']);
  const poll = { question: 'Where?', options: ['{{ city }}', 'Goa'] };
  const asking = post({ html: '', poll, on_missing_value: 'leave_out' });
  expect(await alice.call('venom/add-campaign', asking)).toMatchObject({
    status: 400,
    body: { details: [{ code: 'groups_unfit' }] },
  });
  await give('city', ['Pune', undefined, 'Diu']);
  expect(await alice.call('venom/add-campaign', asking)).toMatchObject({ status: 200 });
});

test('leaves braces of other posts as they are, and a check warns of them', async () => {
  await give('coordinator', ['Ana', 'Bo', 'Cy']);
  await send({ ...post(), with_fields: undefined });
  expect(await lastTexts()).toEqual(Array(3).fill('Ask {{ coordinator }}'));
  const check = async (more: object) =>
    (
      await alice.call<{ warnings: Array<{ code: string }> }>('venom/check-campaign', {
        ...post(),
        is_schedule: false,
        ...more,
      })
    ).body.data.warnings.map(({ code }) => code);
  expect(await check({ with_fields: false, html: 'Now {{ coordinator }}' })).toContain('placeholder_left');
  expect(
    await check({
      with_fields: false,
      html: '',
      poll: { question: 'Is {{ coordinator }} there?', options: ['a', 'b'] },
    }),
  ).toContain('placeholder_left');
  expect(await check({ html: 'Now {{ coordinator }}' })).not.toContain('placeholder_left');
});

test('a preview says what a check would of a post beside its text', async () => {
  await give('coordinator', ['Ana', 'Bo', 'Cy']);
  const url = 'https://example.org/';
  const field = '{{ coordinator }}';
  const asked = async (more: object) => {
    const body = { html: url, with_fields: false, with_file: true, ...more };
    const preview = await alice.call<{ warnings?: object[] }>('venom/preview-campaign', body);
    const check = await alice.call<{ warnings?: object[] }>('venom/check-campaign', {
      ...post(body),
      is_schedule: false,
    });
    const ofField = ({ body: { data, details } }: typeof preview) =>
      data?.warnings ? data.warnings.filter((one) => 'code' in one && one.code === 'placeholder_left') : details;
    expect(ofField(preview)).toEqual(ofField(check));
    return ofField(preview);
  };
  const LEFT = [{ code: 'placeholder_left', params: { names: `"${field}"` } }];
  const { media_id } = (await upload(app.url, alice.token, PNG)).body.data;
  const start_at = '2031-07-05T09:00:00Z';
  for (const more of [
    { media: [{ media_id, caption: field }] },
    { media: [{ media_id, file_name: field }] },
    { file_name: field },
    { link_preview: { url, title: field } },
    { html: '', with_file: false, poll: { question: field, options: ['Yes', 'No'] } },
    { html: '', with_file: false, event: { name: 'Fair', place: field, start_at } },
  ])
    expect(await asked(more), JSON.stringify(more)).toMatchObject(LEFT);
  const inGerman = [{ language: 'de', html: field }];
  expect(await asked({ translations: inGerman })).toMatchObject([{ params: { language: 'de' } }]);
  const foreign = { url: 'https://example.com/', title: 'Elsewhere' };
  for (const with_fields of [false, true])
    expect(await asked({ with_fields, link_preview: foreign })).toMatchObject([
      { field: 'link_preview.url', code: 'foreign_link' },
    ]);
  const poll = { question: 'Who?', options: ['Ana', 'Bo'] };
  expect(await asked({ with_file: false, poll })).toMatchObject([{ field: 'poll', code: 'own_message' }]);
});

test.each([
  [
    'an unknown name',
    { html: '{{ nobody }} and {{ coordinator }}' },
    'with_fields has fields that the workspace does not have: nobody',
  ],
  [
    'an unknown name in a poll',
    { html: '', poll: { question: '{{ nobody }}?', options: ['a', 'b'] } },
    'with_fields has fields that the workspace does not have: nobody',
  ],
  ['broken braces', { html: 'Ask {{ coordinator }' }, 'html has braces that are no field: {{ coordinator }'],
  [
    'a fallback without quotes',
    { html: '{{ coordinator | office }}' },
    'html has braces that are no field: {{ coordinator | office }}',
  ],
  ['an empty name', { html: 'Ask {{ }} now' }, 'html has braces that are no field: {{ }} now'],
  [
    'formatting inside',
    { html: '{{ <b>coordinator</b> }}' },
    'html has a field with formatting inside: {{ coordinator }}',
  ],
  ['a field over two lines', { html: '{{ coordi<br>nator }}' }, 'html has braces that are no field: {{ coordi'],
  [
    'broken braces in a file name',
    { html: 'Hi', file_name: '{{ x', image: 'iVBORw0KGgo=' },
    'file_name has braces that are no field: {{ x',
  ],
])('rejects %s, and names it', async (_, more, problem) => {
  await give('coordinator', ['Ana', 'Bo', 'Cy']);
  const answer = await alice.call('venom/add-campaign', post(more));
  expect(answer.status).toBe(400);
  expect(problemsOf(answer).join('\n')).toContain(problem);
});

test('rejects a post for groups without a value and names them; a check counts them', async () => {
  await give('coordinator', ['Ana', undefined, '\u200b ']);
  const answer = await alice.call('venom/add-campaign', post());
  expect(answer.status).toBe(400);
  const names = await readRows<{ name: string }>(db)`select name from groups where group_id = any(${groups}::bigint[])`;
  expect(problemsOf(answer)).toEqual([
    `group_metadata_ids has groups without a value for coordinator: ${names[1]?.name}, ${names[2]?.name}`,
  ]);
  const { body } = await alice.call<{
    fields: object;
    groups: { ok: number; problems: Array<{ group_metadata_id: number; code: string }> };
  }>('venom/check-campaign', { ...post(), is_schedule: false });
  expect(body.data.fields).toEqual({ without_value: 2, unfit: 0 });
  expect(body.data.groups).toMatchObject({
    ok: 1,
    problems: [{ group_metadata_id: groups[1], code: 'no_value' }, { group_metadata_id: groups[2] }],
  });
});

test('leaves groups without a value out where the post says so', async () => {
  await give('coordinator', ['Ana', undefined, 'Cy']);
  const id = await send(post({ on_missing_value: 'leave_out' }));
  expect(await lastTexts()).toEqual(['Ask Ana', undefined, 'Ask Cy']);
  const { groups: rows, campaign } = await resultsOf(id);
  expect(campaign.status).toBe('completed');
  expect(rows.map(({ sent, cancelled, failed }) => [sent, cancelled, failed])).toEqual([
    [1, 0, 0],
    [0, 1, 0],
    [1, 0, 0],
  ]);
});

test('a scheduled post takes the values of the time when its run begins, and fails where one is missing; a retry takes what is there by then', async () => {
  await give('coordinator', ['Ana', 'Bo', 'Cy']);
  const id = await schedule();
  await give('coordinator', ['Ada', undefined]);
  await app.database.clock.set('2031-06-03T07:00:01Z');
  const { campaign, groups: rows } = await ended(id);
  expect(campaign.status).toBe('completed_with_errors');
  expect(await lastTexts()).toEqual(['Ask Ada', undefined, 'Ask Cy']);
  expect(rows[1]).toMatchObject({
    failed: 1,
    last_error: expect.stringMatching(/^The group has no value for coordinator\. Change the value/),
  });
  expect((await alice.call('venom/retry-campaign', { campaign_id: id })).status).toBe(200);
  expect((await ended(id)).groups[1]).toMatchObject({ failed: 1 });
  await give('coordinator', ['Ada', 'Bea']);
  expect((await alice.call('venom/retry-campaign', { campaign_id: id })).status).toBe(200);
  await untilCompleted(alice.call, id);
  expect(await lastTexts()).toEqual(['Ask Ada', 'Ask Bea', 'Ask Cy']);
  expect(await messagesOf(0)).toHaveLength(1);
});

test('values are fixed when the run begins: a correction says the same, and reads new fields', async () => {
  await give('coordinator', ['Ana', 'Bo', 'Cy']);
  const id = await send();
  await give('coordinator', ['Ada', 'Ben', 'Cem']);
  await give('room', ['1', '2', '3']);
  const correction = await alice.call('venom/correct-campaign', {
    campaign_id: id,
    html: '{{ coordinator }} in {{ room }}',
  });
  expect(correction.status, JSON.stringify(correction.body)).toBe(200);
  await until(
    () => lastTexts(),
    (texts) => texts[2] === 'Cy in 3',
  );
  expect(await lastTexts()).toEqual(['Ana in 1', 'Bo in 2', 'Cy in 3']);
  await give('room', ['7', '8', '9']);
  await alice.call('venom/correct-campaign', { campaign_id: id, html: 'Room {{ room }}, {{ coordinator }}' });
  await until(
    () => lastTexts(),
    (texts) => texts[2] === 'Room 3, Cy',
  );
  const kept = await readRows<{ values: object }>(
    db,
  )`select field_values as values from delivery_values where workspace_id = ${workspaceId} order by position`;
  expect(kept.map(({ values }) => values)).toEqual([
    { coordinator: 'Ana', room: '1' },
    { coordinator: 'Bo', room: '2' },
    { coordinator: 'Cy', room: '3' },
  ]);
  const plain = await alice.call('venom/correct-campaign', {
    campaign_id: id,
    html: 'As {{ it }} is',
    with_fields: false,
  });
  expect(plain.status).toBe(200);
  await until(
    () => lastTexts(),
    (texts) => texts[0] === 'As {{ it }} is',
  );
  const lacking = await alice.call('venom/correct-campaign', {
    campaign_id: id,
    html: '{{ unheard }}',
    with_fields: true,
  });
  expect(problemsOf(lacking)).toEqual(['with_fields has fields that the workspace does not have: unheard']);
});

test('a correction needs no value that its groups were given already, and none of groups without a post', async () => {
  await give('coordinator', ['Ana', undefined, 'Cy']);
  const id = await send(post({ on_missing_value: 'leave_out' }));
  await give('coordinator', [undefined, undefined, 'Cem']);
  const correct = (more: object) =>
    alice.call('venom/correct-campaign', { campaign_id: id, html: 'Do ask {{ coordinator }}', ...more });
  const kept = await correct({});
  expect(kept.status, JSON.stringify(kept.body)).toBe(200);
  await until(
    () => lastTexts(),
    (texts) => texts[2] === 'Do ask Cy',
  );
  expect(await lastTexts()).toEqual(['Do ask Ana', undefined, 'Do ask Cy']);
  const strict = await correct({ html: 'Ask {{ coordinator }}', on_missing_value: 'reject' });
  expect(strict.status, JSON.stringify(strict.body)).toBe(200);
  await give('room', [undefined, undefined, '3']);
  const [first] = await readRows<{ name: string }>(db)`select name from groups where group_id = ${groups[0]}`;
  expect(problemsOf(await correct({ html: '{{ room }}', on_missing_value: 'reject' }))).toEqual([
    `group_metadata_ids has groups without a value for room: ${first?.name}`,
  ]);
});

test('fills captions, polls, events, links, cards and file names', async () => {
  await give('coordinator', ['*Ana*', 'Bo & "Co"', 'C/y?']);
  await give('site', ['https://example.org/a_b_c', undefined, 'https://x.example/?q=*1*'], 'link');
  await send(
    post({ html: '', poll: { question: 'Does {{ coordinator }} come?', options: ['Yes, {{ coordinator }}', 'No'] } }),
  );
  expect((await messagesOf(0)).at(-1)?.poll).toMatchObject({
    question: 'Does *Ana* come?',
    options: ['Yes, *Ana*', 'No'],
  });
  await send(
    post({
      html: '',
      event: { name: 'With {{ coordinator }}', place: '{{ group }}', start_at: '2031-07-01T10:00:00Z' },
    }),
  );
  expect((await messagesOf(1)).at(-1)?.event).toMatchObject({ name: 'With Bo & "Co"' });
  await send(
    post({
      html: '<b>See</b> <a href="https://example.org/?by={{ coordinator }}">here</a> and {{ site | "no link" }}',
      link_preview: { url: 'https://example.org/?by={{ coordinator }}', title: 'By {{ coordinator }}' },
    }),
  );
  expect(await lastTexts()).toEqual([
    '*See* here (https://example.org/?by=%2AAna%2A) and https://example.org/a_b_c',
    '*See* here (https://example.org/?by=Bo%20%26%20%22Co%22) and no link',
    '*See* here (https://example.org/?by=C%2Fy%3F) and https://x.example/?q=*1%2A',
  ]);
  expect((await messagesOf(2)).at(-1)?.link_preview).toMatchObject({
    url: 'https://example.org/?by=C%2Fy%3F',
    title: 'By C/y?',
  });
  const pdf = Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n').toString('base64');
  await send(post({ html: 'For {{ coordinator }}', image: pdf, file_name: 'Plan {{ coordinator }}.pdf' }));
  expect((await messagesOf(2)).at(-1)?.files?.[0]).toMatchObject({ file_name: 'Plan C y.pdf' });
  expect((await messagesOf(1)).at(-1)?.text).toBe('For Bo & "Co"');
});

test('values are text: they bring in no marks, no mentions, no lines and no links', async () => {
  await give('coordinator', ['*Ana*', '@all\n> a', 'https://evil.example/x']);
  await send(post({ text: '*Ask* {{ coordinator }}', html: undefined }));
  expect((await lastTexts()).map((text) => text?.replaceAll(/[\u034f\u200b]/g, '·'))).toEqual([
    '*Ask* ·*Ana*·',
    '*Ask* @·all > a',
    '*Ask* https://·evil.example/x',
  ]);
});

test('values that make a part too long, or options the same, are rejected, and fail in a run', async () => {
  await give('coordinator', ['Ana', 'No', 'x'.repeat(100)]);
  const poll = { html: '', poll: { question: 'Who?', options: ['{{ coordinator }}!', 'No!'] } };
  const answer = await alice.call('venom/add-campaign', post(poll));
  expect(problemsOf(answer)).toHaveLength(2);
  const { body } = await alice.call<{ fields: object }>('venom/check-campaign', { ...post(poll), is_schedule: false });
  expect(body.data.fields).toEqual({ without_value: 0, unfit: 2 });
  await give('coordinator', ['Ana', 'Bo', 'Cy']);
  const id = await schedule(later(poll));
  await give('coordinator', ['Ana', 'No', 'x'.repeat(100)]);
  await app.database.clock.set('2031-06-03T07:00:01Z');
  const { groups: rows, campaign } = await ended(id);
  expect(campaign.status).toBe('completed_with_errors');
  expect(rows.map(({ last_error }) => last_error)).toEqual([
    null,
    expect.stringContaining('two options of the poll are the same'),
    expect.stringContaining('options is longer than 100'),
  ]);
  const long = await alice.call('venom/add-campaign', post({ html: `${'a'.repeat(65_500)} {{ coordinator }}` }));
  expect(problemsOf(long)[0]).toContain('values that do not fit');
});

test('a preview shows the text for a group, or why it gets none', async () => {
  await give('coordinator', ['Ana', undefined]);
  const preview = async (group_metadata_id?: number) =>
    (
      await alice.call<{ text: string; unfit?: object }>('venom/preview-campaign', {
        html: 'Ask <b>{{coordinator}}</b>',
        with_fields: true,
        group_metadata_id,
      })
    ).body.data;
  expect(await preview()).toMatchObject({ text: 'Ask *{{ coordinator }}*' });
  expect(await preview(groups[0])).toMatchObject({ text: 'Ask *Ana*', length: 9 });
  expect(await preview(groups[1])).toMatchObject({
    text: 'Ask *{{ coordinator }}*',
    unfit: { code: 'value_missing', params: { fields: 'coordinator' } },
  });
  const other = await app.signUp(`bob-${randomUUID().slice(0, 8)}`);
  const foreign = await other.call('venom/preview-campaign', {
    html: 'Hi',
    with_fields: true,
    group_metadata_id: groups[0],
  });
  expect(foreign).toMatchObject({ status: 404, body: { details: [{ field: 'group_metadata_id' }] } });
});

test('a preview has the date, weekday and time of the first run of its schedule, else those of now', async () => {
  await app.database.clock.set('2031-06-02T10:00:00Z');
  const preview = async (more: object) => {
    const body = { html: '{{ weekday }}, {{ date }}, {{ time }}', with_fields: true, group_metadata_id: groups[0] };
    return (await alice.call<{ text: string }>('venom/preview-campaign', { ...body, ...more })).body.data.text;
  };
  const plan = {
    start_date: '2031-06-02',
    end_date: '2031-06-05',
    schedule_time: '09:00:00',
    time_zone: 'Asia/Kolkata',
    skip_dates: ['2031-06-03'],
  };
  expect(await preview(plan)).toBe('Wednesday, 4 June 2031, 09:00');
  expect(await preview({ ...plan, is_schedule: true, end_date: null, recurrence: 'FREQ=MONTHLY;BYDAY=1MO' })).toBe(
    'Monday, 7 July 2031, 09:00',
  );
  const now = 'Monday, 2 June 2031, 12:00';
  for (const more of [
    {},
    { ...plan, is_schedule: false },
    { ...plan, end_date: '2031-06-02' },
    { schedule_time: '09:00:00', is_schedule: false },
  ])
    expect(await preview(more)).toBe(now);
});

test.each([
  [['schedule_time'], { start_date: '2031-06-05', end_date: '2031-06-05' }],
  [['start_date'], { schedule_time: '09:00:00', end_date: '2031-06-05' }],
  [['end_date'], { start_date: '2031-06-05', schedule_time: '09:00:00' }],
  [['start_date', 'schedule_time'], { end_date: '2031-06-05' }],
  [['start_date', 'schedule_time'], { recurrence: 'FREQ=DAILY' }],
  [['start_date', 'schedule_time', 'end_date'], { is_schedule: true }],
])('a preview for a group asks for %j of a schedule of which only the rest was sent', async (missing, plan) => {
  const body = { html: '{{ date }}', with_fields: true, group_metadata_id: groups[0] };
  const answer = await alice.call('venom/preview-campaign', { ...body, ...plan });
  expect(answer.body.details).toMatchObject(missing.map((field) => ({ field, code: 'required' })));
  // Elsewhere it means nothing.
  const plain = await alice.call('venom/preview-campaign', { ...body, ...plan, with_fields: false });
  expect(plain.status).toBe(200);
});

test('a text whose field is gone means the new field of that name once it is sent again', async () => {
  await give('coordinator', ['Ana', 'Bo', 'Cy']);
  const { headers } = await alice.call('venom/add-campaign-batch', later());
  const campaign_id = headers.get('x-campaign-id');
  const { body } = await alice.call<{ fields: Array<{ field_id: number }> }>('venom/list-fields');
  const remove = body.data.fields.map((field) => field.field_id);
  expect((await alice.call('venom/set-fields', { remove, remove_in_use: true })).status).toBe(200);
  await give('coordinator', ['Di', 'Ed', 'Flo']);
  const change = { campaign_id, html: 'Ask {{ coordinator }}' };
  const changed = await alice.call('venom/update-campaign', change);
  expect(changed.status, JSON.stringify(changed.body)).toBe(200);
  await app.database.clock.set('2031-06-03T07:00:01Z');
  await ended(campaign_id ?? '');
  expect(await lastTexts()).toEqual(['Ask Di', 'Ask Ed', 'Ask Flo']);
});

test('posts that failed for a field that is gone have the new field of that name once they are sent again', async () => {
  await give('coordinator', ['Ana', 'Bo', 'Cy']);
  const { headers } = await alice.call('venom/add-campaign-batch', later());
  const campaign_id = headers.get('x-campaign-id') ?? '';
  const { body } = await alice.call<{ fields: Array<{ field_id: number }> }>('venom/list-fields');
  const remove = body.data.fields.map((field) => field.field_id);
  expect((await alice.call('venom/set-fields', { remove, remove_in_use: true })).status).toBe(200);
  await give('coordinator', ['Di', 'Ed', undefined]);
  await app.database.clock.set('2031-06-03T07:00:01Z');
  expect((await ended(campaign_id)).groups).toMatchObject([{ failed: 1 }, { failed: 1 }, { failed: 1 }]);
  expect((await alice.call('venom/retry-campaign', { campaign_id })).status).toBe(200);
  expect((await ended(campaign_id)).groups).toMatchObject([{ sent: 1 }, { sent: 1 }, { failed: 1 }]);
  expect((await lastTexts()).slice(0, 2)).toEqual(['Ask Di', 'Ask Ed']);
});

test('fields of a link preview alone are known, needed and filled as all others', async () => {
  const url = 'https://example.org/';
  const about = (title: string) => post({ html: url, link_preview: { url, title } });
  await give('coordinator', ['Ana', undefined, 'Cy']);
  const { body } = await alice.call('venom/add-campaign', about('By {{ coordinator }}'));
  expect(body).toMatchObject({ details: [{ code: 'groups_without_value' }] });
  expect((await alice.call('venom/add-campaign', about('By {{ nobody_knows }}'))).status).toBe(400);
  expect((await alice.call('venom/add-campaign', about('By {{ x'))).status).toBe(400);
  await send({ ...about('By {{ coordinator | "us" }}') });
  const titles = await Promise.all(
    [0, 1, 2].map(async (index) => (await messagesOf(index)).at(-1)?.link_preview?.title),
  );
  expect(titles).toEqual(['By Ana', 'By us', 'By Cy']);
});

test('a preview fills the poll, event, captions, file names and link preview for a group', async () => {
  await give('coordinator', ['Ana & Bo', undefined]);
  const preview = async (more: object, group_metadata_id = groups[0]) =>
    (
      await alice.call<{ in_group?: object; unfit?: object }>('venom/preview-campaign', {
        html: '',
        with_fields: true,
        group_metadata_id,
        ...more,
      })
    ).body;
  const poll = { question: 'Can {{coordinator}} come?', options: ['Yes, {{ coordinator | "x" }}', 'No'] };
  expect(await preview({ poll })).toMatchObject({
    data: {
      text: '',
      in_group: { poll: { question: 'Can Ana & Bo come?', options: ['Yes, Ana & Bo', 'No'] }, event: null },
    },
  });
  const start_at = '2031-07-05T09:00:00Z';
  const event = {
    name: 'With {{ coordinator }}',
    description: 'Ask {{ coordinator }}',
    place: 'At {{ group }}',
    start_at,
  };
  const place = expect.stringMatching(/^At (?!.*[{}])/);
  expect(await preview({ event })).toMatchObject({
    data: { in_group: { event: { name: 'With Ana & Bo', description: 'Ask Ana & Bo', place }, poll: null } },
  });
  const url = 'https://example.com/{{ coordinator }}';
  const link_preview = { url, title: 'For {{ coordinator }}', description: '' };
  const media = [{ media_id: 1, caption: '*{{ coordinator }}*', file_name: 'For {{ coordinator }}: 1' }];
  expect(await preview({ html: url, link_preview, media, with_file: true })).toMatchObject({
    data: {
      text: 'https://example.com/Ana%20%26%20Bo',
      in_group: {
        link_preview: { url: 'https://example.com/Ana%20%26%20Bo', title: 'For Ana & Bo', description: '' },
        media: [{ media_id: 1, caption: '*Ana & Bo*', file_name: 'For Ana & Bo 1' }],
      },
    },
  });
  const lacking = await preview({ poll }, groups[1]);
  expect(lacking).toMatchObject({ data: { unfit: { code: 'value_missing' } } });
  expect(lacking.data).not.toHaveProperty('in_group');
  expect((await preview({ poll, with_fields: false })).data).not.toHaveProperty('in_group');
  const open = { question: 'Is it {{ coordinator?', options: ['Yes', 'No'] };
  expect(await preview({ poll: open })).toMatchObject({
    code: 400,
    details: [{ field: 'poll', code: 'field_broken' }],
  });
  const unknown = { question: 'Is it {{ nobody }}?', options: ['Yes', 'No'] };
  expect(await preview({ poll: unknown })).toMatchObject({ code: 400, details: [{ code: 'field_unknown' }] });
  const alike = { question: 'Who?', options: ['{{ coordinator }}', 'Ana & Bo'] };
  expect(await preview({ poll: alike })).toMatchObject({ data: { unfit: { code: 'values_alike' } } });
});

test('a campaign tells what a group got, whatever has changed since', async () => {
  await give('Coordinator', ['Ana', undefined, 'Cy']);
  const poll = { question: 'Does {{ coordinator | "somebody" }} come?', options: ['Yes', 'No'] };
  const asked = await send(post({ html: '', poll }));
  const said = await send(post({ html: 'Ask {{ coordinator }}', on_missing_value: 'leave_out' }));
  await give('Coordinator', ['Ada', 'Ben', 'Cem']);
  const inGroup = async (campaign_id: string, index: number, more: object = {}) => {
    const body = { campaign_id, group_metadata_id: groups[index], ...more };
    return (await alice.call<{ in_group?: object }>('venom/get-campaign', body)).body.data.in_group;
  };
  expect(await inGroup(said, 0)).toEqual({
    run_id: expect.any(Number),
    text: 'Ask Ana',
    file_name: null,
    media: null,
    link_preview: null,
    poll: null,
    event: null,
    values: { coordinator: 'Ana' },
  });
  expect(await inGroup(said, 1)).toMatchObject({ text: null, values: { coordinator: null } });
  expect(await inGroup(asked, 1)).toMatchObject({ text: '', poll: { question: 'Does somebody come?' } });
  const other = { campaign_id: said, group_metadata_id: groups[0], run_id: 999_999 };
  expect((await alice.call('venom/get-campaign', other)).body).toMatchObject({ error_code: 'run_not_found' });
  expect(await inGroup(await send({ ...post({ html: 'All' }), with_fields: false }), 0)).toBeUndefined();
  const bob = await app.signUp(`bob-${randomUUID().slice(0, 8)}`);
  const foreign = { campaign_id: said, group_metadata_id: groups[0] };
  expect((await bob.call('venom/get-campaign', foreign)).status).toBe(404);
});

test('an update keeps fields unless it says otherwise, and copies and drafts have them', async () => {
  await give('coordinator', ['Ana', 'Bo', 'Cy']);
  const id = await schedule(later({ on_missing_value: 'leave_out' }));
  const read = async () =>
    (await alice.call<Record<string, unknown>>('venom/get-campaign', { campaign_id: id })).body.data;
  expect(await read()).toMatchObject({
    with_fields: true,
    on_missing_value: 'leave_out',
    text: 'Ask {{ coordinator }}',
  });
  const copy = (await alice.call('venom/duplicate-campaign', { campaign_id: id })).body.data;
  expect(copy).toMatchObject({ with_fields: true, on_missing_value: 'leave_out' });
  expect(
    (await alice.call('venom/update-campaign', { campaign_id: id, html: 'Do ask {{ coordinator }}' })).status,
  ).toBe(200);
  expect(await read()).toMatchObject({ with_fields: true, on_missing_value: 'leave_out' });
  expect((await alice.call('venom/update-campaign', { campaign_id: id, schedule_time: '10:00:00' })).status).toBe(200);
  expect((await alice.call('venom/update-campaign', { campaign_id: id, on_missing_value: 'reject' })).status).toBe(200);
  expect(await read()).not.toHaveProperty('on_missing_value');
  expect((await alice.call('venom/update-campaign', { campaign_id: id, with_fields: false })).status).toBe(200);
  expect(await read()).not.toHaveProperty('with_fields');
  expect((await alice.call('venom/update-campaign', { campaign_id: id, with_fields: true })).status).toBe(200);
  await app.database.clock.set('2031-06-03T08:00:01Z');
  await untilCompleted(alice.call, id);
  expect(await lastTexts()).toEqual(['Do ask Ana', 'Do ask Bo', 'Do ask Cy']);

  const draft_id = randomUUID();
  const saved = await alice.call('venom/save-draft', {
    draft_id,
    version: 0,
    html: '{{ coordinator }}',
    with_fields: true,
    on_missing_value: 'leave_out',
    file_name: '{{ coordinator | "x" }}',
  });
  expect(saved.status, JSON.stringify(saved.body)).toBe(200);
  const { body } = await alice.call<{ drafts: Array<{ content: object }> }>('venom/list-drafts', { draft_id });
  expect(body.data.drafts[0]?.content).toMatchObject({
    with_fields: true,
    on_missing_value: 'leave_out',
    file_name: '{{ coordinator | "x" }}',
  });
});

test('each run of a plan without an end takes the values of the time when it begins', async () => {
  await give('coordinator', ['Ana', 'Bo', 'Cy']);
  const body = later({ html: '{{ coordinator }} on {{ weekday }}', end_date: undefined, recurrence: 'FREQ=DAILY' });
  const id = await schedule(body);
  const sentWhen = (posts: number) =>
    until(
      async () => (await resultsOf(id)).groups.reduce((sum, { sent }) => sum + sent, 0),
      (sent) => sent === posts,
    );
  await app.database.clock.set('2031-06-03T07:00:01Z');
  await sentWhen(3);
  expect(await lastTexts()).toEqual(['Ana on Tuesday', 'Bo on Tuesday', 'Cy on Tuesday']);
  await give('coordinator', ['Ada']);
  await app.database.clock.set('2031-06-04T07:00:01Z');
  await sentWhen(6);
  expect(await lastTexts()).toEqual(['Ada on Wednesday', 'Bo on Wednesday', 'Cy on Wednesday']);
});

test('renamed fields go on, and removed ones count as missing', async () => {
  await give('coordinator', ['Ana', 'Bo', 'Cy']);
  const id = await schedule();
  const second = await schedule(
    later({ start_date: '2031-06-04', end_date: '2031-06-04', html: 'Do ask {{ coordinator }}' }),
  );
  const { fields } = (await alice.call<{ fields: Array<{ field_id: number }> }>('venom/list-fields')).body.data;
  const fieldId = fields[0]?.field_id;
  await alice.call('venom/set-fields', { fields: [{ field_id: fieldId, name: 'Contact' }] });
  await app.database.clock.set('2031-06-03T07:00:01Z');
  await untilCompleted(alice.call, id);
  expect(await lastTexts()).toEqual(['Ask Ana', 'Ask Bo', 'Ask Cy']);
  // A new field of the name is another one.
  await give('coordinator', ['X', 'Y', 'Z']);
  await alice.call('venom/set-fields', { remove: [fieldId], remove_in_use: true });
  await app.database.clock.set('2031-06-04T07:00:01Z');
  expect((await ended(second)).groups.map(({ failed }) => failed)).toEqual([1, 1, 1]);
});

test('a field is not removed while posts that are yet to begin or lists by rule need it', async () => {
  await give('coordinator', ['Ana', 'Bo', 'Cy']);
  await give('City', ['Pune', 'Goa', 'Goa']);
  await give('Speaks', ['de', 'en', 'en'], 'language');
  const { fields } = (await alice.call<{ fields: Array<{ field_id: number }> }>('venom/list-fields')).body.data;
  const [coordinator, city, speaks] = fields.map(({ field_id: id }) => id);
  const remove = (...ids: unknown[]) => alice.call('venom/set-fields', { remove: ids });
  const needed = (place: number, posts: number, lists: number, names: unknown) => ({
    field: `remove.${place}`,
    code: 'field_in_use',
    params: { posts, lists, names },
  });
  await send();
  const planned = await schedule();
  await schedule(later({ name: 'With a fallback', html: '{{ City | "here" }}' }));
  await alice.call('workspace/set-approval-rules', { approval: 'authors' });
  const approval_id = randomUUID();
  await alice.call('venom/request-approval', { ...later({ name: 'Waits' }), approval_id });
  await alice.call('venom/save-group-list', { name: 'Goans', rule: { all: [{ field: 'City', is: 'Goa' }] } });
  const refused = await remove(city, coordinator);
  expect(refused.body).toMatchObject({
    code: 409,
    error_code: 'field_in_use',
    message: expect.stringContaining('Goans'),
    details: [needed(0, 0, 1, 'Goans'), needed(1, 2, 0, 'Fair, Waits')],
  });
  expect((await remove(speaks)).status).toBe(200);
  await give('Speaks', ['de', 'en', 'en'], 'language');
  const listed = (await alice.call<{ fields: Array<{ field_id: number }> }>('venom/list-fields')).body.data.fields;
  const again = listed.at(-1)?.field_id;
  await schedule(later({ name: 'Two languages', html: 'Hi', translations: [{ language: 'de', html: 'Hallo' }] }));
  expect((await remove(again)).body.details).toMatchObject([needed(0, 1, 0, 'Two languages')]);
  await alice.call('venom/cancel-campaign', { campaign_id: planned });
  await alice.call('venom/withdraw-approval', { approval_id });
  expect((await remove(coordinator)).status).toBe(200);
  const forced = await alice.call('venom/set-fields', { remove: [city, again], remove_in_use: true });
  expect(forced.status).toBe(200);
});

test('a change of one part leaves the fields of the others as they are, whatever has their names by then', async () => {
  await give('City', ['Old', 'Old', 'Old']);
  const html = 'A {{city}}';
  const ids = [
    await schedule(later({ html, translations: [{ language: 'fr', html: 'F {{city}}' }] })),
    await schedule(later({ html, file_name: 'a.png', image: PNG.toString('base64') })),
  ];
  const { fields } = (await alice.call<{ fields: Array<{ field_id: number }> }>('venom/list-fields')).body.data;
  await alice.call('venom/set-fields', { fields: [{ field_id: fields[0]?.field_id, name: 'Town' }] });
  const changes = [{ translations: [{ language: 'fr', html: 'F2' }] }, { file_name: 'b.png' }];
  const change = async (what: string) => {
    for (const [index, campaign_id] of ids.entries()) {
      const answer = await alice.call('venom/update-campaign', { campaign_id, ...changes[index] });
      expect(answer.status, `${what}: ${JSON.stringify(answer.body)}`).toBe(200);
    }
  };
  await change('nobody has the name');
  await give('City', ['New', 'New', 'New']);
  changes[0] = { translations: [{ language: 'fr', html: 'F3' }] };
  changes[1] = { file_name: 'c.png' };
  await change('another field has it');
  await app.database.clock.set('2031-06-03T07:00:01Z');
  for (const id of ids) await untilCompleted(alice.call, id);
  const anew = await schedule(later({ html: 'A {{city}}', start_date: '2031-06-04', end_date: '2031-06-04' }));
  await app.database.clock.set('2031-06-04T07:00:01Z');
  await untilCompleted(alice.call, anew);
  expect((await messagesOf(0)).map(({ text }) => text)).toEqual(['A Old', 'A Old', 'A New']);
});

test('values of deliveries go with the deliveries', async () => {
  await give('coordinator', ['Ana', 'Bo', 'Cy']);
  const id = await send();
  await send(post({ html: 'No field' }));
  expect(await valuesKept()).toBe(3);
  await alice.call('venom/delete-campaign', { campaign_id: id });
  while (await removeDeleted(db));
  expect(await valuesKept()).toBe(0);
});
