/** What is read in a workspace with two accounts, whatever the planner knows of its tables. Rows are counted and not time. */
import { execute, readRows, sql, type Database } from '../../../src/platform/database/statements.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AccountId } from '../../../src/platform/database/schema.ts';
import { handOver } from '../../../src/sending/senders/hand-over.ts';
import { listAccounts } from '../../../src/sending/accounts/list-accounts.ts';
import { correctCampaign } from '../../../src/sending/campaigns/change/correct-campaign.ts';
import { pinCampaign } from '../../../src/sending/campaigns/change/pin-campaign.ts';
import { readAccountShares } from '../../../src/sending/campaigns/read/account-shares.ts';
import { NEVER_SEEN, readProgress } from '../../../src/sending/campaigns/read/read-progress.ts';
import { requeueLanes } from '../../../src/sending/leases/lease-store.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { connectExplaining, rowsPassedBy, type ExplainingDatabase } from '../../support/explain-statements.ts';
import { convert, createOwner, sendNow, type Owner } from '../../support/ledger.ts';
import { writePosts } from '../../support/many-posts.ts';
import { addAccount, setSenders } from '../../support/several-accounts.ts';

const GROUPS = 8_003;

let database: TestDatabase;
let explaining: ExplainingDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
  explaining = connectExplaining(database.address);
  // No statistics come by themselves.
  await execute(database.db)`
    do $$ declare name regclass; begin
      for name in select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
        execute format('alter table %s set (autovacuum_enabled = off)', name);
      end loop;
    end $$`;
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
    execute(db)`
      insert into senders (workspace_id, group_id, account_ids, set_by)
      select ${workspaceId}, group_id, array[${second}::bigint], ${userId} from unnest(${groupIds}::bigint[]) g (group_id)`,
  'a rule for a list': (db, { workspaceId, userId, groupIds }, second) =>
    execute(db)`
      with list as (insert into group_lists (workspace_id, name, group_ids) values (${workspaceId}, 'All', ${groupIds}::bigint[]) returning group_list_id)
      insert into senders (workspace_id, group_list_id, account_ids, set_by)
      select ${workspaceId}, group_list_id, array[${second}::bigint], ${userId} from list`,
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
    const rows = await readRows(db)`
      select account_id, count(*)::int from deliveries where workspace_id = ${owner.workspaceId} group by 1`;
    expect(rows).toEqual([{ account_id: sender, count: GROUPS }]);
    const moved = await countRows((db) =>
      db.transaction().execute(async (trx) => {
        const count = await handOver(trx, {
          workspaceId: owner.workspaceId,
          from: sender,
          isReturnable: false,
          timeZone: 'UTC',
        });
        expect(count).toBe(GROUPS);
      }),
    );
    expect(moved).toBeLessThan(60 * GROUPS);
  });

  /** Two accounts that have sent a campaign to each group on thirty days, half each. */
  async function createHistory(groups: number): Promise<{ owner: Owner; second: AccountId }> {
    await analyze(isAnalyzedBefore);
    const owner = await createOwner(database.db, groups);
    const second = await addAccount(database.db, owner);
    await writePosts(database.db, owner, 30);
    await execute(database.db)`update deliveries set account_id = ${second} where position % 2 = 0`;
    return { owner, second };
  }

  test('reads the shares of the accounts in a campaign from its own deliveries', async () => {
    const { owner, second } = await createHistory(2_000);
    const own = owner.groupIds.slice(0, 100);
    await setSenders(database.db, owner, [second], own[0]);
    await sendNow(database.db, owner, own);
    await analyze(isAnalyzedAfter);
    const rows = await readRows<{ id: number }>(database.db)`select max(campaign_id) as id from campaigns`;
    const rowsRead = await countRows(async (db) => {
      expect(await readAccountShares(db, rows[0]?.id ?? 0)).toMatchObject([{ deliveries: 99 }, { deliveries: 1 }]);
    });
    expect(rowsRead).toBeLessThan(20 * own.length);
  });

  test('pins corrected posts with a lookup for each', async () => {
    await analyze(isAnalyzedBefore);
    const owner = await createOwner(database.db, 3_481);
    await addAccount(database.db, owner);
    const campaignId = await sendNow(database.db, owner);
    await execute(database.db)`update deliveries set status = 'sent', sent_at = campanile_now(), attempts = 1`;
    await execute(database.db)`update runs set queued = 0, sent = targets`;
    const deps = { db: database.db, convert };
    await correctCampaign(deps, owner, { campaignId, runId: null, html: 'Corrected' });
    await analyze(isAnalyzedAfter);
    const rowsRead = await countRows((db) => pinCampaign({ db }, owner, { campaignId, runId: null, seconds: 86_400 }));
    expect(rowsRead).toBeLessThan(20 * owner.groupIds.length);
  });

  test('reads the progress of many workspaces without the groups of others', async () => {
    await analyze(isAnalyzedBefore);
    const owners: Owner[] = [];
    for (let n = 0; n < 200; n++) {
      const owner = await createOwner(database.db, 20);
      await addAccount(database.db, owner);
      await sendNow(database.db, owner);
      owners.push(owner);
    }
    await analyze(isAnalyzedAfter);
    const watched = owners.map(({ workspaceId }) => ({ workspaceId, changes: NEVER_SEEN }));
    const rowsRead = await countRows(async (db) => {
      expect(await readProgress({ db }, watched)).toHaveLength(owners.length);
    });
    expect(rowsRead).toBeLessThan(100 * owners.length);
  });

  test('takes back a turn without walking along its run', async () => {
    const { owner, second } = await createHistory(2_000);
    await sendNow(database.db, owner);
    await execute(database.db)`
      update lanes set work_at = null, in_hand = '{[7,9)}', in_hand_run_id = (select max(run_id) from runs) where account_id = ${second}`;
    await analyze(isAnalyzedAfter);
    const rowsRead = await countRows((db) => requeueLanes(db, [second], {}));
    const rows = await readRows(database.db)`select position from deliveries where uncertain order by 1`;
    expect(rows).toEqual([{ position: 7 }, { position: 8 }]);
    expect(rowsRead).toBeLessThan(200);
  });

  test('lists the accounts without the posts that were sent', async () => {
    const { owner, second } = await createHistory(1_000);
    for (let n = 0; n < 10; n++) await sendNow(database.db, owner);
    await execute(database.db)`update deliveries set status = 'sent', sent_at = campanile_now() where position <= 950`;
    await execute(database.db)`update deliveries set account_id = ${second} where position > 970`;
    await execute(database.db)`update runs set queued = 50, sent = 950 where status = 'running'`;
    await analyze(isAnalyzedAfter);
    const rowsRead = await countRows(async (db) => {
      expect(await listAccounts({ db, timeZone: 'UTC' }, owner)).toMatchObject([
        { groups: 1_000, queued: 200 },
        { groups: 1_000, queued: 300 },
      ]);
    });
    expect(rowsRead).toBeLessThan(4 * (2 * 1_000 + 500));
  });
});
