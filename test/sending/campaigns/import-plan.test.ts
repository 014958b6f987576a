/** A calendar from a sheet (contract §4, import-plan). */
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { execute, readCount } from '../../../src/platform/database/statements.ts';
import { cancelCampaign } from '../../../src/sending/campaigns/change/control.ts';
import { deleteCampaign } from '../../../src/sending/campaigns/change/delete-campaign.ts';
import { importPlan, type PlanImport } from '../../../src/sending/campaigns/import/import-plan.ts';
import { planRow } from '../../../src/api/contract/import-plan.ts';
import { LANGUAGE_TAGS } from '../../../src/platform/i18n/languages.ts';
import { readCatalog } from '../../../src/platform/i18n/load-messages.ts';
import { beginRuns } from '../../support/begin-runs.ts';
import { groupsOf, useTestApp, type Answer, type Person } from '../../support/app.ts';
import { inline, textRow, writeXlsx, type Book } from '../../support/inputs/xlsx.ts';
import { convert, createOwner } from '../../support/ledger.ts';
import { workspaceOf } from '../../support/workspaces.ts';

const app = await useTestApp();
const alice = await app.signUp('alice');
const bob = await app.signUp('bob');
const [first = 0, second = 0] = await groupsOf(alice);

interface Row {
  row: number | null;
  key: string;
  state: string;
  campaign_id?: string;
  local: string | null;
  changes?: string[];
  group_count?: number;
  warnings: string[];
  problems: Array<{ field: string; code?: string; issue: string; params?: object }>;
}
interface Imported {
  next_row: number | null;
  counts: Record<string, number>;
  rows: Row[];
  warnings: string[];
}

let plans = 0;
let plan = '';
beforeEach(async () => {
  plan = `Plan ${++plans}`;
  await app.database.clock.set('2031-03-01T12:00:00Z');
});

const row = (key: string, more: object = {}) => ({
  key,
  date: '2031-03-10',
  time: '09:00',
  time_zone: 'Europe/Berlin',
  groups: [first],
  text: `Post *${key}*`,
  ...more,
});
/** What a row asks for, without groups. */
const PLANNED = {
  name: 'A',
  description: '',
  html: 'Hi',
  image: null,
  isChannelCampaign: false,
  startDate: '2031-03-10',
  endDate: '2031-03-10',
  time: '09:00:00',
  timeZone: 'UTC',
  weekdays: null,
  skipDates: [],
};
const send = (body: object, person: Person = alice): Promise<Answer<Imported>> =>
  person.call<Imported>('venom/import-plan', { plan, dry_run: false, ...body });
async function imported(rows: object[], more: object = {}, person = alice): Promise<Imported> {
  const { status, body } = await send({ rows, ...more }, person);
  expect(status, JSON.stringify(body).slice(0, 500)).toBe(200);
  return body.data;
}
const tryOut = (rows: object[], more: object = {}) => imported(rows, { dry_run: true, ...more });
const statesOf = ({ rows }: Imported) => rows.map(({ key, state }) => `${key} ${state}`);
const problemsOf = ({ rows }: Imported) =>
  rows.flatMap((one) => one.problems.map(({ field, code }) => `${one.row} ${field} ${code}`));
const planned = (person: Person = alice) => readCount(app.database.db)`
  select count(*) from campaigns where workspace_id = ${workspaceOf(person)} and import_plan = ${plan}`;
const get = async (campaign_id: unknown) =>
  (
    await alice.call<{
      name: string;
      status: string;
      runs: Array<{ run_id: number; due_at: string; queued?: number }>;
    }>('venom/get-campaign', {
      campaign_id,
    })
  ).body.data;

/** Begins the runs of alice that are due. One step may find her ledger locked, since the app begins runs at the same moment. */
async function begin(): Promise<void> {
  await beginRuns(app.database.db);
  const due = () => readCount(app.database.db)`
    select count(*) from runs where workspace_id = ${workspaceOf(alice)} and status = 'planned' and not paused
      and due_at between campanile_now() - interval '1 hour' and campanile_now()`;
  await expect.poll(due).toBe(0);
}

