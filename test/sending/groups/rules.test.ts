/** Lists by a rule over fields, tags, kind, members and activity (contract §4, group lists). */
import { beforeEach, describe, expect, test } from 'vitest';
import { execute, readColumn, readRows } from '../../../src/platform/database/statements.ts';
import { groupsOf, useTestApp, type Person } from '../../support/app.ts';
import { addAccount } from '../../support/several-accounts.ts';
import type { Owner } from '../../support/ledger.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';
import { actorOf } from '../../support/workspaces.ts';

interface Condition {
  field?: string;
  field_removed?: true;
  is?: string;
  is_not?: string;
  kind?: string;
  members?: { over?: number; under?: number };
  silent_days?: number;
  active_days?: number;
}
type Rule = { all?: Condition[]; any?: Condition[] };
interface List {
  group_list_id: number;
  name: string;
  group_count: number;
  rule?: Rule;
}

const app = await useTestApp({ sandboxSpeed: 0 });
const { db } = app.database;
const NOW = '2031-06-02T08:00:00Z';
// A later leap of the clock would have the groups read anew at any moment.
await app.database.clock.set(NOW);
const [alice, bob] = [await app.signUp('alice'), await app.signUp('bob')];
const groups = await groupsOf(alice);
const { workspaceId } = await actorOf(db, alice);
beforeEach(async () => {
  await app.database.clock.set(NOW);
  await execute(db)`delete from group_lists`;
  await execute(db)`delete from group_values`;
  await execute(db)`delete from fields`;
  await alice.call('venom/set-fields', { fields: [{ name: 'City' }, { name: 'Tags', kind: 'tags' }] });
});

async function give(...values: ReadonlyArray<Record<string, string | null>>): Promise<void> {
  const given = values.map((fields, index) => ({ group_metadata_id: groups[index], fields }));
  const answer = await alice.call('venom/set-group-fields', { groups: given });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
}
const save = (person: Person, body: object) => person.call<{ group_list_id: number }>('venom/save-group-list', body);
async function saved(rule: Rule, name = 'by rule'): Promise<number> {
  const answer = await save(alice, { name, rule });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.data.group_list_id;
}
const lists = async () => (await alice.call<{ group_lists: List[] }>('venom/list-group-lists')).body.data.group_lists;
async function find(filter: object): Promise<number[]> {
  const answer = await alice.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups', {
    ...filter,
    limit: 500,
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.data.groups.map((group) => group.group_metadata_id);
}

test('has the groups that meet the rule now, and counts them', async () => {
  await give({ Tags: 'Parents, North', City: 'Pune' }, { Tags: 'north', City: 'Delhi' }, {});
  const rule = { all: [{ field: 'tags', is: ' NORTH ' }] };
  const id = await saved(rule);
  expect(await lists()).toMatchObject([
    { group_list_id: id, group_count: 2, rule: { all: [{ field: 'Tags', is: ' NORTH ' }] } },
  ]);
  expect(await find({ group_list_id: id })).toEqual(groups.slice(0, 2));
  await give({ Tags: 'Parents' }, {}, { Tags: 'North; new' });
  expect(await find({ group_list_id: id })).toEqual(groups.slice(1));
  expect(await lists()).toMatchObject([{ group_count: 2 }]);
  expect(
    await find({
      rule: {
        all: [
          { field: 'Tags', is: 'north' },
          { field: 'City', is_not: 'delhi' },
        ],
      },
    }),
  ).toEqual([groups[2]]);
});

test('leaves out groups that are gone, and has them again when they come back', async () => {
  const id = await saved({ any: [{ members: { over: 0 } }] });
  expect(await find({ group_list_id: id })).toEqual(groups);
  await execute(db)`update groups set removed_at = now() where group_id = ${groups[0]}`;
  expect(await lists()).toMatchObject([{ group_count: 2 }]);
  expect(await find({ group_list_id: id })).toEqual(groups.slice(1));
  await execute(db)`update groups set removed_at = null where group_id = ${groups[0]}`;
  expect(await lists()).toMatchObject([{ group_count: 3 }]);
});

