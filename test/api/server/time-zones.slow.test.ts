/** Time zones: accepted names, and stored zones that Temporal does not know. */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { groupsOf, startTestApp, type Person, type TestApp } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';

let app: TestApp;
let alice: Person;
let groups: number[];
let campaign: string;
beforeAll(async () => {
  app = await startTestApp({ timeZone: 'Europe/Berlin' });
  await app.database.clock.set('2031-03-03T10:00:00Z');
  alice = await app.signUp('alice');
  groups = await groupsOf(alice);
});
afterAll(() => app.stop());

const week = () => ({
  name: 'Morning',
  html: 'Good morning',
  group_metadata_ids: groups,
  is_schedule: true,
  start_date: '2031-03-10',
  end_date: '2031-03-12',
  schedule_time: '09:00:00',
});

const chooseZone = (zone: string | null, { userId }: Person = alice) =>
  sql`update users set time_zone = ${zone} where user_id = ${userId}`.execute(app.database.db);

/** Returns every operation that uses a time zone, with a body that makes it do so. */
const withZones = (): Array<[path: string, body: object]> => [
  ['user/get_profile', {}],
  ['user/update_profile', { last_name: 'Adams' }],
  ['venom/update-account', { daily_cap: 500, quiet_hours: { from: '22:00', to: '07:00' } }],
  ['venom/update-account', {}],
  ['venom/check-campaign', { ...week(), is_schedule: false }],
  ['venom/check-campaign', week()],
  ['venom/check-campaign', { ...week(), change_of: campaign }],
  ['venom/add-campaign-batch', week()],
  ['venom/update-campaign', { campaign_id: campaign, name: 'Evening' }],
  ['venom/update-campaign', { campaign_id: campaign, time_zone: 'Europe/Paris', schedule_time: '10:00:00' }],
  ['venom/get-campaign', { campaign_id: campaign }],
  ['venom/duplicate-campaign', { campaign_id: campaign }],
  ['venom/list-campaigns', { created_from: '2031-03-01', created_to: '2031-03-31' }],
  ['venom/list-campaigns', { created_from: '0001-01-01', created_to: '9999-12-31' }],
  ['venom/list-runs', { start_date: '2031-03-01', end_date: '2031-03-31' }],
  ['analytics/get-overview', { days: 7 }],
  ['analytics/get-campaign-group-analytics-master', { campaign_id: campaign, with_estimate: true }],
];

async function findFailures(): Promise<string[]> {
  const failed: string[] = [];
  for (const [path, body] of withZones()) {
    const answer = await alice.call(path, body);
    if (answer.status !== 200) failed.push(`${path} ${answer.status}`);
  }
  return failed;
}

async function schedule(): Promise<string> {
  await alice.call('venom/add-campaign-batch', week());
  const { body } = await alice.call<{ campaigns: Array<{ campaign_id: string }> }>('venom/list-campaigns', {
    limit: 1,
  });
  return body.data.campaigns[0]?.campaign_id ?? '';
}

// Names that ICU or PostgreSQL knows and Temporal does not, unknown names, and strings that Temporal extracts a zone from.
describe.each(['JST', 'IST', 'MIT', 'SystemV/EST5EDT', 'Mars/Olympus', '', '+05:30', 'T10:00[Asia/Tokyo]'])(
  'with the unknown time zone %j stored',
  (zone) => {
    beforeEach(async () => {
      await chooseZone(null);
      campaign = await schedule();
    });

    test('for a user, every operation falls back to the zone of the installation', async () => {
      await chooseZone(zone);
      expect(await findFailures()).toEqual([]);
      expect((await alice.call('user/get_profile')).body.data).toMatchObject({ time_zone: 'Europe/Berlin' });
    });

    test('for a campaign, every operation answers', async () => {
      await sql`update campaigns set time_zone = ${zone} where public_id = ${campaign}`.execute(app.database.db);
      expect(await findFailures()).toEqual([]);
    });

    test('for a campaign, its schedule stays until a valid zone is set', async () => {
      await sql`update campaigns set time_zone = ${zone} where public_id = ${campaign}`.execute(app.database.db);
      const runs = async () => (await alice.call('venom/get-campaign', { campaign_id: campaign })).body.data;
      const before = await runs();
      const later = { campaign_id: campaign, schedule_time: '10:00:00' };
      const refused = await alice.call('venom/update-campaign', later);
      expect(refused.body).toMatchObject({ code: 400, details: [{ field: 'time_zone' }] });
      expect(await runs()).toEqual(before);
      const changed = await alice.call('venom/update-campaign', { ...later, time_zone: 'Asia/Tokyo' });
      expect(changed.status).toBe(200);
      expect(await runs()).toMatchObject({
        time_zone: 'Asia/Tokyo',
        runs: [{ due_at: '2031-03-10T01:00:00.000Z' }, {}, {}],
      });
    });
  },
);

