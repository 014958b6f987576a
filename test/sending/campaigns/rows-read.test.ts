/** Checks of a draft in a workspace whose plans have a run a day for a year. Rows are counted and not time. */
import type { WorkspaceId } from '../../../src/platform/database/schema.ts';
import { execute, readRows, sql, type Database } from '../../../src/platform/database/statements.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createManyAccounts } from '../../../harness/bench/support/many-accounts.ts';
import { connectDatabase } from '../../../src/platform/database/connect.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { findGroupProblems } from '../../../src/sending/campaigns/accept/find-group-problems.ts';
import { findFrequentPosts } from '../../../src/sending/campaigns/read/find-frequent-posts.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { countRowsRead } from '../../support/rows-read.ts';

const [PLANS, DAYS, GROUPS] = [20, 365, 200];

let database: TestDatabase;
let db: Database;
let workspaceId: WorkspaceId;
let groupIds: number[];
beforeEach(async () => {
  database = await createTestDatabase();
  db = connectDatabase(database.address, { log: createLog('silent'), poolSize: 1, silenceMs: Infinity });
  // The last statistics of the planner are from before the first plan.
  await execute(db)`analyze`;
  await createManyAccounts(db, { accounts: 1, groups: GROUPS });
  const rows = await readRows<{ workspace_id: WorkspaceId; group_ids: number[] }>(db)`
    select workspace_id, array_agg(group_id order by group_id) as group_ids from groups group by 1`;
  const [row] = rows;
  if (!row) throw new Error('there are no groups');
  ({ workspace_id: workspaceId, group_ids: groupIds } = row);
  await addYearlyPlans();
});
afterEach(async () => {
  await db.destroy();
  await database.drop();
});

/** Plans of the same text to the same groups, each at an hour of its own. */
async function addYearlyPlans(): Promise<void> {
  await execute(db)`
    insert into campaigns (workspace_id, name, description, is_channel_campaign, is_schedule, status, open_runs)
    select ${workspaceId}, 'Plan', '', false, true, 'scheduled', ${DAYS}::int from generate_series(1, ${PLANS}::int)`;
  await execute(db)`
    insert into contents (campaign_id, html, text, group_ids)
    select campaign_id, 'Hello', 'Hello', ${groupIds}::bigint[] from campaigns where content_id is null`;
  await execute(db)`
    update campaigns c set content_id = t.content_id from contents t
    where c.content_id is null and t.campaign_id = c.campaign_id`;
  await execute(db)`
    insert into runs (workspace_id, campaign_id, due_at)
    select workspace_id, campaign_id, campanile_now() + day * interval '1 day' + campaign_id * interval '70 minutes'
    from campaigns, generate_series(1, ${DAYS}::int) day where name = 'Plan'`;
}

async function listDue(): Promise<Date[]> {
  const now = await database.clock.now();
  return Array.from({ length: DAYS }, (_, day) => new Date(now.getTime() + (day + 1) * 86_400_000));
}

const dateOf = (at: Date) => at.toTemporalInstant().toZonedDateTimeISO('UTC').toPlainDate();

describe.each([
  ['statistics from before the plans', ''],
  ['current statistics', 'analyze'],
])('with %s', (_, analyze) => {
  beforeEach(async () => {
    if (analyze !== '') await sql.raw(analyze).execute(db);
  });

  test('finds groups with the same text by content, however many runs a plan has', async () => {
    const dueAt = await listDue();
    const draft = { groupIds, text: 'Hello', dueAt, insteadOf: undefined };
    expect(await findGroupProblems(db, workspaceId, draft)).toHaveLength(GROUPS);
    const counts = await countRowsRead(db, (noting) => findGroupProblems(noting, workspaceId, draft), {
      unnested: true,
    });
    expect(Math.max(...counts)).toBeLessThan(2 * PLANS * GROUPS);
  });

  test('looks for too many posts of the runs of a page only, with all others counted', async () => {
    const rows = await readRows<{ run_id: number }>(db)`select run_id from runs order by due_at, run_id limit 1000`;
    const runIds = rows.map(({ run_id }) => run_id);
    const first = dateOf(await database.clock.now());
    const of = (ids: readonly number[]) =>
      findFrequentPosts(db, workspaceId, {
        draft: null,
        runIds: ids,
        first,
        last: first.add({ days: 99 }),
        weekly: 7,
        timeZone: 'UTC',
      });
    const all = await of(runIds);
    const page = runIds.slice(500, 520);
    const found = await of(page);
    expect(found).toEqual(all.filter(({ runId }) => runId !== null && page.includes(runId)));
    expect(found.filter(({ kind }) => kind === 'week')).toHaveLength(page.length);
  });

  test('counts the posts of groups that are each in other plans, without a row for each post', async () => {
    await execute(db)`
      update contents set group_ids = array(select id from unnest(group_ids) id where hashint8(id * 1000 + content_id) % 4 <> 0)`;
    const rows = await readRows<{ posts: number }>(db)`
      select count(*)::int as posts from campaigns c join contents t on t.content_id = c.content_id, unnest(t.group_ids) id
      where c.name = 'Plan' group by id`;
    const dueAt = await listDue();
    const first = dateOf(await database.clock.now());
    const draft = { groupIds, dueAt, except: undefined };
    const question = { draft, runIds: [], first, last: first.add({ days: DAYS }), weekly: 7, timeZone: 'UTC' };
    const posts = 7 * (1 + Math.max(...rows.map((row) => row.posts)));
    const find = (db: Database) => findFrequentPosts(db, workspaceId, question);
    expect((await find(db)).filter(({ kind }) => kind === 'week')).toMatchObject([{ groups: GROUPS, posts }]);
    const counts = await countRowsRead(db, find, { passed: true });
    expect(Math.max(...counts)).toBeLessThan(20 * (PLANS * DAYS + PLANS * GROUPS));
  });
});

test('counts the groups of a running run that have no delivery yet', async () => {
  await execute(db)`
    update runs r set status = 'running', content_id = c.content_id, started_at = campanile_now(), progress_at = campanile_now(),
           targets = ${GROUPS}::int, queued = ${GROUPS}::int
    from campaigns c where c.campaign_id = r.campaign_id and r.run_id = (select min(run_id) from runs)`;
  const draft = { groupIds, text: 'Hello', dueAt: [await database.clock.now()], insteadOf: undefined };
  await execute(db)`delete from runs where status = 'planned'`;
  expect(await findGroupProblems(db, workspaceId, draft)).toHaveLength(GROUPS);
});

test('leaves out planned runs of plans whose text has changed since', async () => {
  await execute(db)`
    with next as (
      insert into contents (campaign_id, html, text, group_ids)
      select campaign_id, 'Other', 'Other', group_ids from contents returning campaign_id, content_id)
    update campaigns c set content_id = n.content_id from next n where n.campaign_id = c.campaign_id`;
  const dueAt = await listDue();
  expect(await findGroupProblems(db, workspaceId, { groupIds, text: 'Hello', dueAt, insteadOf: undefined })).toEqual(
    [],
  );
});