test('may select nobody or everybody', async () => {
  await saved({ all: [{ members: { over: 1_000_000 } }] }, 'a');
  await saved({ all: [{ field: 'City', is: '' }] }, 'b');
  expect((await lists()).map((list) => list.group_count)).toEqual([0, 3]);
});

test('follows a field to its new name; one that is removed is met by nobody, whichever way', async () => {
  await give({ City: 'Pune' }, {}, {});
  await saved({ any: [{ field: 'City', is: 'Pune' }] }, 'is');
  await saved({ any: [{ field: 'City', is_not: 'Pune' }] }, 'is not');
  const { body } = await alice.call<{ fields: Array<{ field_id: number; name: string }> }>('venom/list-fields');
  const field_id = body.data.fields.find(({ name }) => name === 'City')?.field_id;
  await alice.call('venom/set-fields', { fields: [{ field_id, name: 'Town' }] });
  expect(await lists()).toMatchObject([
    { group_count: 1, rule: { any: [{ field: 'Town' }] } },
    { group_count: 2, rule: { any: [{ field: 'Town' }] } },
  ]);
  await alice.call('venom/set-fields', { remove: [field_id], remove_in_use: true });
  await alice.call('venom/set-fields', { fields: [{ name: 'City' }] });
  expect(await lists()).toMatchObject([
    { group_count: 0, rule: { any: [{ field: 'City', field_removed: true }] } },
    { group_count: 0, rule: { any: [{ field: 'City', field_removed: true }] } },
  ]);
});

test('with a removed field can be saved back as it is, and stays that of nobody', async () => {
  await give({ City: 'Pune' }, {}, {});
  const id = await saved({ any: [{ field: 'City', is: 'Pune' }, { kind: 'channel' }] });
  const { body } = await alice.call<{ fields: Array<{ field_id: number; name: string }> }>('venom/list-fields');
  const remove = body.data.fields.flatMap((field) => (field.name === 'City' ? [field.field_id] : []));
  await alice.call('venom/set-fields', { remove, remove_in_use: true });
  const rule = { any: [{ field: 'City', field_removed: true, is: 'Pune' }, { kind: 'channel' }] };
  const saveBack = async () => {
    const [list] = await lists();
    expect(list).toMatchObject({ group_count: 0, rule });
    const answer = await save(alice, { ...list, group_list_id: id });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  };
  await saveBack();
  await alice.call('venom/set-fields', { fields: [{ name: 'City' }] });
  await give({ City: 'Pune' }, {}, {});
  await saveBack();
  expect(await lists()).toMatchObject([{ group_count: 0, rule }]);
  expect(await find({ rule })).toEqual([]);
  const anew = { any: [{ field: 'City', field_removed: false, is: 'Pune' }] };
  expect((await save(alice, { group_list_id: id, name: 'by rule', rule: anew })).status).toBe(200);
  expect(await lists()).toMatchObject([{ group_count: 1 }]);
  expect((await save(alice, { name: 'none', rule: { any: [{ field_removed: true }] } })).body).toMatchObject({
    details: [{ field: 'rule.any.0', code: 'rule_condition' }],
  });
});

test('there are at most 100, and each can be overwritten', async () => {
  const rule = { all: [{ kind: 'group' }] };
  const id = await saved(rule);
  await execute(db)`
    insert into group_lists (workspace_id, name, group_ids, rule)
    select workspace_id, i::text, group_ids, rule from group_lists, generate_series(2, 100) i where group_list_id = ${id}`;
  const picked = await save(alice, { name: 'by hand', group_metadata_ids: groups });
  expect(picked.status).toBe(200);
  expect((await save(alice, { group_list_id: id, name: 'by rule', rule })).status).toBe(200);
  const { group_list_id } = picked.body.data;
  for (const body of [
    { name: 'one more', rule },
    { group_list_id, name: 'by hand', rule },
  ]) {
    const answer = await save(alice, body);
    expect(answer.body).toMatchObject({ code: 409, error_code: 'group_list_limit_reached' });
    expect(JSON.stringify(answer.body)).toContain('100 group lists by a rule');
  }
  expect((await save(alice, { group_list_id: id, name: 'by hand, too', group_metadata_ids: groups })).status).toBe(200);
  expect((await save(alice, { group_list_id, name: 'by hand', rule })).status).toBe(200);
});

