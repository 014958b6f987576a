/** Single planned runs: skipped, moved, and sent now. */
import { execute } from '../../../src/platform/database/statements.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { cancelCampaign, pauseCampaign } from '../../../src/sending/campaigns/change/control.ts';
import { moveRun, sendRunNow, skipRun } from '../../../src/sending/campaigns/change/move-run.ts';
import { retryCampaign } from '../../../src/sending/campaigns/change/retry-campaign.ts';
import { missRuns } from '../../../src/sending/campaigns/begin/expire-runs.ts';
import { listRuns } from '../../../src/sending/campaigns/read/list-runs.ts';
import { replanStaleRuns } from '../../../src/sending/campaigns/change/replan-stale-runs.ts';
import { updateCampaign, type CampaignChange } from '../../../src/sending/campaigns/change/update-campaign.ts';
import { getCampaign } from '../../../src/sending/campaigns/read/get-campaign.ts';
import { EVERY_SHARD, beginRuns, expectOpenRuns } from '../../support/begin-runs.ts';
import { useTestApp } from '../../support/app.ts';
import { convert, createOwner, schedule, sendNow } from '../../support/ledger.ts';
import { failed, sent, takeTurnsByHand } from '../../support/turns.ts';

const app = await useTestApp({ role: 'api' });
const database = app.database;
const turns = await takeTurnsByHand(database.db);
beforeEach(() => database.clock.set('2031-03-01T00:00:00Z'));

/** Monday to Wednesday. */
const threeDays = { startDate: '2031-03-03', endDate: '2031-03-05', time: '09:00:00' };

async function plan(days: Partial<typeof threeDays> = {}) {
  const owner = await createOwner(database.db, 1);
  return { owner, campaign: await schedule(database.db, owner, { ...threeDays, ...days }) };
}
type Planned = Awaited<ReturnType<typeof plan>>;

const read = ({ owner, campaign }: Planned) => getCampaign(database, owner, campaign);
const runsOf = async (of: Planned) =>
  (await read(of)).runs.map((run) => `${run.dueAt.toISOString().slice(0, 16)} ${run.status}`);
const update = ({ owner, campaign }: Planned, change: CampaignChange) =>
  updateCampaign({ db: database.db, convert }, owner, campaign, change);
/** The run of this place, from 0, in the present order of the runs. */
async function target(of: Planned, place: number) {
  const run = (await read(of)).runs[place];
  if (!run) throw new Error(`there is no run ${place}`);
  return { campaignId: of.campaign, runId: run.runId };
}
const DEPS = {
  get db() {
    return database.db;
  },
  timeZone: 'UTC',
};
const move = async (of: Planned, place: number, to: string) =>
  moveRun(DEPS, of.owner, await target(of, place), new Date(to));
const now = async (of: Planned, place: number) => sendRunNow(DEPS, of.owner, await target(of, place));
const skip = async (of: Planned, place: number) => skipRun(database, of.owner, await target(of, place));

const begin = () => beginRuns(database.db);

describe('a skipped run', () => {
  test('is left out, also when the schedule changes later', async () => {
    const of = await plan();
    expect(await skip(of, 1)).toEqual({ campaignId: of.campaign, status: 'scheduled' });
    expect(await runsOf(of)).toEqual(['2031-03-03T09:00 planned', '2031-03-05T09:00 planned']);
    expect((await read(of)).skipDates).toEqual(['2031-03-04']);
    await update(of, { time: '10:00:00' });
    expect(await runsOf(of)).toEqual(['2031-03-03T10:00 planned', '2031-03-05T10:00 planned']);
    await expectOpenRuns(database.db, of.campaign);
  });

  test('comes back when its date is taken in again', async () => {
    const of = await plan();
    await skip(of, 1);
    await update(of, { skipDates: [] });
    expect(await runsOf(of)).toHaveLength(3);
  });

  test('is not the last one, which only a cancellation stops', async () => {
    const of = await plan();
    await skip(of, 0);
    await skip(of, 0);
    await expect(skip(of, 0)).rejects.toMatchObject({ code: 'run_wrong_state' });
    expect(await runsOf(of)).toEqual(['2031-03-05T09:00 planned']);
  });

  test('ends a campaign with the run under way, if none is left after it', async () => {
    const of = await plan({ endDate: '2031-03-04' });
    await database.clock.set('2031-03-03T09:00:00Z');
    await begin();
    await skip(of, 1);
    await turns.drain(of.owner, () => sent);
    expect(await read(of)).toMatchObject({ status: 'completed' });
    await expectOpenRuns(database.db, of.campaign);
  });
});

