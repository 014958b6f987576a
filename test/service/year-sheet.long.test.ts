/**
 * A year's sheet for 120 groups in three languages: imported, changed, imported again, and sent under the moved clock by a worker that is
 * killed in the middle of sending. What the members saw is recounted by plain code that shares nothing with the service.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { execute, readCount } from '../../src/platform/database/statements.ts';
import { useTestApp } from '../support/app.ts';
import { draw, pick, seededRandom } from '../support/inputs/random.ts';
import { textRow, writeXlsx } from '../support/inputs/xlsx.ts';
import { until } from '../support/ledger.ts';
import { removeService, startService, type Service } from '../support/service/service.ts';

const YEAR = 2032;
const ROWS = 400;
const GROUPS = 120;
/** Of the steps in which all groups get a post, these are interrupted. */
const KILL_SHARE = 0.7;
const random = seededRandom(20_320_101);
const one = <T>(of: readonly T[]) => pick(random, of);
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
const app = await useTestApp({ role: 'api', sandboxSpeed: 0 });
const { db, clock, address, stateDir } = app.database;
const alice = await app.signUp('alice');

async function ask<Data>(path: string, body: object = {}): Promise<Data> {
  const answer = await alice.call<Data>(path, body);
  expect([path, answer.status, answer.body.message, answer.body.details]).toEqual([path, 200, undefined, undefined]);
  return answer.body.data;
}

/** A process of its own, which sends one post a turn. */
let worker: Service | undefined;
afterAll(async () => {
  await worker?.kill();
  if (worker) await removeService(worker);
});
async function startWorker(): Promise<void> {
  if ('url' in address) throw new Error('tests need a server on a Unix socket');
  const { user, database, socketFolder, port } = address;
  const DATABASE_URL = `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(socketFolder)}`;
  const secrets = { JWT_SECRET: 'the secret of the tests, long enough', ENCRYPTION_KEY: '07'.repeat(32) };
  const pace = { SANDBOX_GAP_MS: '1-3', SANDBOX_SPEED: '0' };
  const environment = { ROLE: 'worker', STATE_DIR: stateDir, DATABASE_URL, ...secrets, ...pace };
  worker = await startService({ ...(worker && { folder: worker.folder }), environment });
}

// Groups, lists and templates.
type Language = 'en' | 'de' | 'es';
/** '' is no value. */
const TOWNS = ['Ulm', 'Cádiz', 'Bath', 'Łódź', ''];
const PEOPLE = ['Ana Ruiz', 'Jörg Öz', "Pat O'Hara", 'Ravi', ''];
const TONGUES: Record<string, Language> = { German: 'de', 'de-AT': 'de', 'es-MX': 'es', en: 'en', '': 'en' };
const drawValues = () => ({ Town: one(TOWNS), Coordinator: one(PEOPLE), Tongue: one(Object.keys(TONGUES)) });
type Group = { id: number; name: string } & ReturnType<typeof drawValues>;
const groups: Group[] = [];
const SMALL_LISTS = ['North', 'South', 'East', 'West', 'Choirs'];
const lists = new Map<string, { id: number; members: readonly Group[] }>();

const setValues = (some: readonly Group[]) =>
  ask('venom/set-group-fields', {
    groups: some.map(({ id, Town, Coordinator, Tongue }) => ({
      group_metadata_id: id,
      fields: { Town, Coordinator, Tongue },
    })),
  });

async function saveList(name: string, members: readonly Group[]): Promise<void> {
  const known = lists.get(name);
  const body = { name, group_metadata_ids: members.map(({ id }) => id), ...(known && { group_list_id: known.id }) };
  const { group_list_id: id } = await ask<{ group_list_id: number }>('venom/save-group-list', body);
  lists.set(name, { id, members });
}

async function addGroups(): Promise<void> {
  const list = () =>
    ask<{ groups: Array<{ group_metadata_id: number; group_name: string }> }>('venom/list-groups', { limit: 500 });
  const { length } = (await list()).groups;
  for (const group_name of times(GROUPS - length, (index) => `Group ${index}`))
    await ask('venom/create-group', { group_name, participants: ['4915100001'] });
  for (const { group_metadata_id: id, group_name: name } of (await list()).groups)
    groups.push({ id, name, ...drawValues() });
  expect(new Set(groups.map(({ name }) => name)).size).toBe(GROUPS);
  const fields = [{ name: 'Town' }, { name: 'Coordinator' }, { name: 'Tongue', kind: 'language' }];
  await ask('venom/set-fields', { fields });
  await setValues(groups);
  for (const name of SMALL_LISTS) await saveList(name, draw(random, groups, 10));
  await saveList('Everybody', groups);
}

