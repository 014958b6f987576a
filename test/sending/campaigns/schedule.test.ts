import { describe, expect, test } from 'vitest';
import { execute, readValue } from '../../../src/platform/database/statements.ts';
import { pauseCampaign, resumeCampaign } from '../../../src/sending/campaigns/change/control.ts';
import { sweepRuns } from '../../../src/sending/campaigns/begin/expire-runs.ts';
import { getCampaign } from '../../../src/sending/campaigns/read/get-campaign.ts';
import { EVERY_SHARD, beginRuns } from '../../support/begin-runs.ts';
import { useTestDatabase } from '../../support/database.ts';
import { analyticsOf, createOwner, schedule, sendNow, type Owner } from '../../support/ledger.ts';
import { sent, takeTurnsByHand } from '../../support/turns.ts';

const database = await useTestDatabase();

const week = { startDate: '2031-03-03', endDate: '2031-03-07', time: '09:00:00' };

const dueAt = async (owner: Owner, campaign: string) =>
  (await getCampaign(database, owner, campaign)).runs.map((run) => run.dueAt.toISOString());
const states = async (owner: Owner, campaign: string) =>
  (await getCampaign(database, owner, campaign)).runs.map((run) => run.status);
const statusOf = async (owner: Owner, campaign: string) => (await getCampaign(database, owner, campaign)).status;

const begin = () => beginRuns(database.db);

/** All groups of a run begun for the owner were posted to, as a worker would record it. */
async function sendEverything(owner: Owner) {
  await execute(database.db)`
    with told as (update deliveries set status = 'sent', sent_at = campanile_now(), recipients = 2
                  where workspace_id = ${owner.workspaceId} and status = 'queued')
    update runs set sent = sent + queued, queued = 0, status = 'completed', finished_at = campanile_now()
    where workspace_id = ${owner.workspaceId} and status = 'running'`;
  await execute(database.db)`
    update campaigns c set open_runs = (select count(*) from runs r where r.campaign_id = c.campaign_id and r.finished_at is null)
    where workspace_id = ${owner.workspaceId}`;
}