describe('a missed run', () => {
  const leftOut = async ({ owner }: Planned) => {
    const filter = { startDate: '2031-03-01', endDate: '2031-03-31', limit: 10, after: 0 };
    return (await listRuns(DEPS, owner, filter)).runs.map((run) => run.leftOut);
  };
  async function miss(days: Partial<typeof threeDays> = {}): Promise<Planned> {
    const of = await plan(days);
    await database.clock.set('2031-03-03T16:00:00Z');
    await database.db.transaction().execute((trx) => missRuns(trx, [of.owner.workspaceId]));
    return of;
  }

  test('is sent now, and the rest of the plan stays', async () => {
    const of = await miss();
    expect((await runsOf(of))[0]).toBe('2031-03-03T09:00 missed');
    await now(of, 0);
    expect(await runsOf(of)).toEqual([
      '2031-03-03T16:00 planned',
      '2031-03-04T09:00 planned',
      '2031-03-05T09:00 planned',
    ]);
    expect((await read(of)).runs[0]?.movedFrom).toEqual(new Date('2031-03-03T09:00:00Z'));
    await begin();
    await turns.drain(of.owner, () => sent);
    expect(await runsOf(of)).toEqual([
      '2031-03-03T16:00 completed',
      '2031-03-04T09:00 planned',
      '2031-03-05T09:00 planned',
    ]);
    await expectOpenRuns(database.db, of.campaign);
    await expect(now(of, 0)).rejects.toMatchObject({ code: 'run_wrong_state' });
  });

  test('reopens a campaign that has ended', async () => {
    const of = await miss({ endDate: '2031-03-03' });
    expect(await read(of)).toMatchObject({ status: 'completed_with_errors' });
    await now(of, 0);
    expect(await read(of)).toMatchObject({ status: 'scheduled', finishedAt: null });
    await begin();
    await turns.drain(of.owner, () => sent);
    expect(await read(of)).toMatchObject({ status: 'completed' });
    await expectOpenRuns(database.db, of.campaign);
  });

  test('of a paused or cancelled campaign is not sent', async () => {
    const paused = await miss();
    await pauseCampaign(database, paused.owner, paused.campaign);
    await expect(now(paused, 0)).rejects.toMatchObject({ code: 'campaign_wrong_state' });
    await database.clock.set('2031-03-01T00:00:00Z');
    const cancelled = await miss();
    await cancelCampaign(database, cancelled.owner, cancelled.campaign);
    await expect(now(cancelled, 0)).rejects.toMatchObject({ code: 'campaign_wrong_state' });
  });

  test('is left out, until it is sent after all', async () => {
    const of = await miss();
    await skip(of, 0);
    expect(await leftOut(of)).toEqual([true, false, false]);
    expect((await runsOf(of))[0]).toBe('2031-03-03T09:00 missed');
    await expectOpenRuns(database.db, of.campaign);
    await now(of, 0);
    expect(await leftOut(of)).toEqual([false, false, false]);
  });

  test('is alone with a run that ended with failures in what is left out', async () => {
    const of = await plan();
    await database.clock.set('2031-03-03T09:00:00Z');
    await begin();
    await expect(skip(of, 0)).rejects.toMatchObject({ code: 'run_wrong_state' });
    await turns.drain(of.owner, () => failed);
    await skip(of, 0);
    expect(await leftOut(of)).toEqual([true, false, false]);
    await retryCampaign(database, of.owner, of.campaign, { runId: (await target(of, 0)).runId });
    expect(await leftOut(of)).toEqual([false, false, false]);
  });
});