type Texts = Partial<Record<Language, string>> & { en: string };
const TEMPLATES: Record<string, Texts> = {
  Weekly: {
    en: 'At {{ time }} in {{ town | "your town" }}: ask {{ coordinator | "the office" }}.',
    de: 'Um {{ time }} in {{ town | "eurem Ort" }}: fragt {{ coordinator | "das Büro" }}.',
    es: 'A las {{ time }} en {{ town | "su pueblo" }}: pregunten a {{ coordinator | "la oficina" }}.',
  },
  Meeting: { en: '{{ coordinator }} meets {{ group }}.', de: '{{ coordinator }} trifft {{ group }}.' },
};
const NEW_GERMAN = 'Neu um {{ time }}: {{ coordinator | "das Büro" }}.';
const templateIds: Record<string, string> = { Weekly: randomUUID(), Meeting: randomUUID() };

async function saveTemplate(name: string, version: number): Promise<void> {
  const { en: html, ...others } = TEMPLATES[name] ?? { en: '' };
  const translations = Object.entries(others).map(([language, text]) => ({ language, html: text }));
  const choices = { with_fields: true, ...(name === 'Meeting' && { on_missing_value: 'leave_out' }) };
  const body = { template_id: templateIds[name], version, name, html, translations, ...choices };
  await ask('venom/save-template', body);
}

// The sheet, and what becomes of its rows.
const COLUMNS = ['key', 'date', 'time', 'list', 'groups', 'template', 'text'] as const;
type Row = Record<(typeof COLUMNS)[number], string>;
interface Planned extends Row {
  due: number;
  texts: Texts;
  isBegun: boolean;
}
let sheet: Row[] = [];
const planned = new Map<string, Planned>();

const [SPRING, AUTUMN] = [`${YEAR}-03-28`, `${YEAR}-10-31`];
const addDays = (date: string, days: number) =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
/** Berlin: a time that is skipped counts as one of winter, a time that comes twice as one of summer. */
function instantOf(date: string, time: string): number {
  const local = `${date}T${time}`;
  const isSummer = local >= `${SPRING}T03:00` && local < `${AUTUMN}T03:00`;
  return Date.parse(`${local}:00+0${isSummer ? 2 : 1}:00`);
}
/** Weekly, and each day around the changes of the clock. */
const SLOTS: Array<[date: string, time: string]> = [
  ...times(50, (week): [string, string] => [addDays(`${YEAR}-01-05`, 7 * week), one(['09:00', '09:00', '18:30'])]),
  ...[SPRING, AUTUMN].flatMap((day) =>
    [-1, 0, 1].flatMap((days) => ['02:30', '09:00'].map((time): [string, string] => [addDays(day, days), time])),
  ),
];

/** Returns the groups that a row goes to if it begins now. */
function membersOf(row: Row): readonly Group[] {
  const named = row.groups.split('; ');
  return [...(lists.get(row.list)?.members ?? []), ...groups.filter(({ name }) => named.includes(name))];
}

/** Returns the campaign that a row plans now. */
function planRow(row: Row): Planned {
  const texts = row.text === '' ? TEMPLATES[row.template] : undefined;
  return { ...row, due: instantOf(row.date, row.time), texts: texts ?? { en: row.text }, isBegun: false };
}

/** Returns what a group gets; undefined if it is left out. */
function sayTo(group: Group, { texts, template, date, time: cell }: Planned): string | undefined {
  const language = TONGUES[group.Tongue] ?? 'en';
  const text = texts[language] ?? texts.en;
  if (template === '') return text;
  const time = date === SPRING && cell === '02:30' ? '03:30' : cell;
  const hour = Number(time.slice(0, 2));
  const spanish = `${hour > 12 ? hour - 12 : hour}${time.slice(2)} ${hour < 12 ? 'a' : 'p'}.m.`;
  const { name, Town: town, Coordinator: coordinator } = group;
  const values: Record<string, string> = { group: name, town, coordinator, time: language === 'es' ? spanish : time };
  const isLeftOut = coordinator === '' && text.includes('{{ coordinator }}');
  const fill = (_: string, field: string, fallback = '') => values[field] || fallback;
  return isLeftOut ? undefined : text.replaceAll(/\{\{ (\w+)(?: \| "(.*?)")? \}\}/g, fill);
}