test('becomes a list of picked groups, and one by rule again', async () => {
  const id = await saved({ all: [{ members: { over: 0 } }] });
  await save(alice, { group_list_id: id, name: 'picked', group_metadata_ids: [groups[2]] });
  const [picked] = await lists();
  expect(picked).toMatchObject({ name: 'picked', group_count: 1 });
  expect(picked).not.toHaveProperty('rule');
  await save(alice, { group_list_id: id, name: 'again', rule: { all: [{ members: { under: 1 } }] } });
  expect(await lists()).toMatchObject([{ name: 'again', group_count: 0, rule: { all: [{ members: { under: 1 } }] } }]);
  const audit = await readColumn<string>(db)`
    select changes::text from audit_log where workspace_id = ${workspaceId} and action = 'group_list.saved'
      and subject in ('picked', 'again')`;
  expect(audit.filter((changes) => changes.includes('"rule"'))).toHaveLength(2);
});

describe('a rule that makes no sense is a 400 that says why', () => {
  const many = Array.from({ length: 11 }, () => ({ kind: 'group' }));
  test.each([
    [{}, 'rule', 'rule_all_or_any'],
    [{ all: [{ kind: 'group' }], any: [{ kind: 'group' }] }, 'rule', 'rule_all_or_any'],
    [{ all: [] }, 'rule.all', 'empty'],
    [{ any: many }, 'rule.any', 'too_many'],
    [{ all: [{}] }, 'rule.all.0', 'rule_condition'],
    [{ all: [{ kind: 'group', silent_days: 3 }] }, 'rule.all.0', 'rule_condition'],
    [{ all: [{ field: 'City' }] }, 'rule.all.0', 'rule_condition'],
    [{ all: [{ field: 'City', is: 'a', is_not: 'b' }] }, 'rule.all.0', 'rule_condition'],
    [{ all: [{ kind: 'group', is: 'a' }] }, 'rule.all.0', 'rule_condition'],
    [{ all: [{ members: {} }] }, 'rule.all.0', 'rule_condition'],
    [{ all: [{ members: { over: -1 } }] }, 'rule.all.0.members.over', 'too_low'],
    [{ all: [{ silent_days: 91 }] }, 'rule.all.0.silent_days', 'too_high'],
    [{ all: [{ kind: 'chat' }] }, 'rule.all.0.kind', 'wrong_value'],
    [{ any: [{ kind: 'group' }, { field: 'Citty', is: 'Pune' }] }, 'rule.any.1.field', 'unknown_group_field'],
    [{ any: [{ field: 'Tags', is: 'a, b' }] }, 'rule.any.0.is', 'one_tag'],
  ])('%j', async (rule, field, code) => {
    const expected = { status: 400, body: { details: [{ field, code }] } };
    expect(await save(alice, { name: 'x', rule })).toMatchObject(expected);
    expect(await alice.call('venom/list-groups', { rule })).toMatchObject(expected);
    expect(await lists()).toEqual([]);
  });

  test('and so are both groups and a rule, or neither', async () => {
    const rule = { all: [{ kind: 'group' }] };
    const refused = { status: 400, body: { details: [{ field: 'group_metadata_ids', code: 'list_or_rule' }] } };
    expect(await save(alice, { name: 'x', rule, group_metadata_ids: groups })).toMatchObject(refused);
    expect(await save(alice, { name: 'x' })).toMatchObject(refused);
  });

  test('and a field of another workspace is unknown', async () => {
    await bob.call('venom/set-fields', { fields: [{ name: 'Secret' }] });
    expect(await save(alice, { name: 'x', rule: { all: [{ field: 'Secret', is: 'x' }] } })).toMatchObject({
      status: 400,
    });
  });
});