describe('a moved run', () => {
  test('begins at its new time and says where it was', async () => {
    const of = await plan();
    await move(of, 0, '2031-03-04T18:30:00Z');
    expect(await runsOf(of)).toEqual([
      '2031-03-04T09:00 planned',
      '2031-03-04T18:30 planned',
      '2031-03-05T09:00 planned',
    ]);
    expect((await read(of)).runs.map((run) => run.movedFrom?.toISOString() ?? null)).toEqual([
      null,
      '2031-03-03T09:00:00.000Z',
      null,
    ]);
    await database.clock.set('2031-03-04T18:30:00Z');
    await begin();
    expect(await runsOf(of)).toContain('2031-03-04T18:30 running');
  });

  test('stays where it is when the schedule changes and still has its date', async () => {
    const of = await plan();
    await move(of, 0, '2031-03-04T18:30:00Z');
    await update(of, { time: '10:00:00', endDate: '2031-03-06' });
    expect(await runsOf(of)).toEqual([
      '2031-03-04T10:00 planned',
      '2031-03-04T18:30 planned',
      '2031-03-05T10:00 planned',
      '2031-03-06T10:00 planned',
    ]);
    await update(of, { skipDates: ['2031-03-03'] });
    expect(await runsOf(of)).toEqual([
      '2031-03-04T10:00 planned',
      '2031-03-05T10:00 planned',
      '2031-03-06T10:00 planned',
    ]);
    await expectOpenRuns(database.db, of.campaign);
  });

  test('is unmoved once it is back at its own time', async () => {
    const of = await plan();
    await move(of, 0, '2031-03-04T18:30:00Z');
    await move(of, 1, '2031-03-03T09:00:00Z');
    expect((await read(of)).runs.map((run) => run.movedFrom)).toEqual([null, null, null]);
  });

  test('is left out by its own date', async () => {
    const of = await plan();
    await move(of, 0, '2031-03-04T18:30:00Z');
    await skip(of, 1);
    expect((await read(of)).skipDates).toEqual(['2031-03-03']);
    expect(await runsOf(of)).toEqual(['2031-03-04T09:00 planned', '2031-03-05T09:00 planned']);
  });

  describe('keeps its date in another zone', () => {
    const FAR_EAST = 'Pacific/Auckland';
    /** The first one is at 15:00 UTC on the 3rd, which is the 4th in Auckland. */
    async function planFarEast() {
      const of = await plan({ time: '15:00:00' });
      await move(of, 0, '2031-03-06T18:30:00Z');
      await update(of, { timeZone: FAR_EAST });
      return of;
    }

    test('whatever changes afterwards', async () => {
      const of = await planFarEast();
      const runs = ['2031-03-04T02:00 planned', '2031-03-05T02:00 planned', '2031-03-06T18:30 planned'];
      expect(await runsOf(of)).toEqual(runs);
      expect((await read(of)).runs[2]?.movedFrom).toEqual(new Date('2031-03-03T02:00:00Z'));
      await update(of, { time: '16:00:00' });
      expect(await runsOf(of)).toEqual(runs.map((run) => run.replace('T02', 'T03')));
      await expectOpenRuns(database.db, of.campaign);
    });

    test('and is skipped on it', async () => {
      const of = await planFarEast();
      await skip(of, 2);
      expect((await read(of)).skipDates).toEqual(['2031-03-03']);
      await update(of, { time: '16:00:00' });
      expect(await runsOf(of)).toEqual(['2031-03-04T03:00 planned', '2031-03-05T03:00 planned']);
    });

    test('also where another one is at its former instant', async () => {
      const of = await plan({ time: '20:00:00' });
      await update(of, { timeZone: 'America/Los_Angeles' });
      await move(of, 0, '2031-03-20T18:30:00Z');
      // Eight in the evening there is five in the morning of the next day here.
      await update(of, { timeZone: 'Europe/Berlin', time: '05:00:00' });
      expect((await read(of)).runs.at(-1)?.movedFrom).toEqual(new Date('2031-03-03T04:00:00Z'));
      expect(await runsOf(of)).toEqual([
        '2031-03-04T04:00 planned',
        '2031-03-05T04:00 planned',
        '2031-03-20T18:30 planned',
      ]);
    });

    test('once it has begun', async () => {
      const of = await plan({ time: '15:00:00' });
      await now(of, 1);
      await begin();
      await update(of, { timeZone: FAR_EAST });
      await update(of, { time: '16:00:00' });
      const runs = ['2031-03-01T00:00 running', '2031-03-03T03:00 planned', '2031-03-05T03:00 planned'];
      expect(await runsOf(of)).toEqual(runs);
      await database.clock.set('2031-03-03T03:00:00Z');
      await begin();
      // The run of the 3rd has begun; it would be the one of the 2nd by the clock of New York.
      await update(of, { timeZone: 'America/New_York' });
      await update(of, { time: '17:00:00' });
      expect(await runsOf(of)).toEqual([
        '2031-03-01T00:00 completed_with_errors',
        '2031-03-03T03:00 running',
        '2031-03-05T22:00 planned',
      ]);
      await expectOpenRuns(database.db, of.campaign);
    });
  });

  test('does not follow new time zone rules', async () => {
    const of = await plan();
    await move(of, 0, '2031-03-04T18:30:00Z');
    await execute(database.db)`update campaigns set tzdata_version = '1970a' where public_id = ${of.campaign}`;
    while ((await replanStaleRuns(database.db, EVERY_SHARD)) === 0);
    expect((await runsOf(of))[1]).toBe('2031-03-04T18:30 planned');
  });

  test.each([
    ['the past', '2031-02-28T23:59:00Z', 'is in the past'],
    ['the time of another run', '2031-03-05T09:00:00Z', 'is when another run of this campaign is due'],
    [
      'over a year ahead',
      '2032-03-04T09:00:01Z',
      'must be at most 366 days from the time that the schedule gives the run',
    ],
  ])('is rejected with a time in %s', async (_, to, issue) => {
    const of = await plan();
    const before = await runsOf(of);
    await expect(move(of, 0, to)).rejects.toMatchObject({ kind: 'invalid', details: [{ field: 'due_at', issue }] });
    expect(await runsOf(of)).toEqual(before);
  });
});