describe('a schedule', () => {
  test('is one run a day, and costs no delivery before it is due', async () => {
    await database.clock.set('2031-03-01T00:00:00Z');
    const owner = await createOwner(database.db, 3);
    const campaign = await schedule(database.db, owner, week);
    expect(await dueAt(owner, campaign)).toEqual(
      ['03', '04', '05', '06', '07'].map((day) => `2031-03-${day}T09:00:00.000Z`),
    );
    const { totals, groups, campaign: head } = await analyticsOf(database.db, owner, campaign);
    expect(totals).toMatchObject({ groups: 3, runs: 5, runsDone: 0, deliveries: 0 });
    expect(groups).toHaveLength(3);
    expect(head.status).toBe('scheduled');
  });

  test('begins each run when it is due and not before', async () => {
    await database.clock.set('2031-03-01T00:00:00Z');
    const owner = await createOwner(database.db, 2);
    const campaign = await schedule(database.db, owner, week);
    await database.clock.set('2031-03-03T08:59:58Z');
    await begin();
    expect(await states(owner, campaign)).toEqual(['planned', 'planned', 'planned', 'planned', 'planned']);
    await database.clock.set('2031-03-03T09:00:00Z');
    await begin();
    expect(await states(owner, campaign)).toEqual(['running', 'planned', 'planned', 'planned', 'planned']);
    expect(await statusOf(owner, campaign)).toBe('running');
    expect((await analyticsOf(database.db, owner, campaign)).totals).toMatchObject({ deliveries: 2, queued: 2 });
  });

  test('skips past dates, and rejects a range that is over', async () => {
    await database.clock.set('2031-03-05T09:00:01Z');
    const owner = await createOwner(database.db, 1);
    const campaign = await schedule(database.db, owner, week);
    expect(await dueAt(owner, campaign)).toEqual(['2031-03-06T09:00:00.000Z', '2031-03-07T09:00:00.000Z']);
    await database.clock.set('2031-03-07T09:00:01Z');
    await expect(schedule(database.db, owner, week)).rejects.toMatchObject({
      kind: 'invalid',
      details: [{ field: 'schedule_time', issue: expect.stringMatching(/^has passed today/) }],
    });
    await database.clock.set('2031-03-08T00:00:00Z');
    await expect(schedule(database.db, owner, week)).rejects.toMatchObject({
      kind: 'invalid',
      details: [{ field: 'end_date', issue: expect.stringMatching(/^is in the past/) }],
    });
  });

  test('skips weekdays and dates, and rejects a schedule without any day', async () => {
    await database.clock.set('2031-03-01T00:00:00Z');
    const owner = await createOwner(database.db, 1);
    const campaign = await schedule(database.db, owner, { ...week, weekdays: [1, 3, 5], skipDates: ['2031-03-05'] });
    expect(await dueAt(owner, campaign)).toEqual(['2031-03-03T09:00:00.000Z', '2031-03-07T09:00:00.000Z']);
    await expect(schedule(database.db, owner, { ...week, weekdays: [7] })).rejects.toMatchObject({ kind: 'invalid' });
  });

  test('goes by the zone asked for, else the user’s, else the installation’s', async () => {
    await database.clock.set('2031-03-01T00:00:00Z');
    const owner = await createOwner(database.db, 1);
    const day = { ...week, endDate: week.startDate };
    expect(await dueAt(owner, await schedule(database.db, owner, { ...day, timeZone: 'America/New_York' }))).toEqual([
      '2031-03-03T14:00:00.000Z',
    ]);
    await execute(database.db)`update users set time_zone = 'Asia/Kolkata' where user_id = ${owner.userId}`;
    expect(await dueAt(owner, await schedule(database.db, owner, day))).toEqual(['2031-03-03T03:30:00.000Z']);
  });

  test('reports all problems of its range at once', async () => {
    const owner = await createOwner(database.db, 1);
    const wrong = schedule(database.db, owner, { ...week, endDate: '2031-03-02', timeZone: 'Mars/Olympus' });
    await expect(wrong).rejects.toMatchObject({ details: [{ field: 'time_zone' }, { field: 'end_date' }] });
    await expect(schedule(database.db, owner, { ...week, endDate: '2032-03-03' })).rejects.toMatchObject({
      details: [{ field: 'end_date', issue: 'must be at most 366 days from start_date, both included' }],
    });
  });

  test('ends when its last run has ended', async () => {
    await database.clock.set('2031-03-01T00:00:00Z');
    const owner = await createOwner(database.db, 2);
    const campaign = await schedule(database.db, owner, { ...week, endDate: '2031-03-04' });
    await database.clock.set('2031-03-03T09:00:00Z');
    await begin();
    await sendEverything(owner);
    await database.clock.set('2031-03-04T15:00:01Z');
    await begin();
    expect(await states(owner, campaign)).toEqual(['completed', 'missed']);
    expect(await statusOf(owner, campaign)).toBe('completed_with_errors');
  });
});