test('a field does not become a kind that does not take the values of rules', async () => {
  const rule = { any: [{ kind: 'group' }, { field: 'City', is_not: '8, 9' }] };
  await saved({ all: [{ field: 'City', is: '8' }] }, 'fits');
  const id = await saved(rule, 'Wards');
  const change = (kind: string) => alice.call('venom/set-fields', { fields: [{ name: 'City', kind }] });
  const refused = (kind: string) => ({
    status: 400,
    body: {
      details: [
        { field: 'fields', code: 'field_kind_in_rules', params: { name: 'City', kind, count: 1, lists: 'Wards' } },
      ],
    },
  });
  expect(await change('tags')).toMatchObject(refused('tags'));
  expect(await change('number')).toMatchObject(refused('number'));
  await give({ City: 'Pune' });
  expect((await change('number')).body).toMatchObject({
    details: [{ code: 'field_kind_mismatch' }, { code: 'field_kind_in_rules' }],
  });
  await alice.call('venom/delete-group-list', { group_list_id: id });
  expect((await change('tags')).status).toBe(200);
});

test('list-groups takes in fields what a rule takes', async () => {
  await alice.call('venom/set-fields', { fields: [{ name: 'Lang', kind: 'language' }] });
  for (const [field, is, code] of [
    ['Lang', 'klingon', 'field_language'],
    ['Tags', 'a, b', 'one_tag'],
  ] as const) {
    expect(await alice.call('venom/list-groups', { fields: { [field]: is } })).toMatchObject({
      status: 400,
      body: { details: [{ field: `fields.${field}`, code }] },
    });
    expect(await alice.call('venom/list-groups', { rule: { all: [{ field, is }] } })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'rule.all.0.is', code }] },
    });
  }
});

/** A linear congruential generator, so that a failure is the same the next time. */
function createRandom(seed: number) {
  let state = seed;
  const below = (limit: number) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const pick = <One>(ones: readonly One[]): One => ones[below(ones.length)] as One;
  return { below, pick };
}

