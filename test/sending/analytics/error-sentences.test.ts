import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { beginDueRuns } from '../../../src/sending/campaigns/begin/begin-runs.ts';
import { analyticsOf, createOwner, schedule, sendNow } from '../../support/ledger.ts';

const EVERY_SHARD = Array.from({ length: 256 }, (_, shard) => shard);

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test.each([
  [
    'outcome_unknown: the line was cut',
    /^outcome_unknown: the line was cut\. .*Check the group before you send it again/,
  ],
  ['expired: it could not be sent in time', /^expired: .*send the post again if it is still relevant$/],
  ['Only admins may post here', /^Only admins may post here$/],
])('returns the failure %j with a remedy', async (error, words) => {
  const owner = await createOwner(database.db, 1);
  const campaign = await sendNow(database.db, owner);
  await sql`update deliveries set status = 'failed', error = ${error} where workspace_id = ${owner.workspaceId}`.execute(
    database.db,
  );
  expect((await analyticsOf(database.db, owner, campaign)).groups[0]?.lastError).toMatch(words);
});

test('returns the failure of the newest run', async () => {
  const { db, clock } = database;
  await clock.set('2032-03-01T00:00:00Z');
  const owner = await createOwner(db, 1);
  const dates = { startDate: '2032-03-03', endDate: '2032-03-04', time: '09:00:00' };
  const campaign = await schedule(db, owner, dates);
  for (const day of ['2032-03-03', '2032-03-04']) {
    await clock.set(`${day}T09:00:00Z`);
    while ((await beginDueRuns(db, EVERY_SHARD)) === 0);
  }
  await sql`
    update deliveries d
    set status = 'failed', error = (select to_char(due_at at time zone 'UTC', 'DD') from runs r where r.run_id = d.run_id), not_before = null
    where workspace_id = ${owner.workspaceId}`.execute(db);
  expect((await analyticsOf(db, owner, campaign)).groups).toMatchObject([{ deliveries: 2, lastError: '04' }]);
});

describe('the timeline', () => {
  test.each([
    ['2 hours', 60],
    ['10 hours', 300],
    ['40 hours', 900],
    ['7 days', 3_600],
    ['40 days', 6 * 3_600],
    ['366 days', 86_400],
  ])('of %s has steps of %d s, and counts every send', async (span, stepSeconds) => {
    const owner = await createOwner(database.db, 400);
    const campaign = await sendNow(database.db, owner);
    await sql`
      update deliveries set status = 'sent', sent_at = '2031-01-01 00:00Z'::timestamptz + (position - 1) * (${span}::interval / 399)
      where workspace_id = ${owner.workspaceId}`.execute(database.db);
    const { timeline } = await analyticsOf(database.db, owner, campaign);
    const steps = timeline.slice(1).map((bucket, index) => bucket.at.getTime() - (timeline[index]?.at.getTime() ?? 0));
    expect(Math.min(...steps) / 1_000).toBe(stepSeconds);
    expect(timeline.length).toBeLessThan(370);
    expect(timeline.reduce((sum, bucket) => sum + bucket.sent, 0)).toBe(400);
  });
});
