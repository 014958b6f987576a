/** A report about many posts: each of its statements reads few of them, whatever the planner knows of the tables. */
import { parse } from 'csv-parse/sync';
import { readRows } from '../../../src/platform/database/statements.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readReport } from '../../../src/sending/analytics/report/read-report.ts';
import { saveGroupList } from '../../../src/sending/groups/group-lists.ts';
import { startTestApp, type Person, type TestApp } from '../../support/app.ts';
import type { Owner } from '../../support/ledger.ts';
import { writePosts } from '../../support/many-posts.ts';
import { countRowsRead } from '../../support/rows-read.ts';
import { workspaceOf } from '../../support/workspaces.ts';

const GROUPS = 10_000;
const RUNS = 20;
/** The posts of a statement, and their groups. */
const MOST_ROWS = 2 * 20_000 + 1_000;
/** All runs of the campaign but one: read post by post, since its sums are of all runs. */
const CUT = { startDate: '2031-05-02', endDate: '2031-05-20' };
const WHOLE = { startDate: '2031-05-01', endDate: '2031-05-20' };

let app: TestApp;
let alice: Person;
let owner: Owner;
beforeAll(async () => {
  app = await startTestApp({ sandboxSpeed: 0, role: 'api' });
  const { db, clock } = app.database;
  await clock.set('2031-05-20T12:00:00Z');
  alice = await app.signUp('alice');
  owner = await fillAccount(alice);
  await writePosts(db, owner, RUNS);
}, 240_000);
afterAll(() => app.stop());

async function fillAccount(person: Person): Promise<Owner> {
  const { db } = app.database;
  const { accountId, workspaceId } = await db
    .selectFrom('accounts')
    .select(['account_id as accountId', 'workspace_id as workspaceId'])
    .where('workspace_id', '=', workspaceOf(person))
    .executeTakeFirstOrThrow();
  const rows = await readRows<{ groupId: number }>(db)`
    insert into groups (workspace_id, chat_id, send_to, kind, name, participants, can_send)
    select ${workspaceId}::bigint, g || '@g.us', g || '@g.us', 'group', 'Group ' || g, 3, true from generate_series(1, ${GROUPS}::int) g
    returning group_id as "groupId"`;
  const { userId } = person;
  const groupIds = rows.map(({ groupId }) => groupId);
  return { userId, workspaceId, role: 'owner', address: '192.0.2.1', accountId, groupIds };
}

test.each([
  ['a span that cuts the campaign', CUT],
  ['a span with the whole campaign, none of which is summed yet', WHOLE],
])('reads few rows a statement of %s', async (_what, span) => {
  const { db } = app.database;
  const counts = await countRowsRead(db, async (noting) => {
    const { totals, groups } = await readReport({ db: noting, timeZone: 'UTC' }, owner, span);
    const runs = span === CUT ? RUNS - 1 : RUNS;
    expect(totals).toMatchObject({
      runs,
      sent: runs * GROUPS,
      read: (runs * GROUPS) / 2,
      acknowledging: 2 * runs * GROUPS,
    });
    expect(groups).toHaveLength(GROUPS);
    expect(groups[0]).toMatchObject({ sent: runs, recipients: 2 * runs, delivered: 2 * runs, read: runs });
    expect(groups.at(-1)).toMatchObject({ sent: runs, read: 0, isSilent: true });
  });
  expect(Math.max(...counts)).toBeLessThan(MOST_ROWS);
});

test('reads few rows a statement of a report about a list', async () => {
  const { db } = app.database;
  const groupIds = owner.groupIds.filter((_id, index) => index % 3 === 0);
  const groupListId = await saveGroupList({ db }, owner, { name: 'Thirds', groupIds, groupListId: null });
  const counts = await countRowsRead(db, async (noting) => {
    const { totals, groups } = await readReport({ db: noting, timeZone: 'UTC' }, owner, { ...CUT, groupListId });
    expect(totals).toMatchObject({ runs: RUNS - 1, sent: (RUNS - 1) * groupIds.length });
    expect(groups).toHaveLength(groupIds.length);
  });
  expect(Math.max(...counts)).toBeLessThan(MOST_ROWS);
});

test('exports all rows while the client takes them', async () => {
  const answer = await fetch(`${app.url}/api/v1/analytics/export-report`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.token}` },
    body: JSON.stringify({ start_date: CUT.startDate, end_date: CUT.endDate, format: 'csv' }),
  });
  expect(answer.status).toBe(200);
  // A text that was there as a whole would have a length.
  expect(answer.headers.get('content-length')).toBeNull();
  const rows: Array<Record<string, string>> = parse(await answer.text(), { columns: true, bom: true });
  expect(rows).toHaveLength(GROUPS);
  expect(new Set(rows.map((row) => row['group_metadata_id'])).size).toBe(GROUPS);
  expect(rows[0]).toMatchObject({ sent: String(RUNS - 1), read_rate: '0.5' });
});
