/** Replies of a large campaign are counted without a comparison of each post with each. */
import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { expect, test } from 'vitest';
import { readReach } from '../../../src/sending/analytics/read-reach.ts';
import { useTestDatabase } from '../../support/database.ts';
import { createOwner } from '../../support/ledger.ts';
import { writePosts } from '../../support/many-posts.ts';
import { countRowsRead } from '../../support/rows-read.ts';

const GROUPS = 1_000;

const database = await useTestDatabase();

test('reads a few rows for each reply, whatever the planner knows of the tables', async () => {
  const { db } = database;
  const owner = await createOwner(db, GROUPS);
  await writePosts(db, owner, 2);
  // The second run replies to the first, of which two posts are gone.
  const rows = await readRows<{ campaignId: number; former: number; later: number }>(db)`
    update runs r set reply_run_id = o.run_id, started_at = campanile_now() + interval '1 hour'
    from runs o where o.workspace_id = r.workspace_id and o.due_at < r.due_at
    returning r.campaign_id as "campaignId", o.run_id as former, r.run_id as later`;
  const [{ campaignId, former, later }] = rows as [{ campaignId: number; former: number; later: number }];
  await execute(db)`
    insert into revisions (workspace_id, account_id, run_id, position, number, is_channel, recalled_at)
    select workspace_id, account_id, run_id, position, nextval('revision_numbers'), false, sent_at + interval '1 minute'
    from deliveries where run_id = ${former} and position <= 2`;
  await execute(db)`update deliveries set status = 'failed' where run_id = ${later} and position = ${GROUPS}`;

  const counts = await countRowsRead(db, async (noting) => {
    const { hasQuotes, groups } = await readReach(noting, campaignId);
    expect(hasQuotes).toBe(true);
    expect([...groups.values()].map(({ quotes }) => quotes)).toEqual(Array.from({ length: GROUPS - 3 }, () => 1));
  });
  expect(Math.max(...counts)).toBeLessThan(6 * GROUPS);
});