function makeRow(key: string, after: number): Row {
  const [date, time] = one(SLOTS.filter((slot) => instantOf(...slot) > after));
  const template = one(['Weekly', 'Weekly', 'Meeting', '']);
  const own = template === '' ? `News ${key}` : `News ${key} for {{ town | "all" }}`;
  const text = template === '' || random() < 0.2 ? own : '';
  const names = draw(random, groups, 1 + Math.floor(random() * 4)).map(({ name }) => name);
  const target = random() < 0.4 ? { list: '', groups: names.join('; ') } : { list: one(SMALL_LISTS), groups: '' };
  return { key, date, time, template, text, ...target };
}

/** Texts, dates and groups of rows change, rows go and come, some of them again. Returns the keys that went. */
function changeSheet(edition: string, after: number, again: readonly string[]): string[] {
  const some = draw(
    random,
    Array.from(sheet, ({ key }) => key),
    125,
  );
  const [texts = [], dates = [], targets = [], gone = []] = [35, 35, 30, 25].map((count) => some.splice(0, count));
  sheet = sheet
    .filter(({ key }) => !gone.includes(key))
    .map((row) => {
      const { date, time, list, groups: named } = makeRow(row.key, after);
      if (texts.includes(row.key)) return { ...row, text: `${edition} of ${row.key}` };
      if (dates.includes(row.key)) return { ...row, date, time };
      return targets.includes(row.key) ? { ...row, list, groups: named } : row;
    });
  const added = times(25 - again.length, (index) => `${edition}-${index}`);
  sheet.push(...[...again, ...added].map((key) => makeRow(key, after)));
  return gone;
}

async function writeSheet(format: 'csv' | 'xlsx'): Promise<string> {
  const german = (row: Row) => ({ ...row, date: row.date.split('-').toReversed().join('.') });
  const rows = sheet.map((row, index) => (index % 5 === 0 ? german(row) : row));
  const cells = [[...COLUMNS], ...rows.map((row) => COLUMNS.map((name) => row[name]))];
  if (format === 'xlsx')
    return (await writeXlsx({ rows: cells.map((texts, index) => textRow(index + 1, texts)) })).toString('base64');
  const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
  return Buffer.from(cells.map((texts) => texts.map(quote).join(',')).join('\r\n')).toString('base64');
}

const isGone = (key: string) => planned.get(key)?.isBegun === false && !sheet.some((row) => row.key === key);

/** Returns what an import of the sheet has to answer, a line a row. */
function foretell(): string[] {
  const lines = sheet.map((row) => {
    const [before, now] = [planned.get(row.key), planRow(row)];
    if (!before || before.isBegun) return `${row.key} ${before ? 'sent' : 'new'}`;
    const targetOf = (one: Row) => JSON.stringify([one.list, one.groups.split('; ').toSorted()]);
    const isOtherText = JSON.stringify(now.texts) !== JSON.stringify(before.texts);
    const differs = {
      text: isOtherText,
      groups: targetOf(now) !== targetOf(before),
      date: now.date !== before.date,
      time: now.time !== before.time,
      template: isOtherText && row.text === '',
    };
    const changes = Object.entries(differs).flatMap(([name, isOther]) => (isOther ? [name] : []));
    return `${row.key} ${changes.length > 0 ? `changed ${changes.join()}` : 'unchanged'}`;
  });
  const gone = [...planned.keys()].filter(isGone).map((key) => `${key} gone`);
  return [...lines, ...gone].toSorted();
}

interface Imported {
  next_row: number | null;
  rows: Array<{ key: string; state: string; changes?: string[]; problems: object[] }>;
}

/** Imports the sheet in as many parts as it takes. Returns the answers, a line a row. */
async function send(file: string, dry_run: boolean): Promise<string[]> {
  const lines: string[] = [];
  for (let from_row: number | null = 1; from_row !== null;) {
    const body = { plan: 'Year', file, time_zone: 'Europe/Berlin', dry_run, from_row, remove_gone: true };
    const answer: Imported = await ask<Imported>('venom/import-plan', body);
    for (const { key, state, changes = [], problems } of answer.rows)
      lines.push([key, state, changes.join(), ...problems.map((problem) => JSON.stringify(problem))].join(' ').trim());
    from_row = answer.next_row;
  }
  return lines.toSorted();
}

