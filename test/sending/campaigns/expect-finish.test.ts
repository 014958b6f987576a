/** The expected finish and the read counts of campaigns, on request. */
import { beforeEach, expect, test } from 'vitest';
import { groupsOf, useTestApp, type Person } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';

const GAP_MS = 60_000;
const app = await useTestApp({ sandboxSpeed: 200, sandboxGap: { minMs: GAP_MS, maxMs: GAP_MS } });
let alice: Person;
let people = 0;
beforeEach(async () => {
  alice = await app.signUp(`alice${++people}`);
});

interface Totals {
  sent: number;
  queued: number;
  expected_finish_at?: string | null;
}

async function send(name: string, more: object = {}): Promise<string> {
  const group_metadata_ids = await groupsOf(alice);
  const answer = await alice.call<{ campaign_id: string }>('venom/add-campaign', {
    name,
    html: 'Hello',
    group_metadata_ids,
    ...more,
  });
  return answer.body.data.campaign_id;
}

async function totalsOf(campaign_id: string, with_estimate?: boolean): Promise<Totals> {
  const asked = { campaign_id, with_estimate };
  const answer = await alice.call<{ totals: Totals }>('analytics/get-campaign-group-analytics-master', asked);
  return answer.body.data.totals;
}

test('estimates the finish from the pace and the queued posts, on request only', async () => {
  const id = await send('Fair');
  await until(
    () => totalsOf(id),
    ({ sent }) => sent === 1,
  );
  const nowMs = Date.now();
  const { queued, expected_finish_at: at } = await totalsOf(id, true);
  expect(queued).toBe(2);
  // The gap that runs, and another between the two that are left.
  const leftMs = Date.parse(at ?? '') - nowMs;
  expect(leftMs).toBeGreaterThan(GAP_MS);
  expect(leftMs).toBeLessThan(3 * GAP_MS);
  expect(await totalsOf(id)).not.toHaveProperty('expected_finish_at');
  await alice.call('venom/pause-campaign', { campaign_id: id });
  expect(await totalsOf(id, true)).toMatchObject({ expected_finish_at: null });
});

test('counts the pins of the posts in the expected finish', async () => {
  const id = await send('Pinned', { pin_for: '24h' });
  await until(
    () => totalsOf(id),
    ({ sent }) => sent === 1,
  );
  const { queued, expected_finish_at: at } = await totalsOf(id, true);
  expect(queued).toBe(2);
  // The gap that runs; then a pin, a post, a pin, a post and its pin, with a gap between any two.
  const leftMs = Date.parse(at ?? '') - Date.now();
  expect(leftMs).toBeGreaterThan(3 * GAP_MS);
  expect(leftMs).toBeLessThan(6 * GAP_MS);
});

test('returns the figures of reach and reads in the list on request', async () => {
  await send('Fair');
  interface Listed {
    campaigns: Array<{
      progress: { deliveries: number; sent: number; failed: number; delivered?: number; read?: number };
    }>;
  }
  const list = async (with_reads?: boolean) =>
    (await alice.call<Listed>('venom/list-campaigns', { with_reads })).body.data.campaigns[0]?.progress;
  const progress = await until(
    () => list(true),
    (found) => (found?.read ?? 0) > 0,
  );
  expect(progress?.delivered).toBeGreaterThanOrEqual(progress?.read ?? Infinity);
  expect(Object.keys((await list()) ?? {})).toEqual(['deliveries', 'sent', 'failed']);
});