describe('the rows of a plan', () => {
  test('are told in a dry run and planned without it, once', async () => {
    const told = await tryOut([row('a'), row('b', { date: '2031-03-11' })]);
    expect(told).toMatchObject({ next_row: null, counts: { new: 2, refused: 0 }, warnings: [] });
    expect(told.rows[1]).toMatchObject({
      row: 2,
      key: 'b',
      state: 'new',
      local: '2031-03-11T09:00:00+01:00',
      problems: [],
    });
    expect(await planned()).toBe(0);
    const done = await imported([row('a'), row('b', { date: '2031-03-11' })]);
    expect(statesOf(done)).toEqual(['a new', 'b new']);
    expect(await get(done.rows[1]?.campaign_id)).toMatchObject({
      name: `${plan} b`,
      status: 'scheduled',
      runs: [{ due_at: '2031-03-11T08:00:00.000Z' }],
    });
    for (const again of [
      await tryOut([row('a'), row('b', { date: '2031-03-11' })]),
      await imported([row('a'), row('b', { date: '2031-03-11' })]),
    ])
      expect(statesOf(again)).toEqual(['a unchanged', 'b unchanged']);
    expect(await planned()).toBe(2);
  });

  test('change what differs, as the dry run said', async () => {
    await imported(['name', 'text', 'date', 'time', 'zone', 'groups', 'note'].map((key) => row(key)));
    const changed = [
      row('name', { name: 'Fair' }),
      row('text', { text: undefined, html: '<b>Other</b>' }),
      row('date', { date: '2031-03-12' }),
      row('time', { time: '10:00' }),
      row('zone', { time_zone: 'Asia/Kolkata' }),
      row('groups', { groups: [first, second] }),
      row('note', { note: 'Ask Ravi' }),
    ];
    const told = await tryOut(changed);
    expect(told.rows.map(({ changes }) => changes)).toEqual(
      ['name', 'text', 'date', 'time', 'time_zone', 'groups', 'note'].map((name) => [name]),
    );
    const done = await imported(changed);
    expect(done.rows.map(({ changes }) => changes)).toEqual(told.rows.map(({ changes }) => changes));
    expect((await get(done.rows[2]?.campaign_id)).runs).toMatchObject([{ due_at: '2031-03-12T08:00:00.000Z' }]);
    expect((await imported(changed)).counts).toMatchObject({ unchanged: 7, changed: 0 });
    expect(await planned()).toBe(7);
  });

  test('replace what a person made of the schedule, also a rule without an end', async () => {
    const before = await imported([row('a')]);
    const campaign_id = before.rows[0]?.campaign_id;
    const changed = await alice.call('venom/update-campaign', { campaign_id, recurrence: 'FREQ=WEEKLY;BYDAY=WE' });
    expect(changed.status).toBe(200);
    const told = await tryOut([row('a')]);
    expect(told.rows[0]).toMatchObject({ state: 'changed', changes: ['date'] });
    expect(statesOf(await imported([row('a')]))).toEqual(['a changed']);
    expect((await get(campaign_id)).runs).toMatchObject([{ due_at: '2031-03-10T08:00:00.000Z' }]);
    expect(statesOf(await imported([row('a')]))).toEqual(['a unchanged']);
  });

  test('say what their template says to each group', async () => {
    await alice.call('venom/set-fields', { fields: [{ name: 'City' }] });
    await alice.call('venom/set-group-fields', { groups: [{ group_metadata_id: first, fields: { City: 'Pune' } }] });
    const template = { template_id: randomUUID(), name: 'To each', group_metadata_ids: [first] };
    const save = (more: object) => alice.call('venom/save-template', { ...template, ...more });
    await save({ version: 0, html: 'In {{ city }}', with_fields: true });
    const rows = [row('each', { template: 'To each', text: undefined, groups: [] })];
    const { rows: planned } = await imported(rows);
    const campaign_id = planned[0]?.campaign_id;
    const read = async () =>
      (await alice.call<Record<string, unknown>>('venom/get-campaign', { campaign_id })).body.data;
    expect(await read()).toMatchObject({ html: 'In {{ city }}', with_fields: true });
    expect(statesOf(await imported(rows))).toEqual(['each unchanged']);
    await save({ version: 1, html: 'In {{ city }}' });
    expect((await imported(rows)).rows).toMatchObject([{ state: 'changed', changes: ['text', 'template'] }]);
    expect(await read()).not.toHaveProperty('with_fields', true);
    await save({ version: 2, html: 'To {{ city }}', with_fields: true, on_missing_value: 'leave_out' });
    expect((await imported(rows)).rows).toMatchObject([{ state: 'changed', changes: ['text', 'template'] }]);
    expect(await read()).toMatchObject({ with_fields: true, on_missing_value: 'leave_out' });
  });

  describe('with a field', () => {
    const setFields = async (body: object) => expect((await alice.call('venom/set-fields', body)).status).toBe(200);
    const give = (Venue: string) =>
      alice.call('venom/set-group-fields', { groups: [{ group_metadata_id: first, fields: { Venue } }] });
    const idOf = async (name: string) => {
      const { body } = await alice.call<{ fields: Array<{ field_id: number; name: string }> }>('venom/list-fields');
      return body.data.fields.find((field) => field.name === name)?.field_id;
    };
    const html = 'At {{ venue }}';
    const rows = () => [
      row('made', { template: 'At', text: undefined }),
      row('asks', { template: 'Asks', text: undefined }),
      row('own', { text: html }),
    ];
    const statesOfAll = (state: string) => ['made', 'asks', 'own'].map((key) => `${key} ${state}`);
    const saysTo = async (campaign_id: unknown) => {
      const asked = { campaign_id, group_metadata_id: first };
      const { body } = await alice.call<{ in_group: { text: string; poll?: { question: string } } }>(
        'venom/get-campaign',
        asked,
      );
      return body.data.in_group.poll?.question ?? body.data.in_group.text;
    };
    beforeAll(async () => {
      const poll = { question: html, options: ['Yes', 'No'] };
      for (const template of [
        { name: 'At', html },
        { name: 'Asks', poll },
      ]) {
        await alice.call('venom/save-template', {
          ...template,
          template_id: randomUUID(),
          version: 0,
          with_fields: true,
        });
      }
    });

    /** Resolves to the campaigns of the rows: a person made the text of the one without a template vary. */
    async function planned(): Promise<unknown[]> {
      await setFields({ fields: [{ name: 'Venue' }] });
      await give('Hall');
      const ids = (await imported(rows())).rows.map(({ campaign_id }) => campaign_id);
      expect((await alice.call('venom/update-campaign', { campaign_id: ids[2], with_fields: true })).status).toBe(200);
      expect(statesOf(await imported(rows()))).toEqual(statesOfAll('unchanged'));
      return ids;
    }
    async function expectBoundAnew(ids: readonly unknown[], said: string) {
      const told = await tryOut(rows());
      const done = await imported(rows());
      expect(statesOf(done)).toEqual(statesOfAll('changed'));
      expect(done.rows.map(({ changes }) => changes)).toEqual(told.rows.map(({ changes }) => changes));
      expect(done.rows[2]).toMatchObject({ changes: ['text'] });
      expect(statesOf(await imported(rows()))).toEqual(statesOfAll('unchanged'));
      await app.database.clock.set('2031-03-10T08:00:00Z');
      await begin();
      expect(await Promise.all(ids.map(saysTo))).toEqual([said, said, said]);
    }

    test('that was removed are refused until it is made anew, and mean the new one then', async () => {
      const ids = await planned();
      await setFields({ remove: [await idOf('Venue')], remove_in_use: true });
      expect(problemsOf(await imported(rows()))).toEqual([1, 2, 3].map((at) => `${at} with_fields field_unknown`));
      await setFields({ fields: [{ name: 'Venue' }] });
      await give('Barn');
      await expectBoundAnew(ids, 'At Barn');
    });

    test('that was renamed keep it until its old name is that of another one, and mean that then', async () => {
      const ids = await planned();
      await setFields({ fields: [{ field_id: await idOf('Venue'), name: 'Place' }] });
      expect(statesOf(await imported(rows()))).toEqual(statesOfAll('unchanged'));
      await setFields({ fields: [{ name: 'Venue' }] });
      await give('Tent');
      await expectBoundAnew(ids, 'At Tent');
    });
  });

  test('begin with a template, and change with it', async () => {
    const template = { template_id: randomUUID(), name: 'Fáir', pin_for: '24h', group_metadata_ids: [second] };
    const poll = { question: 'Who comes?', options: ['I', 'Not I'] };
    const save = async (more: object) =>
      expect((await alice.call('venom/save-template', { ...template, ...more })).status).toBe(200);
    await save({ version: 0, html: '<b>From the template</b>' });
    const rows = [
      row('all', { template: 'fair', text: undefined, groups: [] }),
      row('text', { template: template.template_id, text: 'Own' }),
      row('wrong', { template: 'No such' }),
    ];
    const told = await tryOut(rows);
    expect(problemsOf(told)).toEqual(['3 template unknown_name']);
    const done = await imported(rows);
    expect(statesOf(done)).toEqual(['all new', 'text new', 'wrong refused']);
    const copy = async (index: number) =>
      (await alice.call('venom/duplicate-campaign', { campaign_id: done.rows[index]?.campaign_id })).body.data;
    expect(await copy(0)).toMatchObject({
      html: '<b>From the template</b>',
      pin_for: '24h',
      group_metadata_ids: [second],
      from_template: template.template_id,
    });
    expect(await copy(1)).toMatchObject({
      html: expect.stringContaining('Own'),
      pin_for: '24h',
      group_metadata_ids: [first],
    });
    expect(statesOf(await imported(rows.slice(0, 2)))).toEqual(['all unchanged', 'text unchanged']);
    await save({ version: 1, html: '', poll, pin_for: undefined });
    const [asks, ...own] = [rows.slice(0, 1), [row('text', { text: 'Own' })]];
    for (const dry_run of [true, false])
      expect((await imported([...asks, ...own.flat()], { dry_run })).rows).toMatchObject([
        { state: 'changed', changes: ['text', 'template'] },
        { state: 'changed', changes: ['template'] },
      ]);
    expect(await copy(0)).toMatchObject({ html: '', poll, pin_for: null });
    expect(await copy(1)).toMatchObject({ html: expect.stringContaining('Own'), pin_for: null });
    expect(await copy(1)).not.toHaveProperty('from_template', template.template_id);
    expect(statesOf(await imported([...asks, ...own.flat()]))).toEqual(['all unchanged', 'text unchanged']);
  });

  test('take what their template has, and say that it has changed', async () => {
    const name = `Of ${plan}`;
    const { body } = await alice.call<{ group_list_id: number }>('venom/save-group-list', {
      name,
      group_metadata_ids: [first],
    });
    const template = { template_id: randomUUID(), name, html: 'Hi' };
    const save = async (more: object) =>
      expect((await alice.call('venom/save-template', { ...template, ...more })).status).toBe(200);
    await save({ version: 0, tags: ['fair'], group_list_ids: [body.data.group_list_id] });
    const rows = [
      row('all', { template: name, text: undefined, groups: [], date: '2031-07-10' }),
      row('own', { template: name, tags: ['own'], date: '2031-07-10' }),
    ];
    const ids = (await imported(rows)).rows.map(({ campaign_id }) => campaign_id);
    const read = async () =>
      Promise.all(ids.map(async (id) => ((await get(id)) as unknown as { tags?: string[] }).tags ?? []));
    const changes = async () => {
      const told = await tryOut(rows);
      const done = await imported(rows);
      expect(done.rows.map((one) => one.changes)).toEqual(told.rows.map((one) => one.changes));
      return done.rows.map((one) => one.changes);
    };
    expect(await read()).toEqual([['fair'], ['own']]);
    await save({ version: 1, tags: ['fair', 'news'], group_metadata_ids: [first] });
    expect(await changes()).toEqual([['groups', 'template', 'tags'], undefined]);
    expect(await read()).toEqual([['fair', 'news'], ['own']]);
    await save({ version: 2, html: 'Ho', group_metadata_ids: [first] });
    expect(await changes()).toEqual([['text', 'template', 'tags'], undefined]);
    expect(await read()).toEqual([[], ['own']]);
    Object.assign(rows[0] ?? {}, { text: 'Own', tags: ['mine'] });
    expect(await changes()).toEqual([['text', 'tags'], undefined]);
    Object.assign(rows[0] ?? {}, { tags: undefined });
    expect(await changes()).toEqual([['template', 'tags'], undefined]);
    expect(statesOf(await imported(rows))).toEqual(['all unchanged', 'own unchanged']);
  });

  test('that are gone are cancelled only if that is asked for, and planned again when they come back', async () => {
    const before = await imported([row('a'), row('b')]);
    expect(statesOf(await imported([row('a')]))).toEqual(['a unchanged', 'b gone']);
    const id = before.rows[1]?.campaign_id;
    expect(await get(id)).toMatchObject({ status: 'scheduled' });
    expect(statesOf(await tryOut([row('a')], { remove_gone: true }))).toEqual(['a unchanged', 'b gone']);
    expect(await get(id)).toMatchObject({ status: 'scheduled' });
    expect(statesOf(await imported([row('a')], { remove_gone: true }))).toEqual(['a unchanged', 'b gone']);
    expect(await get(id)).toMatchObject({ status: 'cancelled' });
    expect(statesOf(await imported([row('a')], { remove_gone: true }))).toEqual(['a unchanged']);
    expect(statesOf(await imported([row('a'), row('b')]))).toEqual(['a unchanged', 'b new']);
  });

  test('of another plan are not gone', async () => {
    await imported([row('a')], { plan: `${plan} of others` });
    expect(statesOf(await imported([row('b')], { remove_gone: true }))).toEqual(['b new']);
  });

  test('are not gone while a row has no key', async () => {
    const before = await imported([row('a')]);
    const told = await imported([row('')], { remove_gone: true });
    expect(statesOf(told)).toEqual([' refused', 'a gone']);
    expect(told.warnings).toEqual([expect.stringContaining('has no key')]);
    expect(await get(before.rows[0]?.campaign_id)).toMatchObject({ status: 'scheduled' });
  });

  test('never change what was sent, missed or cancelled', async () => {
    const done = await imported([row('sent'), row('missed'), row('cancelled')]);
    const [sent, missed, cancelled] = done.rows.map(({ campaign_id }) => campaign_id);
    await alice.call('venom/pause-campaign', { campaign_id: missed });
    await alice.call('venom/cancel-campaign', { campaign_id: cancelled });
    await app.database.clock.set('2031-03-10T08:00:00Z');
    await begin();
    await app.database.clock.set('2031-03-10T20:00:00Z');
    await alice.call('venom/resume-campaign', { campaign_id: missed });
    const later = ['sent', 'missed', 'cancelled'].map((key) => row(key, { date: '2031-03-20', text: 'Other' }));
    for (const answer of [await tryOut(later), await imported(later)])
      expect(statesOf(answer)).toEqual(['sent sent', 'missed missed', 'cancelled cancelled']);
    expect((await get(sent)).runs).toHaveLength(1);
    expect(statesOf(await imported([row('other', { date: '2031-03-20' })], { remove_gone: true }))).toEqual([
      'other new',
    ]);
  });

  test('begin while they are changed, and are then not planned again', async () => {
    const owner = await createOwner(app.database.db, 1);
    const deps = { db: app.database.db, convert, timeZone: 'UTC' };
    const input = { ...PLANNED, groupIds: owner.groupIds };
    const on = (date: string) => ({ startDate: date, endDate: date });
    const run = (date: string, more: Partial<PlanImport> = {}, before: () => void = () => undefined) =>
      importPlan(deps, owner, {
        plan,
        isDryRun: false,
        removesGone: false,
        rows: [{ row: 1, key: 'a', read: () => (before(), { input: { ...input, ...on(date) } }) }],
        ...more,
      });
    await run('2031-03-10');
    await app.database.clock.set('2031-03-10T09:00:00Z');
    const slow = {
      ...deps,
      // Its text is converted after the campaign was read and before it is locked.
      convert: async (...asked: Parameters<typeof convert>) => (await beginRuns(app.database.db), convert(...asked)),
    };
    const {
      settled: [settled],
    } = await importPlan(slow, owner, {
      plan,
      isDryRun: false,
      removesGone: false,
      rows: [{ row: 1, key: 'a', read: () => ({ input: { ...input, html: 'Ho', ...on('2031-03-11') } }) }],
    });
    expect(settled).toMatchObject({ state: 'sent' });
    expect(await readCount(app.database.db)`select count(*) from runs where workspace_id = ${owner.workspaceId}`).toBe(
      1,
    );
  });

  test('are prepared once, whether they are new, changed or neither', async () => {
    const owner = await createOwner(app.database.db, 1);
    let conversions = 0;
    const deps = {
      db: app.database.db,
      timeZone: 'UTC',
      convert: (...asked: Parameters<typeof convert>) => (conversions++, convert(...asked)),
    };
    for (const [html, state] of [
      ['Hi', 'new'],
      ['Ho', 'changed'],
      ['Ho', 'unchanged'],
    ] as const) {
      const input = { ...PLANNED, html, groupIds: owner.groupIds };
      const rows: PlanImport['rows'] = [{ row: 1, key: 'a', read: () => ({ input }) }];
      conversions = 0;
      const { settled } = await importPlan(deps, owner, { plan, rows, isDryRun: false, removesGone: false });
      expect(settled).toMatchObject([{ state }]);
      expect(conversions).toBe(1);
    }
  });

  test('that come twice at once are planned once', async () => {
    const rows = Array.from({ length: 8 }, (_, index) => row(`k${index}`));
    const answers = await Promise.all(Array.from({ length: 4 }, () => imported(rows)));
    expect(await planned()).toBe(8);
    const told = answers.flatMap((answer) => answer.rows.map(({ state }) => state));
    expect(told.filter((state) => state === 'new')).toHaveLength(8);
    expect(told.filter((state) => state === 'unchanged')).toHaveLength(24);
  });

  test('that come several times at once are not refused because of their own campaigns', async () => {
    const template = { template_id: randomUUID(), name: `To all of ${plan}`, html: 'All', group_metadata_ids: [first] };
    await alice.call('venom/save-template', { ...template, version: 0, mention_all: true });
    const of = { template: template.name, text: undefined, groups: [] };
    const rows = Array.from({ length: 6 }, (_, index) => row(`k${index}`, { ...of, date: `2031-08-1${index}` }));
    const answers = await Promise.all(Array.from({ length: 3 }, () => imported(rows)));
    expect(answers.flatMap(problemsOf)).toEqual([]);
    const told = answers.flatMap((answer) => answer.rows.map(({ state }) => state));
    expect(told.filter((state) => state === 'new')).toHaveLength(6);
    expect(told.filter((state) => state === 'unchanged')).toHaveLength(12);
  });

  test('that are gone and cancelled by several requests at once are gone', async () => {
    const keys = Array.from({ length: 12 }, (_, index) => `k${index}`);
    await imported([row('stays'), ...keys.map((key) => row(key))]);
    const answers = await Promise.all(Array.from({ length: 4 }, () => imported([row('stays')], { remove_gone: true })));
    const told = answers.flatMap(statesOf).filter((state) => !state.startsWith('stays'));
    expect([...new Set(told)].toSorted()).toEqual(keys.map((key) => `${key} gone`).toSorted());
  });

  describe('that others settle while they are prepared', () => {
    const quotas = { storedBytes: 1, openCampaigns: 1, groupsPerDay: {}, accounts: 1 };
    type Asked = { html?: string; extras?: object; on?: string; isDryRun?: boolean };
    async function plannedBy() {
      const owner = await createOwner(app.database.db, 1);
      /** `meanwhile` comes after the campaign of the row was looked up, and before the ledger is locked. */
      const settle = async (
        { html = 'Hi', extras = {}, on = '2031-03-10', isDryRun = false }: Asked,
        meanwhile: () => unknown = () => undefined,
      ) => {
        const input = { ...PLANNED, startDate: on, endDate: on, html, extras, groupIds: owner.groupIds };
        const deps = {
          db: app.database.db,
          timeZone: 'UTC',
          quotas,
          convert: async (...asked: Parameters<typeof convert>) => (await meanwhile(), convert(...asked)),
        };
        const rows = [{ row: 1, key: 'a', read: () => ({ input }) }];
        const { settled } = await importPlan(deps, owner, { plan, rows, isDryRun, removesGone: false });
        return settled[0];
      };
      return { owner, settle };
    }

    test.each<[string, Asked]>([
      ['the only mention of a day', { extras: { mentionAll: true } }],
      ['the only mention of a day, in a dry run', { extras: { mentionAll: true }, isDryRun: true }],
      ['the last campaign', {}],
    ])('are not refused since they have %s', async (_, asked) => {
      const { settle } = await plannedBy();
      const other = () => settle({ ...asked, isDryRun: false });
      expect(await settle({ ...asked, html: 'Ho' }, other)).toMatchObject({ state: 'changed', changes: ['text'] });
    });

    test('are refused if their campaign has nothing to do with it', async () => {
      const { settle } = await plannedBy();
      const past = { on: '2031-02-10' };
      expect(await settle(past, () => settle({}))).toMatchObject({
        state: 'refused',
        problems: [{ code: 'schedule_over' }],
      });
    });

    test('are planned anew if a person deletes their campaign', async () => {
      const { owner, settle } = await plannedBy();
      const { campaignId = '' } = (await settle({})) ?? {};
      const remove = async () => {
        const deps = { db: app.database.db };
        await cancelCampaign(deps, owner, campaignId).catch(() => undefined);
        await deleteCampaign(deps, owner, campaignId).catch(() => undefined);
      };
      expect(await settle({ html: 'Ho' }, remove)).toMatchObject({ state: 'new' });
    });
  });

  test('are those of a workspace', async () => {
    const [own = 0] = await groupsOf(bob);
    await imported([row('a')]);
    expect(statesOf(await imported([row('a', { groups: [own] })], {}, bob))).toEqual(['a new']);
    expect(await planned(bob)).toBe(1);
    const foreign = await imported([row('b', { groups: [own] })]);
    expect(problemsOf(foreign)).toEqual(['1 groups unknown_name']);
  });

  test('are answered in parts, each from where the one before ended', async () => {
    const owner = await createOwner(app.database.db, 1);
    const deps = { db: app.database.db, convert, timeZone: 'UTC' };
    const rows: PlanImport['rows'] = Array.from({ length: 120 }, (_, index) => ({
      row: index + 1,
      key: `k${index}`,
      read: () => ({
        input: {
          ...PLANNED,
          groupIds: owner.groupIds,
        },
      }),
    }));
    const gone = { row: 1, key: 'gone', read: rows[0]?.read ?? (() => ({ problems: [] })) };
    const run = (more: Partial<PlanImport> = {}) =>
      importPlan(deps, owner, { plan, rows, isDryRun: false, removesGone: true, budgetMs: -1, ...more });
    await run({ rows: [gone], removesGone: false });
    for (const isDryRun of [true, false]) {
      const states: string[] = [];
      let nextRow: number | undefined = 1;
      for (let part = 1; nextRow !== undefined; part++) {
        expect(part).toBeLessThan(130);
        const answer: Awaited<ReturnType<typeof run>> = await run({ isDryRun, fromRow: nextRow });
        states.push(...answer.settled.map(({ key, state }) => `${key} ${state}`));
        ({ nextRow } = answer);
      }
      expect(states).toEqual([...rows.map(({ key }) => `${key} new`), 'gone gone']);
    }
    expect((await run({ budgetMs: 60_000 })).settled.map(({ state }) => state)).toEqual(rows.map(() => 'unchanged'));
  });
});

