/** What the answer of an accepted campaign says beside its fixed body: the zone of a schedule, and an account that is not linked. */
import { expect, test } from 'vitest';
import { useTestApp, type Answer, type Person } from '../../support/app.ts';

const app = await useTestApp({ timeZone: 'Asia/Kolkata' });

const warned = ({ headers }: Answer<unknown>) =>
  JSON.parse(`[${headers.get('x-campanile-warnings') ?? ''}]`) as string[];

async function newcomer(name: string) {
  const person = await app.signUp(name);
  const { body } = await person.call<{ groups: { group_metadata_id: number }[] }>('venom/list-groups');
  const post = { name: 'Fair', html: 'Hello', group_metadata_ids: [body.data.groups[0]?.group_metadata_id] };
  const now = () => person.call('venom/add-campaign', post);
  const schedule = (change: object = {}) =>
    person.call('venom/add-campaign-batch', {
      ...post,
      is_schedule: true,
      start_date: '2032-06-01',
      end_date: '2032-06-02',
      schedule_time: '09:00:00',
      ...change,
    });
  return { person, now, schedule };
}

const zoneOf = (answer: Answer<unknown>) => answer.headers.get('x-campanile-time-zone');
async function zoneStored(person: Person, answer: Answer<unknown>): Promise<unknown> {
  const campaign_id = answer.headers.get('x-campaign-id');
  const { body } = await person.call<{ time_zone: string }>('venom/get-campaign', { campaign_id });
  return body.data.time_zone;
}

test('the zone of a schedule is in a header and in get-campaign; a user without one is warned once', async () => {
  const { person, now, schedule } = await newcomer('ines');
  expect(warned(await now())).toEqual([]);
  const first = await schedule();
  expect(first.body).toEqual({ error: false, status: 'success', code: 200, data: { data: true } });
  expect(zoneOf(first)).toBe('Asia/Kolkata');
  expect(await zoneStored(person, first)).toBe('Asia/Kolkata');
  expect(warned(first)).toEqual([
    'schedule_time was read in Asia/Kolkata, since you have not chosen a time zone: send time_zone, or choose yours with update_profile',
  ]);
  const second = await schedule();
  expect([zoneOf(second), warned(second)]).toEqual(['Asia/Kolkata', []]);
});

test('a schedule in a zone that was chosen is no warning', async () => {
  const { person, schedule } = await newcomer('jan');
  const explicit = await schedule({ time_zone: 'europe/berlin' });
  expect([zoneOf(explicit), warned(explicit)]).toEqual(['Europe/Berlin', []]);
  const other = await newcomer('kim');
  await other.person.call('user/update_profile', { time_zone: 'Asia/Seoul' });
  const own = await other.schedule();
  expect([zoneOf(own), warned(own)]).toEqual(['Asia/Seoul', []]);
  expect(await zoneStored(person, explicit)).toBe('Europe/Berlin');
});

test('a repeated request has the zone of the first, also after the user chose another', async () => {
  const { person, schedule } = await newcomer('lea');
  const { body } = await person.call<{ groups: { group_metadata_id: number }[] }>('venom/list-groups');
  const send = () =>
    fetch(`${app.url}/api/v1/venom/add-campaign-batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${person.token}`, 'idempotency-key': 'k' },
      body: JSON.stringify({
        name: 'Fair',
        html: 'Hello',
        group_metadata_ids: [body.data.groups[0]?.group_metadata_id],
        start_date: '2032-06-01',
        end_date: '2032-06-01',
        schedule_time: '09:00:00',
      }),
    });
  const first = await send();
  await person.call('user/update_profile', { time_zone: 'Asia/Tokyo' });
  const again = await send();
  expect([first, again].map(({ headers }) => headers.get('x-campanile-time-zone'))).toEqual([
    'Asia/Kolkata',
    'Asia/Kolkata',
  ]);
  expect(zoneOf(await schedule())).toBe('Asia/Tokyo');
});

test('a campaign on an account that is not linked is accepted, and says so', async () => {
  const { person, now, schedule } = await newcomer('mia');
  await person.call('user/update_profile', { time_zone: 'UTC' });
  expect(warned(await now())).toEqual([]);
  expect((await person.call('venom/disconnect-account')).status).toBe(200);
  const sentence =
    'Your account is not linked to a messaging application: the posts wait until you link it, and expire if you do not';
  for (const answer of [await now(), await schedule()]) {
    expect(answer.status).toBe(200);
    expect(warned(answer)).toEqual([sentence]);
  }
});