/** A dry run, the import and the same again, each as foretold. Returns the states. */
async function importSheet(format: 'csv' | 'xlsx'): Promise<Record<string, number>> {
  const file = await writeSheet(format);
  const foretold = foretell();
  expect(await send(file, true)).toEqual(foretold);
  expect(await send(file, false)).toEqual(foretold);
  for (const key of [...planned.keys()].filter(isGone)) planned.delete(key);
  for (const row of sheet) if (planned.get(row.key)?.isBegun !== true) planned.set(row.key, planRow(row));
  const again = foretell();
  expect(again.filter((line) => !/ (unchanged|sent)$/.test(line))).toEqual([]);
  expect(await send(file, false)).toEqual(again);
  return Object.fromEntries(
    [...Map.groupBy(foretold, (line) => line.split(' ')[1] ?? '')].map(([state, { length }]) => [state, length]),
  );
}

// The year.
const expected: string[] = [];
const steps: number[] = [];
const figures: string[] = [];
let [kills, interrupted] = [0, 0];
const lineOf = (due: number, group: string, text: string) => `${new Date(due).toISOString()} ${group}: ${text}`;
const figureOf = (due: string, name: string, sent: number, groupCount: number) =>
  `${due} ${name}: sent to ${sent} of ${groupCount}`;
const arrived = () => readCount(db)`select count(*) from sandbox_messages`;

/** Kills the worker in the middle of so many posts, and starts another one. */
async function killWithin(posts: number): Promise<void> {
  const enough = (await arrived()) + 1 + Math.floor(random() * posts * 0.8);
  await until(arrived, (count) => count >= enough);
  await worker?.kill();
  kills++;
  interrupted += await readCount(db)`select count(*) from lanes where in_hand_run_id is not null`;
  await startWorker();
}

/** The clock goes to the time of the next rows, until the service has sent them. */
async function sendNext(due: number): Promise<void> {
  const before = expected.length;
  for (const row of planned.values()) {
    if (row.due !== due) continue;
    row.isBegun = true;
    const said = membersOf(row).map((group) => ({ name: group.name, text: sayTo(group, row) }));
    const got = said.flatMap(({ name, text }) => (text === undefined ? [] : [lineOf(due, name, text)]));
    figures.push(figureOf(new Date(due).toISOString(), `Year ${row.key}`, got.length, said.length));
    expected.push(...got);
  }
  steps.push(due);
  await clock.set(new Date(due));
  await execute(db)`select pg_notify('campanile_runs', '')`;
  const posts = expected.length - before;
  if (posts >= GROUPS && random() < KILL_SHARE) await killWithin(posts);
  await until(
    () => readCount(db)`select count(*) from runs where finished_at is null and due_at <= campanile_now()`,
    0,
  );
}

async function sendUntil(date: string): Promise<void> {
  const dues = [...planned.values()].map(({ due }) => due).filter((due) => due < instantOf(date, '00:00'));
  for (const due of [...new Set(dues)].toSorted((a, b) => a - b)) if (due > (steps.at(-1) ?? 0)) await sendNext(due);
  await clock.set(new Date(instantOf(date, '12:00')));
}

/** What the members of all groups saw, with the time to which the clock had gone. */
async function readArrived(): Promise<string[]> {
  const lines: string[] = [];
  for (const { id, name } of groups) {
    const body = { group_metadata_id: id, limit: 1_000 };
    const { messages } = await ask<{ messages: Array<{ text: string; sent_at: string }> }>(
      'sandbox/list-messages',
      body,
    );
    for (const { text, sent_at } of messages)
      lines.push(lineOf(steps.findLast((due) => due <= Date.parse(sent_at)) ?? 0, name, text));
  }
  return lines.toSorted();
}