describe('a run that cannot begin in time', () => {
  test('is missed if no worker runs within six hours, and begins if one does', async () => {
    await database.clock.set('2031-03-01T00:00:00Z');
    const owner = await createOwner(database.db, 1);
    const late = await schedule(database.db, owner, { ...week, time: '08:00:00' });
    const inTime = await schedule(database.db, owner, { ...week, time: '10:00:00' });
    await database.clock.set('2031-03-03T14:30:00Z');
    await begin();
    expect((await states(owner, late))[0]).toBe('missed');
    expect((await states(owner, inTime))[0]).toBe('running');
    expect((await analyticsOf(database.db, owner, late)).totals).toMatchObject({ runsDone: 1, deliveries: 0 });
  });

  test('waits while its account is offline, and is missed if that lasts', async () => {
    await database.clock.set('2031-03-01T00:00:00Z');
    const owner = await createOwner(database.db, 1);
    const campaign = await schedule(database.db, owner, week);
    await database.clock.set('2031-03-03T09:00:01Z');
    await execute(database.db)`update lanes set held_until = '2031-03-04' where account_id = ${owner.accountId}`;
    await begin();
    expect((await states(owner, campaign))[0]).toBe('planned');
    await database.clock.set('2031-03-03T15:00:01Z');
    await begin();
    expect((await states(owner, campaign))[0]).toBe('missed');
  });

  test.each(['logged_out', 'unlinked', 'linking', 'paused', 'reconnecting'])(
    'waits while its account is %s, begins when the account is back, and is missed if that takes six hours',
    async (status) => {
      await database.clock.set('2031-03-01T00:00:00Z');
      const owner = await createOwner(database.db, 1);
      const campaign = await schedule(database.db, owner, week);
      const become = (to: string) =>
        execute(database.db)`update accounts set status = ${to} where account_id = ${owner.accountId}`;
      await become(status);
      await database.clock.set('2031-03-03T09:00:01Z');
      await begin();
      expect((await states(owner, campaign))[0]).toBe('planned');
      await become('connected');
      await begin();
      expect((await states(owner, campaign))[0]).toBe('running');
      await sendEverything(owner);
      await become(status);
      await database.clock.set('2031-03-04T15:00:01Z');
      await begin();
      expect((await states(owner, campaign))[1]).toBe('missed');
    },
  );

  test('begins although the connection of its account was lost for less than a minute', async () => {
    await database.clock.set('2031-03-03T08:59:30Z');
    const owner = await createOwner(database.db, 1);
    const campaign = await schedule(database.db, owner, week);
    await execute(database.db)`update accounts set status = 'reconnecting' where account_id = ${owner.accountId}`;
    await database.clock.set('2031-03-03T09:00:01Z');
    await begin();
    expect((await states(owner, campaign))[0]).toBe('running');
  });

  test('is none of a campaign that is sent at once: its posts wait for the account', async () => {
    await database.clock.set('2031-03-01T00:00:00Z');
    const owner = await createOwner(database.db, 2);
    await execute(database.db)`update accounts set status = 'logged_out' where account_id = ${owner.accountId}`;
    await execute(database.db)`update lanes set held_until = '2031-03-02' where account_id = ${owner.accountId}`;
    const campaign = await sendNow(database.db, owner);
    expect(await states(owner, campaign)).toEqual(['running']);
    expect((await analyticsOf(database.db, owner, campaign)).totals).toMatchObject({ deliveries: 2, queued: 2 });
  });

  test('of a paused campaign begins on resume within six hours, and is missed after them', async () => {
    await database.clock.set('2031-03-01T00:00:00Z');
    const owner = await createOwner(database.db, 1);
    const campaign = await schedule(database.db, owner, week);
    await pauseCampaign(database, owner, campaign);
    await database.clock.set('2031-03-03T14:59:00Z');
    await begin();
    await sweepRuns(database.db, EVERY_SHARD);
    expect((await states(owner, campaign))[0]).toBe('planned');
    await resumeCampaign(database, owner, campaign);
    await begin();
    expect((await states(owner, campaign))[0]).toBe('running');

    await pauseCampaign(database, owner, campaign);
    await database.clock.set('2031-03-04T15:00:01Z');
    await sweepRuns(database.db, EVERY_SHARD);
    expect((await states(owner, campaign)).slice(0, 2)).toEqual(['completed_with_errors', 'missed']);
    expect(await statusOf(owner, campaign)).toBe('paused');
  });
});

