import { execute, readColumn, readRows, sql } from '../../../src/platform/database/statements.ts';
import { describe, expect, test } from 'vitest';
import { beginDueRuns } from '../../../src/sending/campaigns/begin/begin-runs.ts';
import { cancelCampaign, pauseCampaign, resumeCampaign } from '../../../src/sending/campaigns/change/control.ts';
import { sweepRuns } from '../../../src/sending/campaigns/begin/expire-runs.ts';
import { getCampaign } from '../../../src/sending/campaigns/read/get-campaign.ts';
import { recallCampaign } from '../../../src/sending/campaigns/change/recall-campaign.ts';
import { retryCampaign } from '../../../src/sending/campaigns/change/retry-campaign.ts';
import { EVERY_SHARD } from '../../support/begin-runs.ts';
import { useTestDatabase } from '../../support/database.ts';
import { analyticsOf, createOwner, schedule, sendNow, until, type Owner } from '../../support/ledger.ts';
import { failed, positions, sent, takeTurnsByHand } from '../../support/turns.ts';

const database = await useTestDatabase();
const turns = await takeTurnsByHand(database.db);

const statusOf = async (owner: Owner, campaign: string) => (await getCampaign(database, owner, campaign)).status;
const retry = (owner: Owner, campaign: string) => retryCampaign(database, owner, campaign);

/** Counts the rows of the ledger; the stored sums have to be equal. */
async function expectSums(owner: Owner, campaign: string) {
  const { totals, runs } = await analyticsOf(database.db, owner, campaign);
  const rows = await readRows<{ queued: number; sent: number; failed: number; cancelled: number }>(database.db)`
    select count(*) filter (where status = 'queued')::int as queued, count(*) filter (where status = 'sent')::int as sent,
           count(*) filter (where status = 'failed')::int as failed, count(*) filter (where status = 'cancelled')::int as cancelled
    from deliveries where workspace_id = ${owner.workspaceId}`;
  const [counted] = rows;
  expect(totals).toMatchObject(counted ?? {});
  expect(totals.deliveries).toBe(totals.queued + totals.sent + totals.failed + totals.cancelled);
  const add = (pick: (run: (typeof runs)[number]) => number) => runs.reduce((sum, run) => sum + pick(run), 0);
  expect({
    queued: add((run) => run.queued),
    sent: add((run) => run.sent),
    failed: add((run) => run.failed),
    cancelled: add((run) => run.cancelled),
  }).toEqual(counted);
  const open = await sql<{ open_runs: number; open: number }>`
    select c.open_runs, count(r.run_id) filter (where r.finished_at is null)::int as open
    from campaigns c left join runs r on r.campaign_id = c.campaign_id where c.public_id = ${campaign}::uuid group by 1`.execute(
    database.db,
  );
  expect(open.rows[0]?.open_runs).toBe(open.rows[0]?.open);
  return totals;
}

/** A campaign to four groups, ended, of which the second and the fourth failed. */
async function halfFailed(): Promise<{ owner: Owner; campaign: string }> {
  const owner = await createOwner(database.db, 4);
  const campaign = await sendNow(database.db, owner);
  await turns.drain(owner, (position) => (position % 2 === 0 ? failed : sent));
  expect(await statusOf(owner, campaign)).toBe('completed_with_errors');
  return { owner, campaign };
}

const messageIds = (owner: Owner) => readColumn<string>(database.db)`
      select message_id from deliveries where workspace_id = ${owner.workspaceId} order by run_id, position`;