/** The figures of runs, of groups, of the year and of campaigns are those of what members saw. */
async function expectFigures(): Promise<void> {
  interface Run {
    campaign_id: string;
    name: string;
    due_at: string;
    status: string;
    sent: number;
    group_count: number;
  }
  const runs: Run[] = [];
  for (const [first, last] of ['01-01 03-31', '04-01 06-30', '07-01 09-30', '10-01 12-31'].map((span) =>
    span.split(' '),
  )) {
    const body = { start_date: `${YEAR}-${first}`, end_date: `${YEAR}-${last}`, limit: 1_000, with_counts: true };
    runs.push(...(await ask<{ runs: Run[] }>('venom/list-runs', body)).runs);
  }
  // Rows that went before their time have a cancelled run.
  const ended = runs.filter(({ status }) => status === 'completed');
  expect(ended.map((run) => figureOf(run.due_at, run.name, run.sent, run.group_count)).toSorted()).toEqual(
    figures.toSorted(),
  );
  const report = await ask<{ totals: object; groups: Array<{ group_name: string; sent: number }> }>(
    'analytics/get-report',
    { start_date: `${YEAR}-01-01`, end_date: `${YEAR}-12-31`, limit: 1_000 },
  );
  expect(report.totals).toMatchObject({ runs: figures.length, sent: expected.length, failed: 0, missed_runs: 0 });
  const byGroup = Map.groupBy(expected, (line) => line.slice(25, line.indexOf(': ', 25)));
  expect(new Map(report.groups.map(({ group_name, sent }) => [group_name, sent]))).toEqual(
    new Map([...byGroup].map(([name, { length }]) => [name, length])),
  );
  for (const { campaign_id, sent, group_count: deliveries } of draw(random, ended, 10)) {
    const path = 'analytics/get-campaign-group-analytics-master';
    const { totals } = await ask<{ totals: object }>(path, { campaign_id });
    expect(totals).toMatchObject({ deliveries, sent, cancelled: deliveries - sent, failed: 0, queued: 0 });
  }
}

test('a sheet of a year is sent once to each group in its language at its hour, whatever is changed and killed', async () => {
  await clock.set(new Date(instantOf(`${YEAR - 1}-12-20`, '12:00')));
  await startWorker();
  await addGroups();
  for (const name of Object.keys(TEMPLATES)) await saveTemplate(name, 0);
  const [start, middle] = [instantOf(`${YEAR}-01-01`, '00:00'), instantOf(`${YEAR}-07-01`, '12:00')];
  const toAll = { list: 'Everybody', groups: '', template: 'Weekly' };
  for (const [date, time] of SLOTS.filter((_, index) => index % 6 === 4))
    sheet.push({ ...makeRow(`all-${date}`, start), ...toAll, date, time });
  while (sheet.length < ROWS) sheet.push(makeRow(`row-${sheet.length}`, start));
  expect(await importSheet('xlsx')).toEqual({ new: ROWS });
  const gone = changeSheet('Second', start, []);
  expect(await importSheet('csv')).toMatchObject({ new: 25, gone: 25, changed: expect.any(Number) });

  await sendUntil(`${YEAR}-05-20`);
  // A group leaves a list: what begins later does not reach it.
  await saveList('North', lists.get('North')?.members.slice(1) ?? []);
  await sendUntil(`${YEAR}-06-10`);
  const others = draw(random, groups, 40);
  for (const group of others) Object.assign(group, drawValues());
  await setValues(others);
  await sendUntil(`${YEAR}-07-01`);
  TEMPLATES['Weekly'] = { ...TEMPLATES['Weekly'], en: TEMPLATES['Weekly']?.en ?? '', de: NEW_GERMAN };
  await saveTemplate('Weekly', 1);
  changeSheet('Third', middle, gone.slice(0, 5));
  const states = await importSheet('xlsx');
  expect(Object.keys(states).toSorted()).toEqual(['changed', 'gone', 'new', 'sent', 'unchanged']);
  await sendUntil(`${YEAR}-12-31`);

  expect(await readArrived()).toEqual(expected.toSorted());
  const ofEachKind = ['Um 03:30', 'Um 02:30', 'A las 6:30 p.m.', 'At 09:00', 'Neu um 09:00', 'trifft', 'meets'];
  expect(ofEachKind.filter((text) => !expected.some((line) => line.includes(text)))).toEqual([]);
  expect(kills).toBeGreaterThanOrEqual(4);
  expect(interrupted).toBeGreaterThan(0);
  await expectFigures();
  expect(await importSheet('csv')).toEqual({ sent: sheet.length });
}, 3_600_000);
