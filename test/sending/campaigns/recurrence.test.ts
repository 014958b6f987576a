/** Schedules by rules of RFC 5545. */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { execute, readColumn } from '../../../src/platform/database/statements.ts';
import { createSandbox } from '../../../src/messengers/sandbox/sandbox.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { pauseCampaign, resumeCampaign, cancelCampaign } from '../../../src/sending/campaigns/change/control.ts';
import { moveRun, sendRunNow, skipRun } from '../../../src/sending/campaigns/change/move-run.ts';
import { replanStaleRuns } from '../../../src/sending/campaigns/change/replan-stale-runs.ts';
import { updateCampaign, type CampaignChange } from '../../../src/sending/campaigns/change/update-campaign.ts';
import { listOccurrences, moveAhead, planAhead, type Schedule } from '../../../src/sending/campaigns/occurrences.ts';
import { getCampaign } from '../../../src/sending/campaigns/read/get-campaign.ts';
import { EVERY_SHARD, beginRuns, expectOpenRuns } from '../../support/begin-runs.ts';
import { useTestDatabase } from '../../support/database.ts';
import { convert, createOwner, schedule, startTestWorker, until, type Owner } from '../../support/ledger.ts';

const database = await useTestDatabase();
beforeEach(() => database.clock.set('2031-03-01T00:00:00Z'));

const rule = {
  startDate: '2031-03-01',
  endDate: null,
  time: '09:00:00',
  timeZone: 'Europe/Berlin',
  weekdays: null,
  skipDates: [],
};
const NEVER_ENDS = { ...rule, recurrence: 'FREQ=MONTHLY;BYDAY=1MO' };

interface Planned {
  owner: Owner;
  campaign: string;
}
async function plan(when: Partial<Schedule> = {}): Promise<Planned> {
  const owner = await createOwner(database.db, 1);
  return { owner, campaign: await schedule(database.db, owner, { ...NEVER_ENDS, ...when }) };
}
const read = ({ owner, campaign }: Planned) => getCampaign(database, owner, campaign);
const dueAt = async (of: Planned) => (await read(of)).runs.map((run) => run.dueAt.toISOString());
const update = ({ owner, campaign }: Planned, change: CampaignChange) =>
  updateCampaign({ db: database.db, convert }, owner, campaign, change);
const runOf = async (of: Planned, place: number) => {
  const { runId = 0 } = (await read(of)).runs[place] ?? {};
  return { campaignId: of.campaign, runId };
};
const extend = () => replanStaleRuns(database.db, EVERY_SHARD);
async function extendAll() {
  while ((await extend()) === 0);
}
const DEPS = { db: database.db, timeZone: 'UTC' };

/** First Mondays at nine, worked out by hand, from a month on. */
function firstMondays(from: string, months: number, timeZone: string): string[] {
  return Array.from({ length: months }, (_, index) => {
    const first = Temporal.PlainYearMonth.from(from).add({ months: index }).toPlainDate({ day: 1 });
    const monday = first.add({ days: (8 - first.dayOfWeek) % 7 });
    const at = monday.toPlainDateTime('09:00').toZonedDateTime(timeZone);
    return new Date(at.epochMilliseconds).toISOString();
  });
}