test('selects what a plain reading of the rule selects, for random groups and rules', async () => {
  const { below, pick } = createRandom(66);
  const carol = await app.signUp('carol');
  await groupsOf(carol);
  const actor = await actorOf(db, carol);
  await carol.call('venom/set-fields', {
    fields: [{ name: 'City' }, { name: 'Tags', kind: 'tags' }, { name: 'Size', kind: 'number' }],
  });
  const { body } = await carol.call<{ fields: Array<{ field_id: number; name: string }> }>('venom/list-fields');
  const idOf = new Map(body.data.fields.map((field) => [field.name, String(field.field_id)]));
  const tags = ['Parents', 'parents', 'Nörth', 'North', 'a b', 'Élèves'];
  const fold = (text: string) =>
    text
      .normalize('NFKD')
      .replaceAll(/[\u0300-\u036f]/g, '')
      .toLowerCase();
  const known = Array.from({ length: 150 }, (_, index) => ({
    name: `g${index}`,
    kind: pick(['group', 'community', 'channel']),
    participants: below(8),
    isGone: below(10) === 0,
    /** Undefined: never. */
    daysAgo: below(3) === 0 ? undefined : below(12),
    values: {
      ...(below(2) && { City: pick(['Pune', 'pune', 'Delhi', 'Puné']) }),
      ...(below(2) && {
        Tags: [
          ...new Map(Array.from({ length: 1 + below(3) }, () => pick(tags)).map((tag) => [fold(tag), tag])).values(),
        ].join(', '),
      }),
      ...(below(2) && { Size: pick(['12', '1,5']) }),
    } as Record<string, string>,
    id: 0,
  }));
  for (const group of known) {
    const [row] = await readRows<{ id: number }>(db)`
      insert into groups (workspace_id, chat_id, send_to, kind, name, participants, can_send, removed_at)
      values (${actor.workspaceId}, ${`${group.name}@g.us`}, ${`${group.name}@g.us`}, ${group.kind}::group_kind, ${group.name},
              ${group.participants}, true, case when ${group.isGone} then now() end) returning group_id as id`;
    group.id = row?.id ?? 0;
    const values = Object.fromEntries(Object.entries(group.values).map(([name, value]) => [idOf.get(name), value]));
    if (Object.keys(values).length > 0)
      await execute(
        db,
      )`insert into group_values values (${group.id}, ${actor.workspaceId}, ${JSON.stringify(values)}::jsonb)`;
    if (group.daysAgo !== undefined)
      await execute(db)`
        insert into group_activity (workspace_id, group_id, last_sent_at, recipients, read, posts, failed)
        values (${actor.workspaceId}, ${group.id}, campanile_now() - ${group.daysAgo} * interval '1 day' - interval '1 minute', 1, 0, 1, 0)`;
  }
  const makeCondition = (): Condition => {
    const days = 1 + below(12);
    const value = () => pick(['', 'PUNE', 'delhi', 'parents', 'north', 'A  B', 'eleves', 'nobody']);
    return pick<() => Condition>([
      () => ({ field: pick(['City', 'Tags', 'city']), is: value() }),
      () => ({ field: pick(['City', 'Tags']), is_not: value() }),
      () => ({ field: 'Size', [pick(['is', 'is_not'])]: pick(['', '12', '1,5', '3']) }),
      () => ({ kind: pick(['group', 'community', 'channel']) }),
      () => ({ members: { over: below(8) } }),
      () => ({ members: { under: below(8), ...(below(2) && { over: below(4) }) } }),
      () => ({ silent_days: days }),
      () => ({ active_days: days }),
    ])();
  };
  const meets = (group: (typeof known)[number], one: Condition): boolean => {
    const sinceDays = group.daysAgo === undefined ? Infinity : group.daysAgo + 1 / 1440;
    if (one.kind !== undefined) return group.kind === one.kind;
    if (one.members)
      return group.participants > (one.members.over ?? -1) && group.participants < (one.members.under ?? Infinity);
    if (one.silent_days !== undefined) return sinceDays >= one.silent_days;
    if (one.active_days !== undefined) return sinceDays < one.active_days;
    const name = [...idOf.keys()].find((field) => field.toLowerCase() === one.field?.toLowerCase()) ?? '';
    const looked = fold(one.is ?? one.is_not ?? '').replaceAll(/\s+/g, ' ');
    const value = group.values[name];
    const own = value === undefined ? [''] : (name === 'Tags' ? value.split(', ') : [value]).map(fold);
    return own.includes(looked) === (one.is !== undefined);
  };
  for (let round = 0; round < 150; round++) {
    const conditions = Array.from({ length: 1 + below(4) }, makeCondition);
    const isAll = below(2) === 0;
    const rule = isAll ? { all: conditions } : { any: conditions };
    const answer = await carol.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups', {
      rule,
      limit: 500,
    });
    const found = answer.body.data?.groups.map((group) => group.group_metadata_id);
    const expected = known.filter(
      (group) =>
        !group.isGone &&
        (isAll ? conditions.every((one) => meets(group, one)) : conditions.some((one) => meets(group, one))),
    );
    const ids = new Set(known.map(({ id }) => id));
    expect(
      found?.filter((id) => ids.has(id)),
      JSON.stringify(rule),
    ).toEqual(expected.map(({ id }) => id));
  }
});