describe('a campaign that a person changed meanwhile', () => {
  const change = async (campaign_id: unknown, more: object) => {
    const { status, body } = await alice.call('venom/update-campaign', { campaign_id, ...more });
    expect(status, JSON.stringify(body)).toBe(200);
  };
  const importOne = async (more: object = {}) => (await imported([row('a', more)])).rows[0]?.campaign_id;
  /** Resolves to the row of a dry run, which has to be that of the import after it. */
  async function both(more: object): Promise<Row | undefined> {
    const told = await tryOut([row('a', more)]);
    const done = await imported([row('a', more)]);
    expect(told.rows).toEqual(done.rows);
    return done.rows[0];
  }

  test('refuses another text of a poll in a dry run, too', async () => {
    await change(await importOne(), { html: '', poll: { question: 'Who comes?', options: ['I', 'Not I'] } });
    expect(await both({ text: 'Other' })).toMatchObject({ state: 'refused' });
  });

  test.each([{ pin_for: '24h' }, { mention_all: true }])(
    'refuses a channel with %j in a dry run, too',
    async (post) => {
      const { body } = await alice.call<{ group_metadata_id: number }>('venom/create-channel', { name: 'News' });
      await change(await importOne({ date: '2031-04-10' }), post);
      const groups = [first, body.data.group_metadata_id];
      expect(await both({ date: '2031-04-10', groups })).toMatchObject({ state: 'refused' });
    },
  );

  test('refuses a day on which everybody was mentioned in a dry run, too', async () => {
    const rows = [row('a', { date: '2031-05-10' }), row('b', { date: '2031-05-11' })];
    for (const { campaign_id } of (await imported(rows)).rows) await change(campaign_id, { mention_all: true });
    expect(await both({ date: '2031-05-11' })).toMatchObject({
      state: 'refused',
      problems: [{ code: 'mention_used_up' }],
    });
    const template = { template_id: randomUUID(), name: 'To all', html: 'All', group_metadata_ids: [first] };
    await alice.call('venom/save-template', { ...template, version: 0, mention_all: true });
    const further = [row('c', { template: 'To all', text: undefined, groups: [], date: '2031-05-11' })];
    for (const answer of [await tryOut(further), await imported(further)])
      expect(answer.rows[0]).toMatchObject({ state: 'refused', problems: [{ code: 'mention_used_up' }] });
  });

  test('leaves nothing of a dry run behind', async () => {
    const campaign_id = await importOne();
    const before = await get(campaign_id);
    expect((await tryOut([row('a', { name: 'Other', time: '10:00' }), row('b')])).counts).toMatchObject({
      changed: 1,
      new: 1,
    });
    expect(await get(campaign_id)).toEqual(before);
    expect(await planned()).toBe(1);
  });

  test('goes out when its run was moved to, whatever time the row has', async () => {
    const campaign_id = await importOne();
    const { runs } = await get(campaign_id);
    const moved = { run_id: runs[0]?.run_id, due_at: '2031-03-12T15:00:00Z' };
    expect((await alice.call('venom/move-run', { campaign_id, ...moved })).status).toBe(200);
    expect(await both({ time: '10:00' })).toMatchObject({
      state: 'changed',
      changes: ['time'],
      due_at: '2031-03-12T15:00:00.000Z',
      local: '2031-03-12T16:00:00+01:00',
      warnings: [],
    });
    expect((await get(campaign_id)).runs).toMatchObject([{ due_at: '2031-03-12T15:00:00.000Z' }]);
  });

  test('keeps what it does without a value also while it has no fields', async () => {
    const campaign_id = await importOne();
    await change(campaign_id, { translations: [{ language: 'de', html: 'Hallo' }] });
    await change(campaign_id, { on_missing_value: 'leave_out' });
    expect(await both({})).toMatchObject({ state: 'unchanged' });
  });

  test('keeps its fields also if its row has a text of its own and no template any more', async () => {
    await alice.call('venom/set-fields', { fields: [{ name: 'City' }] });
    await alice.call('venom/set-group-fields', { groups: [{ group_metadata_id: first, fields: { City: 'Pune' } }] });
    const template = { template_id: randomUUID(), name: `Varies ${plan}`, html: 'In {{ city }}', with_fields: true };
    const translations = [{ language: 'de', html: 'Aus {{ city }}' }];
    const more = { pin_for: '24h', on_missing_value: 'leave_out', translations };
    expect((await alice.call('venom/save-template', { ...template, ...more, version: 0 })).status).toBe(200);
    const campaign_id = await importOne({ template: template.name, text: undefined });
    const read = async () =>
      (await alice.call<Record<string, unknown>>('venom/get-campaign', { campaign_id })).body.data;
    expect(await read()).toMatchObject({ with_fields: true, translations, pin_for: '24h' });
    // The same text without the template, as `html` since a text is escaped otherwise.
    const same = { text: undefined, html: 'In {{ city }}' };
    expect(await both(same)).toMatchObject({ changes: ['template'], warnings: [] });
    expect(await read()).toMatchObject({ with_fields: true, translations, pin_for: null });
    expect(await both(same)).toMatchObject({ state: 'unchanged' });
    expect(await both({ template: template.name, text: undefined })).toMatchObject({ changes: ['template'] });
    const plain = { text: 'Plain {{city}}' };
    expect(await both(plain)).toMatchObject({ changes: ['text', 'template'], warnings: [] });
    expect(await read()).toMatchObject({ with_fields: true, on_missing_value: 'leave_out', pin_for: null });
    expect(await read()).not.toHaveProperty('translations');
    expect(await both(plain)).toMatchObject({ state: 'unchanged' });
  });

  test('keeps its fields with another text of the row, and its translations with the same', async () => {
    await alice.call('venom/set-fields', { fields: [{ name: 'City' }] });
    await alice.call('venom/set-group-fields', { groups: [{ group_metadata_id: first, fields: { City: 'Pune' } }] });
    const campaign_id = await importOne({ text: 'In {{ city }}' });
    const translations = [{ language: 'de', html: 'Aus {{ city }}' }];
    await change(campaign_id, { with_fields: true, on_missing_value: 'leave_out', translations });
    const read = async () =>
      (await alice.call<Record<string, unknown>>('venom/get-campaign', { campaign_id })).body.data;
    expect(await both({ text: 'In {{ city }}' })).toMatchObject({ state: 'unchanged' });
    expect(await both({ text: 'In {{ city }}', note: 'Mine' })).toMatchObject({ changes: ['note'] });
    expect(await read()).toMatchObject({ with_fields: true, translations });
    expect(await both({ text: 'From {{ city }}', note: 'Mine' })).toMatchObject({ changes: ['text'], warnings: [] });
    expect(await read()).toMatchObject({ with_fields: true, on_missing_value: 'leave_out' });
    expect(await read()).not.toHaveProperty('translations');
    expect(await both({ text: 'From {{ city }}', note: 'Mine' })).toMatchObject({ state: 'unchanged' });
  });
});

