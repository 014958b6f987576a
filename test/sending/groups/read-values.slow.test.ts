/** What rules and posts read of the values and the activity of groups, whatever the planner knows of the tables. Rows are counted and not time. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { execute, sql, type Database } from '../../../src/platform/database/statements.ts';
import { listGroupLists, remakeLists, saveGroupList } from '../../../src/sending/groups/group-lists.ts';
import { bindRule, selectByRule } from '../../../src/sending/groups/rules.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { connectExplaining, rowsPassedBy, type ExplainingDatabase } from '../../support/explain-statements.ts';
import { createOwner, type Owner } from '../../support/ledger.ts';
import { findUnfit } from '../../../src/sending/values/check-values.ts';

const GROUPS = 1_003;
const FIELDS = ['F0', 'F1', 'F2', 'F3'];
/** Of a group, by all steps of all statements of one reading. */
const FOR_EACH = 40;

/** A post with a field that no group has a value of, and with the name of the group. */
const POST = {
  template: {
    text: '',
    placeholders: [],
    fields: {
      none: { name: 'none', fieldId: -1, isRequired: true as const },
      group: { name: 'group', builtIn: 'group' as const },
    },
  },
  extras: {},
  hasFile: false,
  dueAt: new Date(),
  timeZone: null,
  installationZone: 'UTC',
};

let database: TestDatabase;
let explaining: ExplainingDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
  explaining = connectExplaining(database.address);
  await execute(database.db)`alter table group_values set (autovacuum_enabled = off)`;
  await execute(database.db)`alter table group_activity set (autovacuum_enabled = off)`;
  await execute(database.db)`alter table groups set (autovacuum_enabled = off)`;
});
afterEach(async () => {
  await explaining.db.destroy();
  await database.drop();
});

/** Gives groups values in four fields of their workspace, and a post that was sent. */
async function giveValues({ workspaceId, groupIds }: Owner): Promise<void> {
  await execute(database.db)`
    with field as (
      insert into fields (workspace_id, name, folded_name, kind, position)
      select ${workspaceId}, name, lower(name), 'text', n from unnest(${FIELDS}::text[]) with ordinality f (name, n)
      returning field_id, name
    ), given as (
      select jsonb_object_agg(field_id, name) as field_values from field
    )
    insert into group_values (group_id, workspace_id, field_values)
    select g, ${workspaceId}, field_values from given, unnest(${groupIds}::bigint[]) g`;
  await execute(database.db)`
    insert into group_activity (workspace_id, group_id, posts, last_sent_at, failed, recipients, read)
    select ${workspaceId}::bigint, g, 1, campanile_now(), 0, 2, 1 from unnest(${groupIds}::bigint[]) g`;
}
const analyze = () => sql`analyze`.execute(database.db);

const BEFORE: Readonly<Record<string, () => Promise<unknown>>> = {
  'no statistics': () => Promise.resolve(),
  'statistics of no values': analyze,
  'statistics of a few values of others': async () => {
    await giveValues(await createOwner(database.db, 2));
    await analyze();
  },
  'statistics of many values of others': async () => {
    await giveValues(await createOwner(database.db, 3 * GROUPS));
    await analyze();
  },
};

describe.each(Object.entries(BEFORE))('with %s', (_, prepare) => {
  test.each([false, true])('reads what each group has once (current statistics: %s)', async (isCurrent) => {
    await prepare();
    const owner = await createOwner(database.db, GROUPS);
    await giveValues(owner);
    if (isCurrent) await analyze();
    const rule = { any: [...FIELDS.map((field) => ({ field, is: 'nothing' })), { silentDays: 5 }] };
    const { workspaceId } = owner;
    const readings: Readonly<Record<string, (db: Database) => Promise<unknown>>> = {
      'save-group-list': (db) => saveGroupList({ db }, owner, { name: 'L', rule, groupListId: null }),
      'list-group-lists': (db) => listGroupLists({ db }, owner),
      'a run that begins': (db) => remakeLists(db, workspaceId),
      'list-groups': async (db) => selectByRule(db, workspaceId, await bindRule(db, workspaceId, rule)),
      'add-campaign': (db) => findUnfit(db, { ...POST, workspaceId, groupIds: owner.groupIds }),
    };
    for (const [name, read] of Object.entries(readings)) {
      const statements = await explaining.explain(read);
      const rows = statements.reduce((sum, { plan }) => sum + rowsPassedBy(plan), 0);
      expect(rows, name).toBeLessThan(FOR_EACH * GROUPS);
    }
  });
});
