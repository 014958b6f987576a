import { beforeEach, describe, expect, test } from 'vitest';
import { moveAhead, type Schedule } from '../../../src/sending/campaigns/occurrences.ts';
import { groupsOf, useTestApp } from '../../support/app.ts';
import { PNG } from '../../support/inputs/sample-files.ts';

type Body = Record<string, unknown>;

const app = await useTestApp({ sandboxSpeed: 0 });
const alice = await app.signUp('alice');
const groups = await groupsOf(alice);
beforeEach(() => app.database.clock.set('2031-05-31T12:00:00Z'));

const copyOf = (campaign_id: unknown) => alice.call<Body>('venom/duplicate-campaign', { campaign_id });
const read = async (campaign_id: unknown) => (await alice.call<Body>('venom/get-campaign', { campaign_id })).body.data;
const countCampaigns = async () =>
  (await alice.call<{ campaigns: unknown[] }>('venom/list-campaigns', { limit: 200 })).body.data.campaigns.length;

/** Adds the campaign, and answers its id. */
async function add(body: Body): Promise<unknown> {
  const operation = body['is_schedule'] === true ? 'add-campaign-batch' : 'add-campaign';
  const answer = await alice.call<Body>(`venom/${operation}`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.headers.get('x-campaign-id') ?? answer.body.data['campaign_id'];
}

const image = `data:image/png;base64,${PNG.toString('base64')}`;

test('returns the body that sends a campaign again, without sending it', async () => {
  const body = {
    name: 'Spring fair',
    desc: 'First',
    html: '<p>We open at <b>nine</b></p>',
    image,
    group_metadata_ids: [groups[2], groups[0]],
    is_channel_campaign: true,
    is_schedule: false,
    schedule_time: '2020-01-31 23:59:59',
  };
  const first = await add(body);
  const before = await countCampaigns();
  const copy = await copyOf(first);
  expect(copy.body.data).toEqual({ ...body, ...NO_EXTRAS });
  expect(await countCampaigns()).toBe(before);
  const second = await add(copy.body.data);
  const { name, html, text, media, group_metadata_ids } = await read(first);
  expect(await read(second)).toMatchObject({ name, html, text, media, group_metadata_ids });
});

test('returns null for a missing file and time', async () => {
  const id = await add({ name: 'Plain', html: 'Hello', group_metadata_ids: groups });
  const { data } = (await copyOf(id)).body;
  expect(data).toMatchObject({ image: null, schedule_time: null, desc: '', is_schedule: false });
  await add(data);
});

/** What a plain campaign does without. */
const NO_EXTRAS = {
  file_name: null,
  from_template: null,
  media: null,
  mention_all: false,
  pin_for: null,
  reply_to: null,
  follow_up: null,
  poll: null,
  event: null,
  account_id: null,
  link_preview: null,
  metadata: {},
  tags: [],
};

const schedule = () => ({
  name: 'Good morning',
  desc: '',
  html: 'Hello',
  image: null,
  group_metadata_ids: groups,
  is_channel_campaign: false,
  is_schedule: true,
  start_date: '2031-06-02',
  end_date: '2031-06-06',
  schedule_time: '09:00:00',
  time_zone: 'Europe/Berlin',
  weekdays: [1, 3, 5],
  skip_dates: ['2031-06-04'],
});

test('returns a schedule that is not over unchanged', async () => {
  const id = await add(schedule());
  expect((await copyOf(id)).body.data).toEqual({ ...schedule(), ...NO_EXTRAS });
  await app.database.clock.set('2031-06-04T12:00:00Z');
  expect((await copyOf(id)).body.data).toEqual({ ...schedule(), ...NO_EXTRAS });
  await add(schedule());
});

test('moves a schedule that is over ahead by whole weeks', async () => {
  const id = await add({ ...schedule(), weekdays: null });
  await app.database.clock.set('2031-08-20T07:00:01Z');
  const { data } = (await copyOf(id)).body;
  expect(data).toEqual({
    ...schedule(),
    ...NO_EXTRAS,
    weekdays: null,
    start_date: '2031-08-25',
    end_date: '2031-08-29',
    skip_dates: ['2031-08-27'],
  });
  await add(data);
});

test('answers 404 for another user’s campaign', async () => {
  const id = await add({ name: 'Plain', html: 'Hello', group_metadata_ids: groups });
  const bob = await app.signUp('bob');
  const answer = await bob.call('venom/duplicate-campaign', { campaign_id: id });
  expect(answer).toMatchObject({ status: 404, body: { details: [{ field: 'campaign_id' }] } });
});

describe('a schedule that is over is moved', () => {
  const day: Schedule = {
    startDate: '2031-06-02',
    endDate: '2031-06-02',
    time: '09:00:00',
    timeZone: 'UTC',
    weekdays: null,
    skipDates: [],
  };
  test.each([
    ['2031-06-02T08:59:59Z', '2031-06-02'],
    ['2031-06-02T09:00:00Z', '2031-06-02'],
    ['2031-06-02T09:00:01Z', '2031-06-09'],
    ['2031-06-09T09:00:00Z', '2031-06-16'],
    ['2035-06-09T10:00:00Z', '2035-06-11'],
  ])('seen at %s to %s', (now, startDate) => {
    expect(moveAhead(day, new Date(now))).toEqual({ ...day, startDate, endDate: startDate });
  });

  test('without the skipped dates that are far from it', () => {
    const odd = { ...day, skipDates: ['0001-01-01', '9999-12-31'] };
    expect(moveAhead(odd, new Date('2031-06-03T00:00:00Z'))).toEqual({
      ...day,
      startDate: '2031-06-09',
      endDate: '2031-06-09',
    });
  });
});