describe('a run that is sent now', () => {
  test('begins at once, and the schedule adds no second one for its date', async () => {
    const of = await plan();
    const { dueAt } = await now(of, 2);
    expect(dueAt.toISOString().slice(0, 16)).toBe('2031-03-01T00:00');
    await begin();
    expect((await runsOf(of))[0]).toBe('2031-03-01T00:00 running');
    await update(of, { time: '10:00:00' });
    expect(await runsOf(of)).toEqual([
      '2031-03-01T00:00 running',
      '2031-03-03T10:00 planned',
      '2031-03-04T10:00 planned',
    ]);
    await expectOpenRuns(database.db, of.campaign);
  });

  test('is sent once: a repeated request is a conflict', async () => {
    const of = await plan();
    const run = await target(of, 0);
    await sendRunNow(DEPS, of.owner, run);
    await begin();
    await expect(sendRunNow(DEPS, of.owner, run)).rejects.toMatchObject({ code: 'run_wrong_state' });
  });

  test('needs a campaign that is not paused', async () => {
    const of = await plan();
    await pauseCampaign(database, of.owner, of.campaign);
    await expect(now(of, 0)).rejects.toMatchObject({ code: 'campaign_wrong_state' });
    await move(of, 0, '2031-03-02T12:00:00Z');
    expect((await runsOf(of))[0]).toBe('2031-03-02T12:00 planned');
    await database.clock.set('2031-03-02T12:00:00Z');
    await begin();
    expect((await runsOf(of))[0]).toBe('2031-03-02T12:00 planned');
  });
});

test('runs of others, begun runs and ended campaigns are rejected', async () => {
  const [of, other] = [await plan(), await plan()];
  const foreign = { ...(await target(other, 0)), campaignId: of.campaign };
  await expect(skipRun(database, of.owner, foreign)).rejects.toMatchObject({ code: 'run_not_found' });
  await expect(skipRun(database, of.owner, await target(other, 0))).rejects.toMatchObject({
    code: 'campaign_not_found',
  });
  const owner = await createOwner(database.db, 1);
  const atOnce: Planned = { owner, campaign: await sendNow(database.db, owner) };
  await expect(move(atOnce, 0, '2031-03-02T12:00:00Z')).rejects.toMatchObject({ code: 'run_wrong_state' });
  await cancelCampaign(database, of.owner, of.campaign);
  await expect(now(of, 0)).rejects.toMatchObject({ code: 'campaign_wrong_state' });
});