test('a plan and a key are the same however what nobody sees of them is written', async () => {
  plan = `Café ${plan}`;
  const text = 'Hi';
  await imported([row('café-1', { text })]);
  const spellings = ['cafe\u0301-1', 'cafe\u200b\u0301-1', 'caf\u00e9\u200b-1', '\ufeff  caf\u00e9-1 '];
  for (const key of spellings)
    expect(
      statesOf(await imported([row(key, { text })], { plan: ` ${plan.normalize('NFD').replace(' ', '\u2060  ')}` })),
    ).toEqual(['café-1 unchanged']);
  expect(problemsOf(await imported(['café-1', ...spellings].map((key) => row(key))))).toEqual(
    [2, 3, 4, 5].map((number) => `${number} key key_repeated`),
  );
  expect(problemsOf(await imported([row('\u200b')]))).toEqual(['1 key required']);
  expect(statesOf(await imported([row('Café-1')]))).toEqual(['Café-1 new', 'café-1 gone']);
  expect(await planned()).toBe(2);
});

describe('a row is refused', () => {
  test('with its number and what is wrong, and the others are planned', async () => {
    const told = await imported([
      row('past', { date: '2031-02-01' }),
      row('good'),
      row('', {}),
      row('good'),
      row('date', { date: '2031-02-30' }),
      row('slash', { date: '03/04/2031' }),
      row('time', { time: '25:00' }),
      row('zone', { time_zone: 'Europe/Berlín' }),
      row('tags', { text: undefined, html: '<table>' }),
      row('both', { html: 'Too' }),
      row('none', { text: undefined }),
      row('nowhere', { groups: [] }),
      row('list', { groups: [], list: 'No such list' }),
      row('gone', { groups: ['No such group'] }),
      row('file', { media_id: 4_711 }),
      row('x'.repeat(101)),
    ]);
    expect(problemsOf(told)).toEqual([
      '1 date schedule_over',
      '3 key required',
      '4 key key_repeated',
      '5 date field_date',
      '6 date date_ambiguous',
      '7 time time_of_day',
      '8 time_zone time_zone',
      '9 html tags_not_allowed',
      '10 text text_and_html',
      '11 text required',
      '12 groups empty',
      '13 list unknown_name',
      '14 groups unknown_name',
      '15 media_id unknown_id',
      '16 key too_long',
    ]);
    expect(told.counts).toMatchObject({ new: 1, refused: 15 });
    expect(await planned()).toBe(1);
  });

  test('in a dry run for the same reasons', async () => {
    const told = await tryOut([row('past', { date: '2031-02-01' }), row('gone', { groups: [4_711] })]);
    expect(problemsOf(told)).toEqual(['1 date schedule_over', '2 groups unknown_name']);
  });

  test('for what is wrong with its template', async () => {
    const { body } = await alice.call<{ group_list_id: number }>('venom/save-group-list', {
      name: 'Short-lived',
      group_metadata_ids: [first],
    });
    const { group_list_id } = body.data;
    const save = async (name: string, more: object) => {
      const template = { template_id: randomUUID(), version: 0, name, html: 'Hi', ...more };
      expect((await alice.call('venom/save-template', template)).status).toBe(200);
    };
    await save('To no one', {});
    await save('To a list', { group_list_ids: [group_list_id] });
    await save('A poll', { html: '', poll: { question: 'Who comes?', options: ['I', 'Not I'] } });
    const of = (key: string, template: string, more: object = {}) =>
      row(key, { template, text: undefined, groups: [], ...more });
    const rows = [
      of('none', 'To no one'),
      of('list', 'To a list'),
      of('own', 'To a list', { groups: [first] }),
      of('text', 'A poll', { groups: [first], text: 'Come!' }),
      of('file', 'A poll', { groups: [first], media_id: 4_711 }),
    ];
    expect(problemsOf(await tryOut(rows))).toEqual([
      '1 groups empty',
      '4 template own_message',
      '5 template own_message',
    ]);
    expect((await alice.call('venom/delete-group-list', { group_list_id })).status).toBe(200);
    expect(problemsOf(await tryOut(rows))).toEqual([
      '1 groups empty',
      '2 template targets_gone',
      '4 template own_message',
      '5 template own_message',
    ]);
  });

  test('where the workspace needs approvals, except for rows to few groups', async () => {
    await alice.call('workspace/set-approval-rules', { approval: 'all', over_groups: 1 });
    const rows = [row('few'), row('many', { groups: [first, second] })];
    for (const told of [await tryOut(rows), await imported(rows)]) {
      expect(statesOf(told)).toEqual(['few new', 'many refused']);
      expect(told.rows[1]?.problems).toEqual([
        { field: 'row', code: 'approval_required', issue: expect.stringContaining('needs the approval') },
      ]);
    }
    await alice.call('workspace/set-approval-rules', { approval: 'never', over_groups: 0 });
  });

  test('in a dry run where the workspace may have no more campaigns', async () => {
    const owner = await createOwner(app.database.db, 1);
    const quotas = { storedBytes: 1, openCampaigns: 1, groupsPerDay: {}, accounts: 1 };
    const rows: PlanImport['rows'] = ['a', 'b'].map((key, index) => ({
      row: index + 1,
      key,
      read: () => ({
        input: {
          ...PLANNED,
          name: key,
          groupIds: owner.groupIds,
        },
      }),
    }));
    for (const isDryRun of [true, false]) {
      const { settled } = await importPlan({ db: app.database.db, convert, timeZone: 'UTC', quotas }, owner, {
        plan,
        rows,
        isDryRun,
        removesGone: false,
      });
      expect(settled.map(({ state }) => state)).toEqual(['new', 'refused']);
      expect(settled[1]?.problems).toMatchObject([
        { code: 'campaign_limit_reached', issue: expect.stringContaining('the limit of 1 campaigns') },
      ]);
    }
  });
});

