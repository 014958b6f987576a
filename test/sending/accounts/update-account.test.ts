import { describe, expect, test } from 'vitest';
import { createClient } from '../../../clients/typescript/client.ts';
import { useTestApp } from '../../support/app.ts';

const app = await useTestApp({ timeZone: 'Europe/Paris' });
const alice = await app.signUp('alice');
const hers = createClient({ url: app.url, token: alice.token });
const bobs = createClient({ url: app.url, token: (await app.signUp('bob')).token });

const NONE = {
  account_id: expect.any(Number) as number,
  name: null,
  quiet_hours: null,
  daily_cap: null,
  mention_all_cap: 1,
  weekly_posts: 7,
  time_zone: 'Europe/Paris',
  sent_today: null,
  rests_until: null,
  external_id: null,
  metadata: {},
};

test('has no send windows by default', async () => {
  expect(await hers.call('venom/update-account')).toEqual(NONE);
});

test('keeps settings that are absent or null, and turns them off with "none"', async () => {
  const quiet_hours = { from: '22:00', to: '07:00' };
  await app.database.clock.set('2027-06-01T12:00:00Z');
  expect(await hers.call('venom/update-account', { quiet_hours })).toEqual({ ...NONE, quiet_hours });
  const both = await hers.call('venom/update-account', { daily_cap: 500, quiet_hours: null });
  expect(both).toEqual({ ...NONE, quiet_hours, daily_cap: 500, sent_today: 0 });
  await app.database.clock.set('2027-06-01T20:30:00Z');
  expect(await hers.call('venom/update-account', {})).toEqual({
    ...both,
    rests_until: '2027-06-02T05:00:00Z',
    rest_reason: 'quiet_hours',
  });
  await hers.call('user/update_profile', { time_zone: 'Asia/Tokyo' });
  expect(await hers.call('venom/update-account', {})).toMatchObject({
    time_zone: 'Asia/Tokyo',
    rests_until: '2027-06-01T22:00:00Z',
  });
  await hers.call('user/update_profile', { time_zone: 'Europe/Paris' });
  const off = await hers.call('venom/update-account', { daily_cap: 'none', quiet_hours: 'none' });
  expect(off).toEqual(NONE);
  expect(await bobs.call('venom/update-account')).toEqual(NONE);
});

test('records changes in the audit log, but no reads', async () => {
  const { entries } = await hers.call('user/list_audit_log', { limit: 100 });
  const changes = entries.filter(({ action }) => action === 'account.changed');
  expect(changes).toHaveLength(3);
  expect(changes[0]).toMatchObject({ subject: 'sandbox' });
});

describe('rejects invalid settings with 400 on their field:', () => {
  test.each([
    [{ quiet_hours: { from: '22:00', to: '22:00' } }, 'quiet_hours'],
    [{ quiet_hours: { from: '24:00', to: '07:00' } }, 'quiet_hours'],
    [{ quiet_hours: { from: '22:00' } }, 'quiet_hours'],
    [{ quiet_hours: { from: '9.00', to: '10:00' } }, 'quiet_hours'],
    [{ quiet_hours: 'off' }, 'quiet_hours'],
    [{ daily_cap: 0 }, 'daily_cap'],
    [{ daily_cap: 1.5 }, 'daily_cap'],
    [{ daily_cap: '5e2' }, 'daily_cap'],
  ])('%j', async (body, field) => {
    const { status, body: answer } = await alice.call('venom/update-account', body);
    expect(status).toBe(400);
    expect(answer.details?.[0]?.field).toMatch(new RegExp(`^${field}`));
    expect(await hers.call('venom/update-account')).toEqual(NONE);
  });
});

test('holds a campaign in quiet hours, and shows it in the progress', async () => {
  await app.database.clock.set('2027-06-03T20:30:00Z');
  await hers.call('venom/update-account', { quiet_hours: { from: '22:00', to: '07:00' } });
  const { groups } = await hers.call('venom/list-groups');
  const group_metadata_ids = groups.map((group) => group.group_metadata_id);
  const { campaign_id } = await hers.call('venom/add-campaign', { name: 'Late', html: 'Hello', group_metadata_ids });
  const done = new Set<string>();
  for await (const one of hers.events()) {
    if (one.event !== 'campaign' || one.data.campaign_id !== campaign_id) continue;
    done.add(one.data.status);
    if (one.data.status === 'completed') break;
    expect(one.data.progress).toMatchObject({ queued: 3, sent: 0 });
    await app.database.clock.set('2027-06-04T05:00:00Z');
  }
  expect([...done]).toEqual(['running', 'completed']);
});
