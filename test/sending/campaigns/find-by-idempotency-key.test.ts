/** `get-campaign` by the `Idempotency-Key` of the request that added the campaign. */
import { expect, test } from 'vitest';
import { useTestApp } from '../../support/app.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const HOUR_MS = 60 * 60_000;

const app = await useTestApp({ sandboxSpeed: 0 });
await app.database.clock.set('2026-06-01T00:00:00Z');
const alice = await app.signUp('alice');
const { body } = await alice.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
const post = { name: 'Fair', html: 'We open at nine', group_metadata_ids: [body.data.groups[0]?.group_metadata_id] };

const later = () => ({
  ...post,
  is_schedule: true,
  start_date: '2032-06-01',
  end_date: '2032-06-02',
  schedule_time: '09:00:00',
});
async function add(path: string, body: object, key: string) {
  const response = await fetch(`${app.url}/api/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.token}`, 'idempotency-key': key },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return { headers: response.headers, body: (await response.json()) as { data: { campaign_id?: string } } };
}
const find = (idempotency_key: string, who = alice) =>
  who.call<{ campaign_id: string }>('venom/get-campaign', { idempotency_key });

test('finds a scheduled campaign by its key, with the id of the header', async () => {
  const added = await add('venom/add-campaign-batch', later(), 'fair-week');
  const found = await find('fair-week');
  expect(found.status).toBe(200);
  expect(found.body.data.campaign_id).toBe(added.headers.get('x-campaign-id'));
  expect(found.body.data).toMatchObject({ name: 'Fair', is_schedule: true });
});

test('finds a campaign that was sent now by its key', async () => {
  const added = await add('venom/add-campaign', post, 'fair-now');
  expect((await find('fair-now')).body.data.campaign_id).toBe(added.body.data.campaign_id);
});

test('finds nothing by an unknown key, a key of another workspace, or a key of another operation', async () => {
  await add('venom/add-campaign', post, 'mine');
  await add('venom/create-community', { community_name: 'Town' }, 'a-community');
  const mallory = await app.signUp('mallory');
  for (const answer of [await find('never'), await find('mine', mallory), await find('a-community')])
    expect(answer).toMatchObject({ status: 404, body: { error_code: 'campaign_not_found' } });
});

test('finds no deleted campaign', async () => {
  const { headers } = await add('venom/add-campaign-batch', later(), 'to-delete');
  const campaign_id = headers.get('x-campaign-id');
  await alice.call('venom/cancel-campaign', { campaign_id });
  expect((await find('to-delete')).status).toBe(200);
  expect((await alice.call('venom/delete-campaign', { campaign_id })).status).toBe(200);
  expect((await find('to-delete')).status).toBe(404);
});

test('takes exactly one of id and key', async () => {
  for (const body of [{}, { campaign_id: null }, { campaign_id: UNKNOWN, idempotency_key: 'both' }]) {
    const answer = await alice.call('venom/get-campaign', body);
    expect(answer.status).toBe(400);
    expect(answer.body.details).toMatchObject([{ field: 'campaign_id' }]);
  }
  for (const idempotency_key of ['', 'x'.repeat(256), 7])
    expect((await alice.call('venom/get-campaign', { idempotency_key })).status).toBe(400);
});

test('remembers a key for 24 hours', async () => {
  await add('venom/add-campaign-batch', later(), 'for-a-day');
  await app.database.clock.advance(23 * HOUR_MS);
  expect((await find('for-a-day')).status).toBe(200);
  await app.database.clock.advance(2 * HOUR_MS);
  expect((await find('for-a-day')).status).toBe(404);
});