describe('the occurrences of a rule', () => {
  const list = (when: Partial<Schedule>, to = '2032-03-01') =>
    listOccurrences({ ...rule, ...when }, { to: new Date(to) }).map((at) =>
      at
        .toZonedDateTimeISO(when.timeZone ?? rule.timeZone)
        .toPlainDateTime()
        .toString({ smallestUnit: 'minute' }),
    );

  test.each(['Europe/Berlin', 'America/New_York'])(
    'stay at nine over both clock changes of a year in %s',
    (timeZone) => {
      const instants = listOccurrences({ ...NEVER_ENDS, timeZone }, { to: new Date('2032-03-01') });
      expect(instants.map((at) => new Date(at.epochMilliseconds).toISOString())).toEqual(
        firstMondays('2031-03', 12, timeZone),
      );
      const offsets = new Set(instants.map((at) => at.toZonedDateTimeISO(timeZone).offset));
      expect(offsets.size).toBe(2);
    },
  );

  test('are the last working day of each month', () => {
    const recurrence = 'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1';
    expect(list({ recurrence }, '2031-07-01')).toEqual([
      '2031-03-31T09:00',
      '2031-04-30T09:00',
      '2031-05-30T09:00',
      '2031-06-30T09:00',
    ]);
  });

  test('come several times a day', () => {
    expect(list({ recurrence: 'FREQ=DAILY;BYHOUR=9,15;BYMINUTE=0,30;COUNT=6' })).toEqual([
      '2031-03-01T09:00',
      '2031-03-01T09:30',
      '2031-03-01T15:00',
      '2031-03-01T15:30',
      '2031-03-02T09:00',
      '2031-03-02T09:30',
    ]);
  });

  test('follow §3.3.5 where the clock skips a time, and come once where it repeats one', () => {
    // 30 March, from 02:00 to 03:00; 26 October, from 03:00 back to 02:00.
    const recurrence = 'FREQ=DAILY;BYHOUR=2;BYMINUTE=30';
    const utc = (startDate: string) =>
      listOccurrences({ ...rule, startDate, endDate: startDate, time: '00:00:00', recurrence }).map(String);
    expect(utc('2031-03-30')).toEqual(['2031-03-30T01:30:00Z']);
    expect(utc('2031-10-26')).toEqual(['2031-10-26T00:30:00Z']);
    // 02:30 comes at 03:30, after 03:00; and the two 03:30 are one.
    const day = { startDate: '2031-03-30', endDate: '2031-03-30', time: '00:00:00' };
    const hourly = { ...rule, ...day, recurrence: 'FREQ=HOURLY;BYMINUTE=0' };
    expect(listOccurrences(hourly)).toHaveLength(23);
  });

  test('read RDATE and EXDATE as wall-clock times, as UTC, in another zone, and as dates', () => {
    const recurrence = [
      'RRULE:FREQ=MONTHLY;BYDAY=1MO;COUNT=4',
      'RDATE:20310310T120000,20310311T120000Z',
      'RDATE;TZID=America/New_York:20310312T120000',
      'RDATE;VALUE=DATE:20310313',
      'EXDATE:20310407T090000',
      'EXDATE;VALUE=DATE:20310505',
    ].join('\r\n');
    expect(list({ recurrence })).toEqual([
      '2031-03-03T09:00',
      '2031-03-10T12:00',
      '2031-03-11T13:00',
      '2031-03-12T17:00',
      '2031-03-13T09:00',
      '2031-06-02T09:00',
    ]);
  });

  test.each([
    ['UNTIL=20310310', ['2031-03-03T09:00', '2031-03-10T09:00']],
    ['UNTIL=20310310T090000', ['2031-03-03T09:00', '2031-03-10T09:00']],
    ['UNTIL=20310310T075959Z', ['2031-03-03T09:00']],
    ['COUNT=1', ['2031-03-03T09:00']],
  ])('end with %s', (end, expected) => {
    expect(list({ recurrence: `FREQ=WEEKLY;BYDAY=MO;${end}` })).toEqual(expected);
  });

  test('of a year are those that dateutil lists', () => {
    const of = (recurrence: string) =>
      list({ recurrence, startDate: '2031-01-15' }, '2034-01-15').map((at) => at.slice(0, 10));
    expect(of('FREQ=YEARLY;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8')).toEqual([
      '2031-11-04',
      '2032-11-02',
      '2033-11-08',
    ]);
    expect(of('FREQ=YEARLY;BYDAY=FR;BYMONTHDAY=13')).toEqual([
      '2031-06-13',
      '2032-02-13',
      '2032-08-13',
      '2033-05-13',
      '2034-01-13',
    ]);
    expect(of('FREQ=YEARLY;BYWEEKNO=1,53;BYDAY=MO')).toEqual(['2031-12-29', '2032-12-27', '2033-01-03', '2034-01-02']);
    expect(of('FREQ=YEARLY;BYDAY=20MO,-1FR')).toEqual([
      '2031-05-19',
      '2031-12-26',
      '2032-05-17',
      '2032-12-31',
      '2033-05-16',
      '2033-12-30',
    ]);
  });

  test('in UTC are instants, also in the hour that the clock repeats', () => {
    // 02:30 comes at 00:30 and at 01:30 UTC.
    const utc = (recurrence: string) =>
      listOccurrences({ ...rule, startDate: '2031-10-25', time: '02:30:00', endDate: '2031-10-27', recurrence }).map(
        (at) => String(at).slice(8, 16),
      );
    expect(utc('FREQ=DAILY;COUNT=2\nRDATE:20311026T013000Z')).toEqual(['25T00:30', '26T00:30', '26T01:30']);
    expect(utc('FREQ=DAILY;COUNT=2\nEXDATE:20311026T013000Z')).toEqual(['25T00:30', '26T00:30']);
    expect(utc('FREQ=DAILY;COUNT=2\nEXDATE:20311026T003000Z')).toEqual(['25T00:30']);
    // By the wall clock it is 02:00, for the second time.
    expect(utc('FREQ=DAILY;UNTIL=20311026T010000Z')).toEqual(['25T00:30', '26T00:30']);
    expect(utc('FREQ=DAILY;UNTIL=20311026T002959Z')).toEqual(['25T00:30']);
    expect(utc('FREQ=DAILY;UNTIL=99991231T235959Z')).toHaveLength(3);
  });

  test('leave out weekdays and dates, and end with the last day', () => {
    const when = { endDate: '2031-05-31', weekdays: [1, 2, 3, 4, 5], skipDates: ['2031-04-15'] };
    expect(list({ ...when, recurrence: 'FREQ=MONTHLY;BYMONTHDAY=1,15' })).toEqual([
      '2031-04-01T09:00',
      '2031-05-01T09:00',
      '2031-05-15T09:00',
    ]);
  });

  test('of daily and weekly rules are the instants of the same schedule by dates and weekdays', () => {
    const DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    const weekdays = fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 });
    fc.assert(
      fc.property(
        zones,
        fc.integer({ min: 0, max: 20 * 365 }),
        fc.integer({ min: 0, max: 120 }),
        fc.integer({ min: 0, max: 86_399 }),
        weekdays,
        (timeZone, from, length, second, days) => {
          const first = Temporal.PlainDate.from('2010-01-01').add({ days: from });
          const last = first.add({ days: length });
          const time = Temporal.PlainTime.from('00:00').add({ seconds: second });
          const range = { startDate: first.toString(), endDate: last.toString(), time: time.toString(), timeZone };
          // As it was before there were rules: each date by itself.
          const expected: string[] = [];
          for (let date = first; Temporal.PlainDate.compare(date, last) <= 0; date = date.add({ days: 1 })) {
            const instant = date.toPlainDateTime(time).toZonedDateTime(timeZone).toInstant().toString();
            if (days.includes(date.dayOfWeek) && expected.at(-1) !== instant) expected.push(instant);
          }
          const today = listOccurrences({ ...range, weekdays: days, skipDates: [] }).map(String);
          expect(today).toEqual(expected);
          const byDay = days.map((day) => DAYS[day - 1]).join(',');
          const weekly = { ...range, weekdays: null, skipDates: [], recurrence: `FREQ=WEEKLY;BYDAY=${byDay}` };
          expect(listOccurrences(weekly).map(String)).toEqual(expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('of a copy move by whole weeks with all dates of the rule', () => {
    const recurrence = 'RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20310331\nRDATE:20310312T120000\nEXDATE:20310317T090000';
    const moved = moveAhead({ ...rule, startDate: '2031-03-03', recurrence }, new Date('2031-06-01T00:00:00Z'));
    expect(moved).toMatchObject({
      startDate: '2031-06-02',
      recurrence: 'RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20310630\nRDATE:20310611T120000\nEXDATE:20310616T090000',
    });
    expect(moveAhead(NEVER_ENDS, new Date('2040-01-01'))).toEqual(NEVER_ENDS);
  });

  test('of a copy stay beside the wall clock over a clock change, in UTC and in other zones', () => {
    const recurrence = [
      'FREQ=DAILY;UNTIL=20310306T080000Z',
      'RDATE;TZID=America/New_York:20310304T120000',
      'EXDATE:20310305T080000Z',
      'EXDATE;VALUE=DATE:20310304',
    ].join('\n');
    const schedule = { ...rule, startDate: '2031-03-03', recurrence };
    expect(listOccurrences(schedule)).toHaveLength(2);
    const moved = moveAhead(schedule, new Date('2031-03-28T00:00:00Z'));
    expect(moved).toMatchObject({
      startDate: '2031-03-31',
      recurrence: [
        'FREQ=DAILY;UNTIL=20310403T070000Z',
        'RDATE;TZID=America/New_York:20310401T120000',
        'EXDATE:20310402T070000Z',
        'EXDATE;VALUE=DATE:20310401',
      ].join('\n'),
    });
    expect(listOccurrences(moved)).toHaveLength(2);
  });

  test('of a copy stay as they are where a year of weeks does not bring them back', () => {
    const leap = { ...rule, startDate: '2028-02-29', recurrence: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;UNTIL=20280229' };
    expect(moveAhead(leap, new Date('2031-01-01'))).toEqual(leap);
  });

  test('are listed in proportion to what is asked for, however old the schedule', () => {
    const old = { ...rule, startDate: '1990-01-01', recurrence: 'FREQ=DAILY;BYHOUR=9,15' };
    expect(planAhead(old, new Date('2031-03-01')).occurrences.length).toBeLessThan(2 * 2 * 370);
  });
});

describe('a campaign without an end', () => {
  test('is planned 366 days ahead', async () => {
    const of = await plan();
    expect(await dueAt(of)).toEqual(firstMondays('2031-03', 12, 'Europe/Berlin'));
    await expectOpenRuns(database.db, of.campaign);
  });

  test('goes on for two years with restarts and several workers, each run once', async () => {
    const of = await plan();
    const sandbox = createSandbox({ db: database.db, log: createLog('fatal'), speed: 0 });
    for (let quarter = 1; quarter <= 8; quarter += 1) {
      const now = Temporal.Instant.from('2031-03-01T00:00:00Z').add({ hours: 24 * 91 * quarter });
      await database.clock.set(now);
      await beginRuns(database.db);
      const workers = await Promise.all(
        [1, 2].map(() => startTestWorker(database, { ...sandbox, close: () => Promise.resolve() })),
      );
      const horizon = now.add({ hours: 24 * 365 }).epochMilliseconds;
      await until(
        () => readColumn<Date>(database.db)`select planned_until from campaigns where public_id = ${of.campaign}::uuid`,
        ([plannedUntil]) => Number(plannedUntil) >= horizon,
      );
      await Promise.all(workers.map((worker) => worker.stop()));
      await Promise.all([extendAll(), extendAll()]);
    }
    // 8 quarters of 91 days are two years less two days; and a year is planned.
    expect(await dueAt(of)).toEqual(firstMondays('2031-03', 36, 'Europe/Berlin'));
    expect((await read(of)).status).toBe('scheduled');
    await expectOpenRuns(database.db, of.campaign);
  });

  test('adds nothing while less than a day is missing, and rests', async () => {
    const of = await plan({ recurrence: 'FREQ=DAILY' });
    const before = await dueAt(of);
    await database.clock.advance({ hours: 23 });
    expect(await extend()).toBe(60_000);
    expect(await dueAt(of)).toEqual(before);
    await database.clock.advance({ hours: 2 });
    await extendAll();
    expect(await dueAt(of)).toHaveLength(before.length + 1);
  });

  test('does not end with its last planned run, and ends after the last one of its rule', async () => {
    const of = await plan({ recurrence: 'FREQ=YEARLY;COUNT=2' });
    expect(await dueAt(of)).toHaveLength(1);
    await database.clock.set('2031-03-02T00:00:00Z');
    await beginRuns(database.db);
    expect((await read(of)).status).toBe('scheduled');
    await database.clock.set('2031-06-01T00:00:00Z');
    await extendAll();
    expect(await dueAt(of)).toHaveLength(2);
    await expectOpenRuns(database.db, of.campaign);
    await database.clock.set('2032-03-02T00:00:00Z');
    await beginRuns(database.db);
    expect((await read(of)).status).toBe('completed_with_errors');
    await expectOpenRuns(database.db, of.campaign);
  });

  test('ends where what is left of it brings no further run', async () => {
    const of = await plan({ recurrence: 'FREQ=MONTHLY;BYDAY=2MO', endDate: '2032-03-05' });
    await database.clock.set('2031-03-20T00:00:00Z');
    const before = await dueAt(of);
    await extendAll();
    expect(await dueAt(of)).toEqual(before);
    expect(
      await readColumn(database.db)`select planned_until from campaigns where public_id = ${of.campaign}::uuid`,
    ).toEqual([null]);
    await expectOpenRuns(database.db, of.campaign);
  });

  test('is not continued after it was cancelled, and its new runs wait while it is paused', async () => {
    const [cancelled, paused] = [await plan(), await plan()];
    await cancelCampaign(database, cancelled.owner, cancelled.campaign);
    await pauseCampaign(database, paused.owner, paused.campaign);
    await database.clock.set('2031-09-01T12:00:00Z');
    await extendAll();
    expect(await dueAt(cancelled)).toHaveLength(12);
    expect(await dueAt(paused)).toHaveLength(18);
    expect(
      await readColumn(database.db)`
      select distinct r.paused from runs r join campaigns c using (campaign_id)
      where c.public_id = ${paused.campaign}::uuid and r.status = 'planned'`,
    ).toEqual([true]);
    await resumeCampaign(database, paused.owner, paused.campaign);
    await expectOpenRuns(database.db, paused.campaign);
  });

  test('stays out of days that are skipped, with moved runs and such that were sent now', async () => {
    const of = await plan();
    await skipRun(database, of.owner, await runOf(of, 11));
    await moveRun(DEPS, of.owner, await runOf(of, 10), new Date('2032-03-10T10:00:00Z'));
    await sendRunNow(DEPS, of.owner, await runOf(of, 9));
    await database.clock.set('2031-06-15T12:00:00Z');
    await extendAll();
    const origins = (await read(of)).runs.map((run) => (run.movedFrom ?? run.dueAt).toISOString()).toSorted();
    const expected = firstMondays('2031-03', 16, 'Europe/Berlin');
    expect(origins).toEqual(expected.filter((_, index) => index !== 11));
    await update(of, { recurrence: 'FREQ=MONTHLY;BYDAY=1MO;BYHOUR=10' });
    const after = (await read(of)).runs
      .map((run) => (run.movedFrom ?? run.dueAt).toISOString().slice(0, 10))
      .toSorted();
    expect(after).toEqual(origins.map((at) => at.slice(0, 10)));
    await expectOpenRuns(database.db, of.campaign);
  });

  test('gets an end, and loses it', async () => {
    const of = await plan();
    await update(of, { recurrence: 'FREQ=MONTHLY;BYDAY=1MO;COUNT=3' });
    expect(await dueAt(of)).toHaveLength(3);
    await expectOpenRuns(database.db, of.campaign);
    await update(of, { recurrence: 'FREQ=MONTHLY;BYDAY=1MO' });
    expect(await dueAt(of)).toHaveLength(12);
    await expectOpenRuns(database.db, of.campaign);
  });

  test('has its only planned run skipped, and is continued', async () => {
    const of = await plan({ recurrence: 'FREQ=YEARLY' });
    await skipRun(database, of.owner, await runOf(of, 0));
    expect(await dueAt(of)).toEqual([]);
    await database.clock.advance({ hours: 48 });
    await extendAll();
    expect(await dueAt(of)).toEqual(['2032-03-01T08:00:00.000Z']);
    await expectOpenRuns(database.db, of.campaign);
  });

  test('leaves a zone that this process does not know, and rests', async () => {
    const of = await plan();
    await execute(database.db)`update campaigns set time_zone = 'Mars/Olympus' where public_id = ${of.campaign}::uuid`;
    await database.clock.set('2031-09-01T12:00:00Z');
    await extendAll();
    expect(await dueAt(of)).toHaveLength(12);
  });
});

describe('several runs a day', () => {
  const twice = { recurrence: 'FREQ=DAILY;BYHOUR=9,15;COUNT=6', timeZone: 'UTC' };

  test('are skipped one by one, and a day with one run as a whole', async () => {
    const of = await plan(twice);
    await skipRun(database, of.owner, await runOf(of, 1));
    expect(await read(of)).toMatchObject({
      recurrence: 'FREQ=DAILY;BYHOUR=9,15;COUNT=6\nEXDATE:20310301T150000',
      skipDates: [],
    });
    await skipRun(database, of.owner, await runOf(of, 0));
    expect((await read(of)).skipDates).toEqual(['2031-03-01']);
    expect((await dueAt(of)).map((at) => at.slice(5, 13))).toEqual(['03-02T09', '03-02T15', '03-03T09', '03-03T15']);
  });

  test('are skipped 366 times, and no further', async () => {
    const dates = Array.from({ length: 366 }, (_, day) => Temporal.PlainDate.from('2031-04-01').add({ days: day }));
    const excluded = dates.map((date) => `${date.toString().replaceAll('-', '')}T150000`);
    const of = await plan({ ...twice, recurrence: `FREQ=DAILY;BYHOUR=9,15\nEXDATE:${excluded.join(',')}` });
    const before = await read(of);
    await expect(skipRun(database, of.owner, await runOf(of, 0))).rejects.toMatchObject({ code: 'run_wrong_state' });
    expect(await read(of)).toEqual(before);
    const skipDates = dates.map((date) => String(date.add({ days: 3_650 })));
    const plain = await plan({ ...twice, recurrence: null, endDate: '2031-03-09', skipDates });
    await expect(skipRun(database, plain.owner, await runOf(plain, 0))).rejects.toMatchObject({
      code: 'run_wrong_state',
    });
  });

  test('of a workspace whose rule cannot be read hold up no other one', async () => {
    const [sick, sound] = [await plan(), await plan()];
    const broken = 'FREQ=DAILY;BYHOUR=99';
    await execute(database.db)`
      update campaigns set recurrence = ${broken}, planned_until = planned_until - interval '3 days' where public_id = ${sick.campaign}`;
    await execute(database.db)`
      update campaigns set planned_until = planned_until - interval '60 days' where public_id = ${sound.campaign}`;
    await execute(database.db)`
      delete from runs r using campaigns c where c.campaign_id = r.campaign_id and c.public_id = ${sound.campaign} and r.due_at > c.planned_until`;
    const left = (await dueAt(sound)).length;
    await extendAll();
    expect((await dueAt(sound)).length).toBeGreaterThan(left);
    const held = await readColumn<string>(database.db)`select batch from quarantine`;
    expect(held).toEqual(['zone rules']);
    await execute(database.db)`delete from quarantine`;
    await execute(database.db)`update campaigns set recurrence = 'FREQ=DAILY' where public_id = ${sick.campaign}`;
  });

  test('keep those of today that are still to come when the schedule changes', async () => {
    const of = await plan(twice);
    await database.clock.set('2031-03-01T12:00:00Z');
    await beginRuns(database.db);
    await update(of, { recurrence: 'FREQ=DAILY;BYHOUR=10,16;COUNT=4' });
    expect((await dueAt(of)).map((at) => at.slice(5, 13))).toEqual(['03-01T09', '03-01T16', '03-02T10', '03-02T16']);
    await update(of, { recurrence: 'FREQ=DAILY;BYHOUR=9;COUNT=2' });
    expect((await dueAt(of)).map((at) => at.slice(5, 13))).toEqual(['03-01T09', '03-02T09']);
  });

  describe('of which one is moved', () => {
    const BERLIN = { ...twice, timeZone: 'Europe/Berlin' };
    const ofDay = async (of: Planned) => (await dueAt(of)).map((at) => at.slice(5, 16));

    test('keep their times by the wall clock in another zone', async () => {
      // 15:00 in Berlin is 09:00 in New York.
      const of = await plan({ ...BERLIN, recurrence: 'FREQ=DAILY;BYHOUR=9,15;COUNT=2' });
      await moveRun(DEPS, of.owner, await runOf(of, 1), new Date('2031-03-02T20:00:00Z'));
      await update(of, { timeZone: 'America/New_York' });
      expect(await ofDay(of)).toEqual(['03-01T14:00', '03-02T20:00']);
      const first = await plan({ ...BERLIN, recurrence: 'FREQ=DAILY;BYHOUR=9,15;COUNT=2' });
      await moveRun(DEPS, first.owner, await runOf(first, 0), new Date('2031-03-02T08:30:00Z'));
      await update(first, { timeZone: 'America/New_York' });
      expect(await ofDay(first)).toEqual(['03-01T20:00', '03-02T08:30']);
    });

    test('keep the nearest time when the rule changes', async () => {
      const of = await plan(twice);
      await moveRun(DEPS, of.owner, await runOf(of, 1), new Date('2031-03-05T20:00:00Z'));
      await update(of, { recurrence: 'FREQ=DAILY;BYHOUR=10,16;COUNT=4' });
      expect(await ofDay(of)).toEqual(['03-01T10:00', '03-02T10:00', '03-02T16:00', '03-05T20:00']);
    });

    test('keep its occurrence when new time zone rules shift it', async () => {
      const of = await plan({ ...twice, recurrence: 'FREQ=DAILY;BYHOUR=0,12' });
      const right = await dueAt(of);
      const [first, last] = [await runOf(of, 1), await runOf(of, right.length - 1)];
      await moveRun(DEPS, of.owner, last, new Date('2031-04-01T20:00:00Z'));
      await moveRun(DEPS, of.owner, first, new Date('2031-04-02T20:00:00Z'));
      // Planned an hour early, by rules of before: midnight was another day.
      await execute(database.db)`
        update runs set due_at = case when moved_from is null then due_at - interval '1 hour' else due_at end, moved_from = moved_from - interval '1 hour'
        where campaign_id = (select campaign_id from campaigns where public_id = ${of.campaign}::uuid)`;
      await execute(database.db)`
        update campaigns set tzdata_version = '2000a', planned_until = planned_until - interval '2 days' where public_id = ${of.campaign}::uuid`;
      await extendAll();
      const { runs } = await read(of);
      expect(runs.map((run) => (run.movedFrom ?? run.dueAt).toISOString()).toSorted()).toEqual(right);
      await skipRun(database, of.owner, first);
      expect((await read(of)).recurrence).toContain('EXDATE:20310302T000000');
      await expectOpenRuns(database.db, of.campaign);
    });
  });

  test.each([1, -1])('follow new time zone rules that shift them by %i hours, also an hour apart', async (hours) => {
    const of = await plan({ recurrence: 'FREQ=DAILY;BYHOUR=9,10;COUNT=8' });
    await database.clock.set('2031-02-20T00:00:00Z');
    const right = await dueAt(of);
    await execute(database.db)`
      update runs set due_at = due_at + ${hours} * interval '1 hour'
      where campaign_id = (select campaign_id from campaigns where public_id = ${of.campaign}::uuid)`;
    await execute(database.db)`update campaigns set tzdata_version = '2000a' where public_id = ${of.campaign}::uuid`;
    await extendAll();
    expect(await dueAt(of)).toEqual(right);
  });
});

test('a run that new rules move over the end of the plan is planned once', async () => {
  const of = await plan({ recurrence: 'FREQ=DAILY;BYHOUR=0', timeZone: 'UTC' });
  const before = await dueAt(of);
  // Planned an hour early, by rules of before.
  await execute(database.db)`
    update runs set due_at = due_at - interval '1 hour'
    where campaign_id = (select campaign_id from campaigns where public_id = ${of.campaign}::uuid)`;
  await execute(database.db)`
    update campaigns set tzdata_version = '2000a', planned_until = planned_until - interval '30 minutes' where public_id = ${of.campaign}::uuid`;
  await database.clock.set('2031-03-02T12:00:00Z');
  await extendAll();
  const after = await dueAt(of);
  expect(after).toEqual([...new Set(after)]);
  expect(after.slice(2)).toEqual([...before.slice(2), '2032-03-02T00:00:00.000Z']);
});

describe('rejected rules', () => {
  const reject = async (recurrence: string, others: Partial<Schedule> = {}) => {
    const owner = await createOwner(database.db, 1);
    const error: unknown = await schedule(database.db, owner, { ...rule, ...others, recurrence }).catch(
      (one: unknown) => one,
    );
    return (error as { details: Array<{ field: string; issue: string }> }).details[0];
  };

  test.each([
    ['FREQ=SECONDLY', 'FREQ=SECONDLY'],
    ['FREQ=MINUTELY;INTERVAL=90', 'FREQ=MINUTELY'],
    ['FREQ=DAILY;BYHOUR=25', 'BYHOUR=25'],
    ['FREQ=DAILY;BYSECOND=30', 'BYSECOND=30, which is not possible'],
    ['FREQ=DAILY;INTERVAL=0', 'INTERVAL=0'],
    ['FREQ=DAILY;COUNT=5001', 'COUNT=5001'],
    ['FREQ=MONTHLY;BYDAY=1XX', 'BYDAY=1XX'],
    ['FREQ=WEEKLY;BYDAY=1MO', 'BYDAY=1MO'],
    ['FREQ=WEEKLY;BYMONTHDAY=1', 'BYMONTHDAY=1'],
    ['FREQ=DAILY;BYSETPOS=1', 'BYSETPOS=1'],
    ['FREQ=DAILY;FOO=1', 'FOO=1'],
    ['FREQ=DAILY;FREQ=WEEKLY', 'FREQ=WEEKLY'],
    ['FREQ=DAILY;UNTIL=20311301', 'UNTIL=20311301'],
    ['FREQ=DAILY;COUNT=3;UNTIL=20310401', 'COUNT'],
    ['BYDAY=MO', 'FREQ'],
    ['every Monday', 'EVERY MONDAY'],
    ['DTSTART:20310301T090000\nRRULE:FREQ=DAILY', 'start_date at schedule_time'],
    ['FREQ=DAILY;', 'because of ;'],
    ['FREQ=DAILY=X', 'FREQ=DAILY=X'],
    ['RDATE:20310302T090000', 'has no RRULE'],
    ['BYHOUR=9', 'has no FREQ'],
    ['FREQ=DAILY;INTERVAL=10000', 'INTERVAL=10000: at most 9999'],
    ['FREQ=DAILY;COUNT=00001001', 'COUNT=00001001: at most 1000'],
    ['FREQ=DAILY;COUNT=1\nEXDATE;TZID=Mars/Olympus:20310302T090000', 'unknown time zone Mars/Olympus'],
    [`FREQ=DAILY\nRDATE:${Array.from({ length: 367 }, () => '20310302').join(',')}`, 'RDATE (367): at most 366'],
    ['FREQ=YEARLY;BYYEARDAY=100;BYDAY=MO', 'BYYEARDAY=100;BYDAY=MO, which is not possible'],
    ['FREQ=YEARLY;BYMONTHDAY=13;BYYEARDAY=44', 'BYYEARDAY=44;BYMONTHDAY=13, which is not possible'],
    ['FREQ=YEARLY;BYWEEKNO=20;BYYEARDAY=140', 'BYYEARDAY=140;BYWEEKNO=20, which is not possible'],
    ['FREQ=YEARLY;BYWEEKNO=20;BYMONTHDAY=13', 'BYWEEKNO=20;BYMONTHDAY=13, which is not possible'],
    ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO,TU;BYSETPOS=1', 'BYWEEKNO=20;BYSETPOS=1, which is not possible'],
    ['FREQ=YEARLY;BYDAY=1MO;BYMONTHDAY=1', 'BYDAY=1MO;BYMONTHDAY=1, which is not possible'],
    ['FREQ=YEARLY;BYDAY=53SU', 'BYDAY=53SU, which is not possible'],
    ['FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;COUNT=1000', 'COUNT=1000, which is not possible'],
    ['FREQ=DAILY\nFREQ=WEEKLY', 'FREQ=WEEKLY'],
    ['FREQ=DAILY\nEXDATE:tomorrow', 'EXDATE:TOMORROW'],
    ['FREQ=DAILY\nRDATE;VALUE=PERIOD:20310301T090000Z/PT1H', 'RDATE;VALUE=PERIOD'],
    ['FREQ=DAILY;BYMINUTE=0,5,10,15,20,25,30,35,40,45,50,55;BYHOUR=9,10,11', 'BYMINUTE=0,5'],
    ['FREQ=HOURLY;BYMINUTE=0,30', 'BYMINUTE=0,30'],
    [
      `FREQ=DAILY;COUNT=1\nRDATE:${Array.from({ length: 30 }, (_, minute) => `20310302T0900${10 + minute}`).join(',')}`,
      'RDATE',
    ],
  ])('%s names %s', async (recurrence, part) => {
    const problem = await reject(recurrence);
    expect(problem?.field).toBe('recurrence');
    expect(problem?.issue).toContain(part);
  });

  test.each([
    ['FREQ=HOURLY', /more than 2000 runs in 366 days/],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', /never comes/],
    ['FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30', /never comes/],
    ['FREQ=HOURLY;INTERVAL=2;BYHOUR=8', /never comes/],
    ['FREQ=MONTHLY;INTERVAL=4;BYMONTH=2;COUNT=3', /never comes/],
    ['FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=3', /never comes/],
    ['FREQ=WEEKLY;BYDAY=MO;UNTIL=20300101', /never comes/],
  ])('%s is refused', async (recurrence, sentence) => {
    expect(await reject(recurrence)).toMatchObject({ field: 'recurrence', issue: expect.stringMatching(sentence) });
  });

  test('an hourly rule that began years ago is too much, and no defect', async () => {
    expect(await reject('FREQ=HOURLY', { startDate: '2020-01-01' })).toMatchObject({ code: 'recurrence_too_many' });
  });

  test('a rule that weekdays leave nothing of never comes, and one that is over says so', async () => {
    expect(await reject('FREQ=MONTHLY;BYDAY=1MO', { weekdays: [2] })).toMatchObject({
      issue: expect.stringMatching(/never comes/),
    });
    expect(await reject('FREQ=DAILY;COUNT=3', { startDate: '2031-01-01' })).toMatchObject({
      field: 'recurrence',
      issue: expect.stringMatching(/is in the past/),
    });
    expect(await reject('FREQ=DAILY', { endDate: '2031-02-01' })).toMatchObject({ field: 'end_date' });
    const early = { startDate: '2031-01-01' };
    expect(await reject('FREQ=DAILY;COUNT=3', { ...early, endDate: '2031-12-31' })).toMatchObject({
      field: 'recurrence',
    });
    await database.clock.set('2031-03-02T12:00:00Z');
    const today = { startDate: '2031-03-01', endDate: '2031-03-02' };
    expect(await reject('FREQ=DAILY', today)).toMatchObject({ field: 'schedule_time', code: 'passed_today' });
    expect(await reject('FREQ=DAILY;BYHOUR=8', today)).toMatchObject({ field: 'recurrence' });
    const skipDates = ['2031-03-02', '2031-03-03'];
    expect(await reject('', { ...today, endDate: '2031-03-03', skipDates })).toMatchObject({
      field: 'skip_dates',
      code: 'no_day_left',
    });
    expect(await reject('', { ...today, endDate: '2031-03-03', weekdays: [6] })).toMatchObject({ field: 'weekdays' });
    const beyond = 'FREQ=DAILY;COUNT=1\nRDATE:99991231T235959';
    expect(await reject(beyond, { timeZone: 'America/New_York' })).toMatchObject({ field: 'recurrence' });
  });

  test('a rule that comes after more than a year is planned', async () => {
    expect(await dueAt(await plan({ recurrence: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29' }))).toEqual([
      '2032-02-29T08:00:00.000Z',
    ]);
    expect(
      await dueAt(await plan({ recurrence: 'FREQ=YEARLY;INTERVAL=4;BYMONTH=2', startDate: '2033-01-15' })),
    ).toHaveLength(1);
  });
});