test('a time that the clock skips is told, and goes out after the gap', async () => {
  const told = await tryOut([row('dst', { date: '2031-03-30', time: '02:30' })]);
  expect(told.rows[0]).toMatchObject({
    state: 'new',
    local: '2031-03-30T03:30:00+02:00',
    warnings: [expect.stringContaining('02:30:00 does not exist on 2031-03-30 in Europe/Berlin')],
  });
});

describe('groups and lists', () => {
  test('are named by name, id or external id, and what is ambiguous is refused', async () => {
    const { body } = await alice.call<{ groups: Array<{ group_metadata_id: number; group_name: string }> }>(
      'venom/list-groups',
    );
    const [one, two, three] = body.data.groups;
    await alice.call('venom/save-group-list', {
      name: 'Villages',
      group_metadata_ids: [one?.group_metadata_id, two?.group_metadata_id],
      external_id: 'v1',
    });
    await alice.call('venom/save-group-list', { name: 'Twice', group_metadata_ids: [first] });
    await alice.call('venom/save-group-list', { name: 'TWICE', group_metadata_ids: [second] });
    const told = await imported([
      row('list', { groups: [], list: 'villáges' }),
      row('id', { groups: [], list: 'v1' }),
      row('and', { list: 'Villages', groups: [three?.group_name.toUpperCase()] }),
      row('several', { groups: [`${one?.group_name}; ${two?.group_name}\n${three?.group_name}`] }),
      row('twice', { groups: [], list: 'twice' }),
      row('exact', { groups: [], list: 'TWICE' }),
    ]);
    expect(told.rows.map(({ group_count }) => group_count)).toEqual([2, 2, 3, 3, undefined, 1]);
    expect(problemsOf(told)).toEqual(['5 list ambiguous_name']);
  });

  const saveList = async (group_metadata_ids: number[], more: object = {}) => {
    const list = { name: `List of ${plan}`, group_metadata_ids, ...more };
    return (await alice.call<{ group_list_id: number }>('venom/save-group-list', list)).body.data.group_list_id;
  };
  const targetsOf = async (campaign_id: unknown) => {
    const { body } = await alice.call<object>('venom/duplicate-campaign', { campaign_id });
    return body.data as { group_metadata_ids: number[]; group_list_ids?: number[] };
  };

  test('stay lists: a group that joins one before the run gets the post, also one of a template', async () => {
    const list = await saveList([first]);
    const template = { template_id: randomUUID(), version: 0, name: `To the list of ${plan}`, html: 'Hi' };
    const saved = await alice.call('venom/save-template', { ...template, group_list_ids: [list] });
    expect(saved.status).toBe(200);
    const rows = [
      row('list', { groups: [], list }),
      row('both', { groups: [second], list }),
      row('template', { groups: [], template: template.name, text: undefined }),
      row('own', { template: template.name }),
    ];
    expect((await tryOut(rows)).rows).toMatchObject([1, 2, 1, 1].map((group_count) => ({ state: 'new', group_count })));
    const { rows: done } = await imported(rows);
    expect(await Promise.all(done.map(({ campaign_id }) => targetsOf(campaign_id)))).toMatchObject([
      { group_metadata_ids: [], group_list_ids: [list] },
      { group_metadata_ids: [second], group_list_ids: [list] },
      { group_metadata_ids: [], group_list_ids: [list] },
      { group_metadata_ids: [first] },
    ]);
    await saveList([first, second], { group_list_id: list });
    expect((await imported(rows)).rows).toMatchObject(
      [2, 2, 2, 1].map((group_count) => ({ state: 'unchanged', group_count })),
    );
    await app.database.clock.set('2031-03-10T08:00:00Z');
    await begin();
    const sent = await Promise.all(done.map(({ campaign_id }) => get(campaign_id)));
    expect(sent.map(({ runs: [run] }) => run)).toMatchObject([2, 2, 2, 1].map((queued) => ({ queued })));
  });

  test('of an earlier import, whose groups were fixed, become lists with the next one, unless they have begun', async () => {
    const list = await saveList([first]);
    const { rows: done } = await imported([
      row('planned', { date: '2031-03-21' }),
      row('begun', { date: '2031-03-20' }),
    ]);
    await app.database.clock.set('2031-03-20T08:00:00Z');
    await begin();
    const toList = { groups: [], list };
    const rows = [row('planned', { ...toList, date: '2031-03-21' }), row('begun', { ...toList, date: '2031-03-20' })];
    for (const dry_run of [true, false])
      expect((await imported(rows, { dry_run })).rows).toMatchObject([
        { state: 'changed', changes: ['groups'] },
        { state: 'sent' },
      ]);
    expect(statesOf(await imported(rows))).toEqual(['planned unchanged', 'begun sent']);
    expect(await Promise.all(done.map(({ campaign_id }) => targetsOf(campaign_id)))).toMatchObject([
      { group_metadata_ids: [], group_list_ids: [list] },
      { group_metadata_ids: [first] },
    ]);
    expect((await get(done[0]?.campaign_id)).runs).toHaveLength(1);
    expect(await planned()).toBe(2);
  });

  test('that a person gave a campaign are no change if its row names them, and taken away if it names groups', async () => {
    const list = await saveList([first]);
    const [campaign] = (await imported([row('a', { groups: [first] })])).rows;
    const { campaign_id } = campaign ?? {};
    const toList = { campaign_id, group_metadata_ids: [second], group_list_ids: [list] };
    expect((await alice.call('venom/update-campaign', toList)).status).toBe(200);
    expect(statesOf(await imported([row('a', { groups: [second], list })]))).toEqual(['a unchanged']);
    const told = await imported([row('a')]);
    expect(told.rows).toMatchObject([{ state: 'changed', changes: ['groups'] }]);
    expect(await targetsOf(campaign_id)).toMatchObject({ group_metadata_ids: [first] });
    expect(await targetsOf(campaign_id)).not.toHaveProperty('group_list_ids');
    expect(statesOf(await imported([row('a')]))).toEqual(['a unchanged']);
  });

  test('with nobody in them are planned with a warning', async () => {
    await alice.call('venom/set-fields', { fields: [{ name: 'Area' }] });
    const rule = { all: [{ field: 'Area', is: 'Nowhere' }] };
    const { body } = await alice.call<{ group_list_id: number }>('venom/save-group-list', { name: 'Nobody', rule });
    const template = { template_id: randomUUID(), name: 'To nobody', html: 'Hi' };
    const group_list_ids = [body.data.group_list_id];
    expect((await alice.call('venom/save-template', { ...template, version: 0, group_list_ids })).status).toBe(200);
    const rows = [
      row('list', { groups: [], list: 'Nobody' }),
      row('template', { groups: [], template: 'To nobody', text: undefined }),
    ];
    const warnings = [expect.stringContaining('Nobody is in these lists')];
    const all = (state: string) => rows.map(() => ({ state, group_count: 0, warnings }));
    expect((await imported(rows)).rows).toMatchObject(all('new'));
    expect((await imported(rows)).rows).toMatchObject(all('unchanged'));
    for (const row of rows) Object.assign(row, { note: 'Ask Ravi' });
    for (const dry_run of [true, false]) expect((await imported(rows, { dry_run })).rows).toMatchObject(all('changed'));
  });

  test('that are gone are left out of lists, and refused by name', async () => {
    const owner = await app.signUp('carol');
    const ids = await groupsOf(owner);
    await owner.call('venom/save-group-list', { name: 'All', group_metadata_ids: ids });
    const rows = [row('list', { groups: [], list: 'All' }), row('id', { groups: [ids[0]] })];
    expect((await imported(rows, {}, owner)).rows[0]).toMatchObject({ group_count: ids.length });
    await execute(app.database.db)`update groups set removed_at = now() where group_id = ${ids[0]}`;
    const told = await imported(rows, { dry_run: true }, owner);
    expect(told.rows[0]).toMatchObject({ state: 'unchanged', group_count: ids.length - 1 });
    expect(told.rows[1]).toMatchObject({ state: 'refused', problems: [{ code: 'unknown_name' }] });
  });
});

