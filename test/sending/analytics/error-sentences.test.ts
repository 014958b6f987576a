import { execute } from '../../../src/platform/database/statements.ts';
import { describe, expect, test } from 'vitest';
import { EVERY_SHARD } from '../../support/begin-runs.ts';
import { useTestDatabase } from '../../support/database.ts';
import { describeFailure, toOutcomeUnknown } from '../../../src/platform/errors/failures.ts';
import { selectFailure } from '../../../src/sending/deliveries/settle-runs.ts';
import { cancelCampaign } from '../../../src/sending/campaigns/change/control.ts';
import { beginDueRuns } from '../../../src/sending/campaigns/begin/begin-runs.ts';
import { analyticsOf, createOwner, schedule, sendNow } from '../../support/ledger.ts';

const database = await useTestDatabase();

test.each([
  [
    toOutcomeUnknown({ reason: 'the line was cut' }),
    /^outcome_unknown: the line was cut\. .*Check the group before you send it again/,
  ],
  [describeFailure('expired'), /^expired: .*send the post again if it is still relevant$/],
  [describeFailure('admins_only'), /^Only admins may post in this group\. Ask an admin of the group to make you one/],
  [{ reason: 'Only admins may post here' }, /^Only admins may post here$/],
])('returns the failure %j with a remedy', async (failure, words) => {
  const owner = await createOwner(database.db, 1);
  const campaign = await sendNow(database.db, owner);
  await execute(database.db)`
    update deliveries set status = 'failed', (error, error_code, error_params) = (${selectFailure(failure)})
    where workspace_id = ${owner.workspaceId}`;
  const { groups } = await analyticsOf(database.db, owner, campaign);
  expect(groups[0]?.lastError).toMatch(words);
  expect(groups[0]?.errorCode).toBe(failure.code ?? 'other');
});

test('of a cancelled post that may have left, no refusal of before says that it has not', async () => {
  const owner = await createOwner(database.db, 2);
  const campaign = await sendNow(database.db, owner);
  const refused = selectFailure(describeFailure('refused_for_now', { code: 479 }));
  await execute(database.db)`
    update deliveries set attempts = 1, uncertain = position = 1, (error, error_code, error_params) = (${refused})
    where workspace_id = ${owner.workspaceId}`;
  await cancelCampaign(database, owner, campaign);
  expect((await analyticsOf(database.db, owner, campaign)).groups).toMatchObject([
    { cancelled: 1, errorCode: 'outcome_unknown', errorParams: { cause: 'cancelled_in_doubt' } },
    { cancelled: 1, errorCode: 'refused_for_now', errorParams: { code: 479 } },
  ]);
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
  await execute(db)`
    update deliveries d
    set status = 'failed', error = (select to_char(due_at at time zone 'UTC', 'DD') from runs r where r.run_id = d.run_id), not_before = null
    where workspace_id = ${owner.workspaceId}`;
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
    await execute(database.db)`
      update deliveries set status = 'sent', sent_at = '2031-01-01 00:00Z'::timestamptz + (position - 1) * (${span}::interval / 399)
      where workspace_id = ${owner.workspaceId}`;
    const { timeline } = await analyticsOf(database.db, owner, campaign);
    const steps = timeline.slice(1).map((bucket, index) => bucket.at.getTime() - (timeline[index]?.at.getTime() ?? 0));
    expect(Math.min(...steps) / 1_000).toBe(stepSeconds);
    expect(timeline.length).toBeLessThan(370);
    expect(timeline.reduce((sum, bucket) => sum + bucket.sent, 0)).toBe(400);
  });
});