describe('a retry', () => {
  test('sends failed deliveries again with the same message ids, and ends the campaign again', async () => {
    const { owner, campaign } = await halfFailed();
    const before = await messageIds(owner);
    const retried = { campaignId: campaign, status: 'running', leftUnknown: 0 };
    expect(await retry(owner, campaign)).toEqual(retried);
    expect(await expectSums(owner, campaign)).toMatchObject({ queued: 2, sent: 2, failed: 0, runsDone: 0 });
    expect(await getCampaign(database, owner, campaign)).toMatchObject({
      finishedAt: null,
      runs: [{ status: 'running', finishedAt: null }],
    });

    const turn = await turns.claim(owner);
    expect(positions(turn)).toEqual([2, 4]);
    expect(turn.deliveries).toMatchObject([
      { attempts: 0, messageId: before[1] },
      { attempts: 0, messageId: before[3] },
    ]);
    await turns.finish(turn, [sent, sent]);
    expect(await expectSums(owner, campaign)).toMatchObject({ queued: 0, sent: 4, failed: 0, runsDone: 1 });
    expect(await getCampaign(database, owner, campaign)).toMatchObject({
      status: 'completed',
      finishedAt: expect.any(Date),
      runs: [{ status: 'completed', sent: 4 }],
    });
    const { groups } = await analyticsOf(database.db, owner, campaign);
    expect(groups.map((group) => group.lastError)).toEqual([null, null, null, null]);
  });

  test('leaves posts that may have arrived, if asked to, until they are asked for', async () => {
    const owner = await createOwner(database.db, 4);
    const campaign = await sendNow(database.db, owner);
    await turns.drain(owner, (position) => (position === 1 ? sent : failed));
    await execute(database.db)`
      update deliveries set error_code = 'outcome_unknown', error = 'outcome_unknown: in the test'
      where workspace_id = ${owner.workspaceId} and position in (2, 3)`;
    const careful = () => retryCampaign(database, owner, campaign, { leaveUnknown: true });
    expect(await careful()).toMatchObject({ status: 'running', leftUnknown: 2 });
    const turn = await turns.claim(owner);
    expect(positions(turn)).toEqual([4]);
    await turns.finish(turn, [sent]);
    expect(await expectSums(owner, campaign)).toMatchObject({ queued: 0, sent: 2, failed: 2, runsDone: 1 });
    expect(await careful()).toMatchObject({ status: 'completed_with_errors', leftUnknown: 2 });
    const reasons = readColumn<string>(database.db)`
      select error from deliveries where workspace_id = ${owner.workspaceId} and status = 'failed'`;
    expect(await reasons).toEqual(['outcome_unknown: in the test', 'outcome_unknown: in the test']);
    expect(await retry(owner, campaign)).toMatchObject({ status: 'running', leftUnknown: 0 });
  });

  test('of one run leaves the others failed, and finds none of another campaign', async () => {
    const owner = await createOwner(database.db, 2);
    const days = { startDate: '2031-05-05', endDate: '2031-05-06', time: '09:00:00' };
    const campaign = await schedule(database.db, owner, days);
    for (const day of ['2031-05-05', '2031-05-06']) {
      await database.clock.set(`${day}T09:00:00Z`);
      await until(() => beginDueRuns(database.db, EVERY_SHARD), Boolean);
      await turns.drain(owner, () => failed);
    }
    const runs = async () => (await getCampaign(database, owner, campaign)).runs;
    const [first] = await runs();
    await retryCampaign(database, owner, campaign, { runId: first?.runId });
    expect(await runs()).toMatchObject([
      { status: 'running', queued: 2, failed: 0 },
      { status: 'completed_with_errors', queued: 0, failed: 2 },
    ]);
    const other = await halfFailed();
    await expect(retryCampaign(database, other.owner, other.campaign, { runId: first?.runId })).rejects.toMatchObject({
      code: 'run_not_found',
    });
  });

  test('can be repeated as often as it fails', async () => {
    const { owner, campaign } = await halfFailed();
    for (let repeat = 0; repeat < 3; repeat++) {
      await retry(owner, campaign);
      await turns.drain(owner, () => failed);
      expect(await expectSums(owner, campaign)).toMatchObject({ sent: 2, failed: 2 });
      expect(await statusOf(owner, campaign)).toBe('completed_with_errors');
    }
  });

  test('is rejected if nothing has failed, twice at once, or for a cancelled campaign', async () => {
    const owner = await createOwner(database.db, 2);
    const whole = await sendNow(database.db, owner);
    await expect(retry(owner, whole)).rejects.toMatchObject({ kind: 'conflict' });
    await turns.drain(owner, () => sent);
    await expect(retry(owner, whole)).rejects.toMatchObject({ kind: 'conflict' });
    expect(await statusOf(owner, whole)).toBe('completed');

    const half = await halfFailed();
    const both = await Promise.allSettled([retry(half.owner, half.campaign), retry(half.owner, half.campaign)]);
    expect(both.map((one) => one.status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await expectSums(half.owner, half.campaign);
    await cancelCampaign(database, half.owner, half.campaign);
    await expect(retry(half.owner, half.campaign)).rejects.toMatchObject({ kind: 'conflict' });
    await expect(retry(await createOwner(database.db, 1), half.campaign)).rejects.toMatchObject({ kind: 'not_found' });
  });

  test('has all attempts available, and does not wait for the rest of its run', async () => {
    const owner = await createOwner(database.db, 5);
    const campaign = await sendNow(database.db, owner);
    await turns.finish(await turns.claim(owner, { batch: 1 }), [
      { kind: 'retry', waitMs: 0, reason: 'busy', uncertain: false },
    ]);
    await turns.finish(await turns.claim(owner, { batch: 1 }), [failed]);
    expect(await retry(owner, campaign)).toMatchObject({ status: 'running' });
    const turn = await turns.claim(owner, { batch: 2 });
    expect(turn.deliveries).toMatchObject([
      { position: 1, attempts: 0 },
      { position: 2, attempts: 0 },
    ]);
    await turns.finish(turn, [sent, sent]);
    await turns.drain(owner, () => sent);
    expect(await expectSums(owner, campaign)).toMatchObject({ sent: 5, failed: 0 });
    expect(await statusOf(owner, campaign)).toBe('completed');
  });

  test('includes deliveries that were in hand when their run expired', async () => {
    const owner = await createOwner(database.db, 5);
    const campaign = await sendNow(database.db, owner);
    const inHand = await turns.claim(owner, { batch: 1 });
    await database.clock.advance({ hours: 24, seconds: 1 });
    await sweepRuns(database.db, EVERY_SHARD);
    expect(await expectSums(owner, campaign)).toMatchObject({ queued: 1, failed: 4 });
    await retry(owner, campaign);
    await turns.finish(inHand, [{ kind: 'snooze', cooldownMs: 0 }]);
    for (let turn = await turns.tryClaim(owner, { batch: 1 }); turn; turn = await turns.tryClaim(owner, { batch: 1 }))
      await turns.finish(turn, [sent]);
    expect(await expectSums(owner, campaign)).toMatchObject({ queued: 0, sent: 5 });
    expect(await statusOf(owner, campaign)).toBe('completed');
  });

  test('skips recalled and cancelled posts', async () => {
    const { owner, campaign } = await halfFailed();
    await recallCampaign(database, owner, { campaignId: campaign, runId: null });
    await expect(retry(owner, campaign)).rejects.toMatchObject({ kind: 'conflict' });
    expect(await turns.tryClaim(owner)).toBeUndefined();
    expect(await expectSums(owner, campaign)).toMatchObject({ queued: 0, sent: 2, failed: 2 });
    expect(await statusOf(owner, campaign)).toBe('completed_with_errors');
  });

  test('waits for the resume of a paused campaign', async () => {
    const owner = await createOwner(database.db, 3);
    const campaign = await sendNow(database.db, owner);
    await turns.finish(await turns.claim(owner, { batch: 1 }), [failed]);
    await pauseCampaign(database, owner, campaign);
    expect(await retry(owner, campaign)).toMatchObject({ status: 'paused' });
    expect(await turns.tryClaim(owner)).toBeUndefined();
    await resumeCampaign(database, owner, campaign);
    await turns.drain(owner, () => sent);
    expect(await expectSums(owner, campaign)).toMatchObject({ sent: 3 });
  });

  test('can be cancelled before it leaves', async () => {
    const { owner, campaign } = await halfFailed();
    await retry(owner, campaign);
    const inHand = await turns.claim(owner, { batch: 1 });
    await cancelCampaign(database, owner, campaign);
    await turns.finish(inHand, [sent]);
    expect(await turns.tryClaim(owner)).toBeUndefined();
    expect(await expectSums(owner, campaign)).toMatchObject({ sent: 3, cancelled: 1, failed: 0, queued: 0 });
    expect(await statusOf(owner, campaign)).toBe('cancelled');
  });

  test('counts a post once that a lost turn reports as sent', async () => {
    const owner = await createOwner(database.db, 2);
    const campaign = await sendNow(database.db, owner);
    const frozen = await turns.claim(owner);
    await turns.takeOver(owner);
    await turns.drain(owner, () => failed);
    await retry(owner, campaign);
    await turns.finish(frozen, [sent, sent]);
    expect(await expectSums(owner, campaign)).toMatchObject({ sent: 2, failed: 0, queued: 0 });
    expect(await statusOf(owner, campaign)).toBe('completed');
    expect(await turns.tryClaim(owner)).toBeUndefined();
  });

  test('expires a day after the request, however old the run is', async () => {
    const { owner, campaign } = await halfFailed();
    await database.clock.advance({ days: 9 });
    await retry(owner, campaign);
    await database.clock.advance({ hours: 23 });
    await sweepRuns(database.db, EVERY_SHARD);
    expect(await statusOf(owner, campaign)).toBe('running');
    await database.clock.advance({ hours: 1, seconds: 1 });
    await sweepRuns(database.db, EVERY_SHARD);
    expect(await statusOf(owner, campaign)).toBe('completed_with_errors');
    expect(await expectSums(owner, campaign)).toMatchObject({ sent: 2, failed: 2 });
    const { groups } = await analyticsOf(database.db, owner, campaign);
    expect(groups[1]?.lastError).toMatch(/^expired/);
  });

  test('expires when the next run of the schedule falls due', async () => {
    await database.clock.set('2032-03-01T00:00:00Z');
    const owner = await createOwner(database.db, 2);
    const campaign = await schedule(database.db, owner, {
      startDate: '2032-03-03',
      endDate: '2032-03-05',
      time: '09:00:00',
    });
    const begin = async () => {
      while ((await beginDueRuns(database.db, EVERY_SHARD)) === 0);
    };
    await database.clock.set('2032-03-03T09:00:00Z');
    await begin();
    await turns.drain(owner, () => failed);
    expect(await statusOf(owner, campaign)).toBe('scheduled');
    expect(await retry(owner, campaign)).toMatchObject({ status: 'running' });
    await turns.finish(await turns.claim(owner, { batch: 1 }), [sent]);
    await database.clock.set('2032-03-04T09:00:00Z');
    await begin();
    const { runs } = await getCampaign(database, owner, campaign);
    expect(runs).toMatchObject([
      { status: 'completed_with_errors', sent: 1, failed: 1 },
      { status: 'running', queued: 2 },
      { status: 'planned' },
    ]);
    await expectSums(owner, campaign);
  });
});