test.each(LANGUAGE_TAGS)('the dashboard names all columns of a sheet in %s', (language) => {
  const words = new Set(readCatalog(language)['calendar.importHint']?.match(/\w+/g));
  expect(Object.keys(planRow.shape).filter((column) => !words.has(column))).toEqual([]);
});

describe('a sheet', () => {
  const file = (text: string | Buffer) => ({ file: Buffer.from(text).toString('base64') });
  const sheet = async (text: string | Buffer, more: object = {}) => {
    const { status, body } = await send({ dry_run: true, time_zone: 'Europe/Berlin', ...file(text), ...more });
    expect(status, JSON.stringify(body).slice(0, 500)).toBe(200);
    return body.data;
  };
  const HEAD = ['Key', 'Date', 'Time', 'Groups', 'Text'];
  const book = (rows: string[], more: Partial<Book> = {}) => writeXlsx({ rows: [textRow(1, HEAD), ...rows], ...more });
  const group = () => String(first);

  test('in CSV with semicolons, Latin-1 and German dates is read as it is meant', async () => {
    const text = `Key;Date;Time;Time Zone;Groups;Text;Mine\r\n1;10.03.2031;9:00;;${group()};"Grüße; bis bald";x\r\n;;;;;;\r\n2;11.03.2031;9.30;Asia/Kolkata;${group()};=1+1;\r\n`;
    const told = await sheet(Buffer.from(text, 'latin1'));
    expect(told.rows).toMatchObject([
      { row: 2, key: '1', state: 'new', local: '2031-03-10T09:00:00+01:00' },
      { row: 4, key: '2', state: 'new', local: '2031-03-11T09:30:00+05:30' },
    ]);
    expect(told.warnings).toEqual([expect.stringContaining('The column mine is not read')]);
    const { rows } = (await send({ time_zone: 'Europe/Berlin', ...file(Buffer.from(text, 'latin1')) })).body.data;
    const { body } = await alice.call('venom/duplicate-campaign', { campaign_id: rows[1]?.campaign_id });
    expect(body.data).toMatchObject({ html: expect.stringContaining('=1+1') });
  });

  test('in XLSX has dates as serial numbers of either epoch, and formulas as their results', async () => {
    const cells = (date: number, row = 2) =>
      `<row r="${row}">${inline(`A${row}`, '=A1')}<c r="B${row}" s="1"><v>${date}</v></c><c r="C${row}" s="2"><v>0.375</v></c><c r="D${row}"><f>1</f><v>${group()}</v></c>${inline(`E${row}`, '@all')}</row>`;
    const local = '2031-03-10T09:00:00+01:00';
    expect((await sheet(await book([cells(47_917)]))).rows).toMatchObject([{ key: '=A1', state: 'new', local }]);
    expect((await sheet(await book([cells(46_455)], { is1904: true }))).rows).toMatchObject([{ state: 'new', local }]);
  });

  test.each([
    ['0.99999999', 47_917],
    ['0.9999999999999', 47_917],
    ['', 47_917.999_999_99],
  ])('in XLSX with the last moment of a day (%s after %d) is of that day', async (time, date) => {
    const cells = `<row r="2">${inline('A2', 'a')}<c r="B2" s="1"><v>${date}</v></c><c r="C2" s="2"><v>${time}</v></c><c r="D2"><v>${group()}</v></c>${inline('E2', 'Hi')}</row>`;
    const local = expect.stringMatching(/^2031-03-10T23:59:/);
    expect((await sheet(await book([cells]))).rows).toMatchObject([{ state: 'new', local }]);
  });

  test('has rows that are hidden as others, and tells which are merged', async () => {
    const texts = (key: string) => [key, '2031-03-10', '09:00', group(), 'Hi'];
    const told = await sheet(
      await book([textRow(2, texts('a'), 'hidden="1"'), textRow(3, texts('b')), textRow(4, texts('c'))], {
        after: '<mergeCells><mergeCell ref="B3:B4"/></mergeCells>',
      }),
    );
    expect(statesOf(told)).toEqual(['a new', 'b refused', 'c refused']);
    expect(problemsOf(told)).toEqual(['3 row sheet_merged', '4 row sheet_merged']);
  });

  test('is no sheet: a 400 that says why', async () => {
    const why = async (text: string | Buffer) => {
      const { status, body } = await send(file(text));
      return [status, (body.details?.[0] as { code?: string } | undefined)?.code];
    };
    expect(await why('Date;Time\n1;2')).toEqual([400, 'sheet_column_missing']);
    expect(await why('Key;Date;Time;key\n1;2;3;4')).toEqual([400, 'sheet_column_twice']);
    expect(await why('Key;Date;Time\n')).toEqual([400, 'sheet_empty']);
    expect(await why(Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 1, 2]))).toEqual([400, 'sheet_xls']);
    expect(await why('PK\x03\x04 nothing')).toEqual([400, 'sheet_unreadable']);
    expect(await why(`Key;Date;Time\n${'1;2;3\n'.repeat(2_001)}`)).toEqual([400, 'sheet_rows']);
    const bomb = await book([], {
      files: Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`x${index}.xml`, '<x/>'])),
    });
    expect(await why(bomb)).toEqual([400, 'sheet_too_large']);
    expect(
      await why(await book([textRow(2, ['x'])], { files: { 'xl/big.xml': ' '.repeat(65 * 1024 * 1024) } })),
    ).toEqual([400, 'sheet_too_large']);
  });

  test('has very many empty rows, which are none', async () => {
    const text = `Key,Date,Time,Groups,Text\na,2031-03-10,09:00,${group()},Hi\n${',,,,\n'.repeat(50_000)}`;
    expect(statesOf(await sheet(text))).toEqual(['a new']);
  });
});