describe('the unsent rest of a run', () => {
  test('expires when the campaign’s next run falls due', async () => {
    await database.clock.set('2031-03-01T00:00:00Z');
    const owner = await createOwner(database.db, 3);
    const campaign = await schedule(database.db, owner, week);
    await database.clock.set('2031-03-03T09:00:00Z');
    await begin();
    await database.clock.set('2031-03-04T09:00:00Z');
    await begin();
    expect((await states(owner, campaign)).slice(0, 3)).toEqual(['completed_with_errors', 'running', 'planned']);
    const { totals, groups } = await analyticsOf(database.db, owner, campaign);
    expect(totals).toMatchObject({ deliveries: 6, failed: 3, queued: 3 });
    expect(groups[0]?.lastError).toMatch(/^expired/);
    expect(await statusOf(owner, campaign)).toBe('running');
  });

  test('is not claimed after the machine has slept for a day, whether or not it has expired by then', async () => {
    await database.clock.set('2031-03-01T00:00:00Z');
    const owner = await createOwner(database.db, 2);
    const campaign = await sendNow(database.db, owner);
    const turns = await takeTurnsByHand(database.db);
    await turns.finish(await turns.claim(owner, { batch: 1 }), [sent]);
    await database.clock.advance({ hours: 23, minutes: 59 });
    const late = await turns.claim(owner, { batch: 1 });
    await turns.finish(late, [{ kind: 'retry', waitMs: 1_000, reason: 'refused for now', uncertain: false }]);
    await database.clock.advance({ hours: 10 });
    expect(await turns.tryClaim(owner)).toBeUndefined();
    // Nor is it looked at again and again until it has expired.
    expect(
      await readValue<boolean>(database.db)`
      select coalesce(wake_at > campanile_now(), true) from lanes where account_id = ${owner.accountId}`,
    ).toBe(true);
    await sweepRuns(database.db, EVERY_SHARD);
    expect(await statusOf(owner, campaign)).toBe('completed_with_errors');
    const again = await sendNow(database.db, owner);
    await turns.drain(owner, () => sent);
    expect(await statusOf(owner, again)).toBe('completed');
  });

  test('expires when nothing of the run could be sent for a day', async () => {
    await database.clock.set('2031-03-01T00:00:00Z');
    const owner = await createOwner(database.db, 2);
    const campaign = await sendNow(database.db, owner);
    await database.clock.advance({ hours: 23 });
    await sweepRuns(database.db, EVERY_SHARD);
    expect(await statusOf(owner, campaign)).toBe('running');
    await database.clock.advance({ hours: 1, seconds: 1 });
    await sweepRuns(database.db, EVERY_SHARD);
    expect(await statusOf(owner, campaign)).toBe('completed_with_errors');
    expect((await analyticsOf(database.db, owner, campaign)).totals).toMatchObject({ failed: 2, queued: 0 });
  });
});

test('a post that may have left when its time is over is told as of unknown outcome', async () => {
  await database.clock.set('2031-03-01T00:00:00Z');
  const owner = await createOwner(database.db, 3);
  const campaign = await sendNow(database.db, owner);
  const turns = await takeTurnsByHand(database.db);
  const unknown = { kind: 'retry', waitMs: 60_000, reason: 'the connection broke', uncertain: true } as const;
  await turns.finish(await turns.claim(owner, { batch: 1 }), [unknown]);
  await execute(database.db)`
    update deliveries set interrupted_attempts = 1 where workspace_id = ${owner.workspaceId} and position = 2`;
  await database.clock.advance({ hours: 24, seconds: 1 });
  await sweepRuns(database.db, EVERY_SHARD);
  const { groups } = await analyticsOf(database.db, owner, campaign);
  const mayBeThere = expect.stringMatching(
    /^outcome_unknown: it could not be tried again in time\. The post may have arrived/,
  );
  expect(groups.map(({ lastError }) => lastError)).toEqual([mayBeThere, mayBeThere, expect.stringMatching(/^expired/)]);
});

describe('a large run', () => {
  test('is written out in chunks, and is whole in the analytics all the while', async () => {
    await database.clock.set('2031-03-01T00:00:00Z');
    const owner = await createOwner(database.db, 6_000);
    const campaign = await schedule(database.db, owner, { ...week, endDate: week.startDate });
    await database.clock.set('2031-03-03T09:00:00Z');
    const rows = () =>
      readValue<number>(database.db)`select count(*) from deliveries where workspace_id = ${owner.workspaceId}`;
    await begin();
    expect(await rows()).toBe(6_000);
    const { totals } = await analyticsOf(database.db, owner, campaign);
    expect(totals).toMatchObject({ deliveries: 6_000, queued: 6_000 });

    await execute(database.db)`delete from deliveries where workspace_id = ${owner.workspaceId} and position > 5000`;
    await execute(database.db)`update runs set expanded = 5000 where workspace_id = ${owner.workspaceId}`;
    const partly = await analyticsOf(database.db, owner, campaign);
    expect(partly.totals).toMatchObject({ deliveries: 6_000, queued: 6_000 });
    expect(partly.groups.at(-1)).toMatchObject({ deliveries: 1, queued: 1 });
  });
});