describe('every reader of a list has the groups of now:', () => {
  let id: number;
  beforeEach(async () => {
    await give({ Tags: 'x' }, {}, {});
    id = await saved({ all: [{ field: 'Tags', is: 'x' }] });
    await give({ Tags: null }, { Tags: 'x' }, {});
  });

  test('list-groups, export-group-fields and get-group', async () => {
    expect(await find({ group_list_id: id })).toEqual([groups[1]]);
    await give({ Tags: 'x' }, { Tags: null });
    const sheet = await fetch(`${app.url}/api/v1/venom/export-group-fields`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.token}` },
      body: JSON.stringify({ group_list_id: id, format: 'csv' }),
    });
    const text = await sheet.text();
    expect(sheet.status, text).toBe(200);
    expect(text.trim().split('\n')).toHaveLength(2);
    expect(text).toContain(String(groups[0]));
    await give({ Tags: null }, {}, { Tags: 'x' });
    const page = await alice.call<{ group_lists: List[] }>('analytics/get-group', { group_metadata_id: groups[2] });
    expect(page.body.data.group_lists).toMatchObject([{ group_list_id: id }]);
  });

  test('templates', async () => {
    const template_id = crypto.randomUUID();
    const made = { template_id, version: 0, name: 'T', html: 'Hi', group_list_ids: [id] };
    expect((await alice.call('venom/save-template', made)).status).toBe(200);
    await give({}, { Tags: null }, { Tags: 'x' });
    const { body } = await alice.call<{ templates: Array<{ groups: Array<{ group_metadata_id: number }> }> }>(
      'venom/list-templates',
      { template_id },
    );
    expect(body.data.templates[0]?.groups).toMatchObject([{ group_metadata_id: groups[2] }]);
  });

  test('the calendar and reports', async () => {
    const plan = (ids: number[]) =>
      alice.call('venom/add-campaign-batch', {
        name: `to ${ids.join()}`,
        html: `Hi ${ids.join()}`,
        group_metadata_ids: ids,
        start_date: '2031-06-10',
        end_date: '2031-06-10',
        schedule_time: '09:00:00',
        time_zone: 'UTC',
      });
    for (const group of groups) expect((await plan([group])).status).toBe(200);
    const span = { start_date: '2031-06-01', end_date: '2031-06-30' };
    const runs = await alice.call<{ runs: Array<{ name: string; group_list_id?: number }> }>('venom/list-runs', {
      ...span,
      group_list_id: id,
    });
    expect(runs.body.data.runs.map(({ name }) => name)).toEqual([`to ${groups[1]}`]);
    await give({ Tags: 'x' }, { Tags: null });
    const listed = await alice.call<{ runs: Array<{ name: string; group_list_id?: number }> }>('venom/list-runs', {
      ...span,
      with_post: true,
    });
    expect(listed.body.data.runs.filter((run) => run.group_list_id === id).map(({ name }) => name)).toEqual([
      `to ${groups[0]}`,
    ]);
    const link = await alice.call<{ path: string }>('venom/share-calendar', { group_list_id: id });
    await give({ Tags: null }, {}, { Tags: 'x' });
    const feed = await (await fetch(`${app.url}${link.body.data.path}`)).text();
    expect(feed).toContain(`to ${groups[2]}`);
    expect(feed).not.toContain(`to ${groups[0]}`);
    await give({ Tags: 'x' }, {}, { Tags: null });
    const report = await alice.call<{ group_list_name?: string }>('analytics/share-report', {
      ...span,
      group_list_id: id,
      expires_in_days: 1,
    });
    expect(report.status, JSON.stringify(report.body)).toBe(200);
    expect(await readColumn(db)`select group_ids from report_links order by report_link_id desc limit 1`).toEqual([
      [groups[0]],
    ]);
  });

  test('an imported plan', async () => {
    const rows = [{ key: 'a', date: '2031-07-01', time: '09:00', list: 'by rule', text: 'Hi' }];
    const answer = await alice.call<{ rows: Array<{ campaign_id: string }> }>('venom/import-plan', {
      plan: 'P',
      rows,
      dry_run: false,
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const [row] = await readColumn<number[]>(db)`
      select t.group_ids from campaigns c join contents t using (content_id) where c.import_plan = 'P'`;
    expect(row).toEqual([groups[1]]);
  });

  test('rules on senders', async () => {
    const [accountId] = await readColumn<AccountId>(
      db,
    )`select account_id from accounts where workspace_id = ${workspaceId}`;
    const second = await addAccount(db, { ...(await actorOf(db, alice)), accountId, groupIds: groups } as Owner);
    const set = await alice.call('venom/set-senders', { group_list_id: id, account_ids: [second] });
    expect(set.status, JSON.stringify(set.body)).toBe(200);
    const senders = async () => {
      const { body } = await alice.call<{
        groups: Array<{ accounts: Array<{ account_id: number; is_sender: boolean }> }>;
      }>('venom/list-groups', { with_accounts: true });
      return body.data.groups.map(({ accounts }) => accounts.find((one) => one.is_sender)?.account_id === second);
    };
    expect(await senders()).toEqual([false, true, false]);
    await give({ Tags: 'x' }, { Tags: null });
    expect(await senders()).toEqual([true, false, false]);
    const rules = async (group: number | undefined) =>
      (await alice.call<{ senders: unknown[] }>('venom/list-senders', { group_metadata_id: group })).body.data.senders;
    await give({ Tags: null }, {}, { Tags: 'x' });
    expect(await rules(groups[2])).toHaveLength(1);
    expect(await rules(groups[0])).toHaveLength(0);
  });
});