describe('the request', () => {
  test('needs rows or a file, and a role that may send', async () => {
    expect((await send({})).status).toBe(400);
    expect((await send({ rows: [row('a')], file: 'YQ==' })).status).toBe(400);
    expect((await send({ rows: [] })).status).toBe(400);
    expect((await send({ rows: Array.from({ length: 2_001 }, (_, index) => row(String(index))) })).status).toBe(400);
    const { body } = await alice.call<{ key: string }>('user/create_api_key', { name: 'reads', scopes: ['write'] });
    expect((await app.call('venom/import-plan', { plan, dry_run: true, rows: [row('a')] }, body.data.key)).status).toBe(
      403,
    );
  });

  test('is a 400 that names the place of a value that no cell can be', async () => {
    const { status, body } = await send({ rows: [row('a'), row('b', { date: 20_310_310 })] });
    expect([status, body.details]).toMatchObject([400, [{ field: 'rows.1.date', code: 'wrong_type' }]]);
  });

  test('is in the audit log, a campaign at a time', async () => {
    const dave = await app.signUp('dave');
    const [own = 0] = await groupsOf(dave);
    const rows = (key: string, text: string) => [row(key, { groups: [own], text })];
    await imported(rows('a', 'One'), {}, dave);
    await imported(rows('a', 'Two'), {}, dave);
    await imported(rows('a', 'Two'), {}, dave);
    await imported(rows('b', 'One'), { remove_gone: true }, dave);
    const { body } = await dave.call<{ entries: Array<{ action: string }> }>('user/list_audit_log', { limit: 50 });
    const actions = body.data.entries.map(({ action }) => action).filter((action) => action.startsWith('campaign.'));
    expect(actions.toSorted()).toEqual(
      ['accepted', 'accepted', 'cancelled', 'updated'].map((one) => `campaign.${one}`),
    );
  });
});
