/** What is read in a workspace with two accounts, whatever the planner knows of its tables. Rows are counted and not time. */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AccountId } from '../../../src/platform/database/schema.ts';
import type { Database } from '../../../src/platform/database/connect.ts';
import { handOver } from '../../../src/sending/senders/hand-over.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { connectExplaining, rowsPassedBy, type ExplainingDatabase } from '../../support/explain-statements.ts';
import { createOwner, sendNow, type Owner } from '../../support/ledger.ts';
import { addAccount, setSenders } from '../../support/several-accounts.ts';

const GROUPS = 8_003;

let database: TestDatabase;
let explaining: ExplainingDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
  explaining = connectExplaining(database.address);
  // No statistics come by themselves.
  await sql`
    do $$ declare name regclass; begin
      for name in select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
        execute format('alter table %s set (autovacuum_enabled = off)', name);
      end loop;
    end $$`.execute(database.db);
});
afterEach(async () => {
  await explaining.db.destroy();
  await database.drop();
});

/** How many rows all steps of the statements of `work` pass on. */
async function countRows(work: (db: Database) => Promise<unknown>): Promise<number> {
  const statements = await explaining.explain(work);
  return statements.reduce((sum, { plan }) => sum + rowsPassedBy(plan), 0);
}

/** Rules that let the second account send: to every other group each, to a list of all groups, or to the workspace. */
const RULES: Readonly<Record<string, (db: Database, owner: Owner, second: AccountId) => Promise<unknown>>> = {
  'no rule': () => Promise.resolve(),
  'a rule for each group': (db, { workspaceId, userId, groupIds }, second) =>
    sql`
      insert into senders (workspace_id, group_id, account_ids, set_by)
      select ${workspaceId}, group_id, array[${second}::bigint], ${userId} from unnest(${groupIds}::bigint[]) g (group_id)`.execute(
      db,
    ),
  'a rule for a list': (db, { workspaceId, userId, groupIds }, second) =>
    sql`
      with list as (insert into group_lists (workspace_id, name, group_ids) values (${workspaceId}, 'All', ${groupIds}::bigint[]) returning group_list_id)
      insert into senders (workspace_id, group_list_id, account_ids, set_by)
      select ${workspaceId}, group_list_id, array[${second}::bigint], ${userId} from list`.execute(db),
  'a rule for the workspace': (db, owner, second) => setSenders(db, owner, [second]),
};

describe.each([
  ['no statistics', false, false],
  ['statistics from before', true, false],
  ['current statistics', true, true],
])('with %s', (_, isAnalyzedBefore, isAnalyzedAfter) => {
  const analyze = (isWanted: boolean) => (isWanted ? sql`analyze`.execute(database.db) : undefined);

  test.each(Object.entries(RULES))('accepts and hands over with work by group: %s', async (name, setRules) => {
    await analyze(isAnalyzedBefore);
    const { db } = database;
    const other = await createOwner(db, GROUPS);
    const one = await countRows((db) => sendNow(db, other));
    const owner = await createOwner(db, GROUPS);
    const second = await addAccount(db, owner);
    await setRules(db, owner, second);
    await analyze(isAnalyzedAfter);
    const two = await countRows((db) => sendNow(db, owner));
    expect(two).toBeLessThan(4 * one);
    const sender = name === 'no rule' ? owner.accountId : second;
    const { rows } =
      await sql`select account_id, count(*)::int from deliveries where workspace_id = ${owner.workspaceId} group by 1`.execute(
        db,
      );
    expect(rows).toEqual([{ account_id: sender, count: GROUPS }]);
    const moved = await countRows((db) =>
      db.transaction().execute(async (trx) => {
        const count = await handOver(trx, { workspaceId: owner.workspaceId, from: sender, isReturnable: false });
        expect(count).toBe(GROUPS);
      }),
    );
    expect(moved).toBeLessThan(60 * GROUPS);
  });
});