test('filters campaigns by the days of the user if PostgreSQL reads the zone differently', async () => {
  await app.database.clock.set('2031-07-01T22:30:00Z');
  campaign = await schedule();
  const { body } = await alice.call('venom/add-campaign', { ...week(), is_schedule: false, name: 'Summer' });
  expect(body.code).toBe(200);
  // PostgreSQL's CET is an hour ahead of UTC all year; the zone has summer time, so that it is half past midnight.
  await chooseZone('CET');
  const on = async (date: string) =>
    (await alice.call('venom/list-campaigns', { created_from: date, created_to: date, search: 'Summer' })).body.data;
  expect(await on('2031-07-01')).toMatchObject({ campaigns: [] });
  expect(await on('2031-07-02')).toMatchObject({ campaigns: [{ name: 'Summer' }] });
  await app.database.clock.set('2031-03-03T10:00:00Z');
});

describe('rejects an unknown time zone with suggestions:', () => {
  const refusals: Array<[name: string, problem: string]> = [
    ['IST', '; did you mean Asia/Kolkata, Europe/Dublin or Asia/Jerusalem?'],
    ['pst', '; did you mean America/Los_Angeles or Asia/Manila?'],
    ['CST', '; did you mean America/Chicago, America/Mexico_City or Asia/Shanghai?'],
    ['JST', '; did you mean Asia/Tokyo?'],
    ['BST', '; did you mean Europe/London or Asia/Dhaka?'],
    ['EAT', '; did you mean Africa/Nairobi?'],
    ['CEST', '; did you mean Europe/Berlin or Europe/Paris?'],
    ['US/Pacific-New', '; did you mean America/Los_Angeles?'],
    ['Asia/Calcuta', '; did you mean Asia/Calcutta?'],
    ['Asia/Kolkatta', '; did you mean Asia/Kolkata?'],
    ['Europe/New York', '; did you mean America/New_York?'],
    ['+05:30', ', not an offset, which has no clock changes'],
    ['UTC+2', ', not an offset, which has no clock changes'],
    ['T10:00[Asia/Tokyo]', ''],
    ['Mars/Olympus', ''],
    ['', ''],
    ['x'.repeat(100_000), ''],
  ];
  test.each(refusals.map((refusal) => [refusal[0].slice(0, 30), ...refusal] as const))(
    '%s',
    async (_title, name, ending) => {
      const details = [{ field: 'time_zone', issue: `must be an IANA time zone such as Europe/Berlin${ending}` }];
      for (const [path, body] of [
        ['user/update_profile', {}],
        ['venom/add-campaign-batch', week()],
        ['venom/check-campaign', week()],
        ['venom/update-campaign', { campaign_id: campaign }],
      ] as const) {
        const answer = await alice.call(path, { ...body, time_zone: name });
        expect(answer.body, path).toMatchObject({ code: 400, details });
      }
    },
  );
});

test.each([
  ['europe/berlin', 'Europe/Berlin'],
  ['ASIA/CALCUTTA', 'Asia/Calcutta'],
  ['Asia/Kolkata', 'Asia/Kolkata'],
  ['utc', 'UTC'],
  ['etc/gmt+5', 'Etc/GMT+5'],
  ['EST', 'EST'],
])('accepts %s and stores it as %s', async (sent, kept) => {
  campaign = await schedule();
  const profile = await alice.call('user/update_profile', { time_zone: sent });
  expect(profile.body.data).toMatchObject({ time_zone: kept });
  await alice.call('venom/update-campaign', { campaign_id: campaign, time_zone: sent });
  expect((await alice.call('venom/get-campaign', { campaign_id: campaign })).body.data).toMatchObject({
    time_zone: kept,
  });
});

test('an account with an unknown time zone sends, and so do others', async () => {
  const people = await Promise.all(['bob', 'carol'].map((name) => app.signUp(name)));
  const [bob, carol] = people as [Person, Person];
  await bob.call('venom/update-account', { daily_cap: 500 });
  await carol.call('venom/update-account', { quiet_hours: { from: '22:00', to: '07:00' } });
  await chooseZone('JST', bob);
  for (const person of people) {
    const group_metadata_ids = await groupsOf(person);
    await person.call('venom/add-campaign', { name: 'Now', html: 'Hello', group_metadata_ids });
  }
  const statuses = async (person: Person) => {
    const { body } = await person.call<{ campaigns: Array<{ status: string }> }>('venom/list-campaigns');
    return body.data.campaigns.map(({ status }) => status);
  };
  for (const person of [carol, bob])
    expect(
      await until(
        () => statuses(person),
        ([status]) => status === 'completed',
      ),
    ).toEqual(['completed']);
});
