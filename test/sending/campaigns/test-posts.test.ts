/** Test posts: sent like others, and in no list and no figure. */
import { expect, test } from 'vitest';
import { groupsOf, useTestApp } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';

const app = await useTestApp({ sandboxSpeed: 0 });
const alice = await app.signUp('alice');
const groups = await groupsOf(alice);

const ask = async <Data>(path: string, body: object = {}) => (await alice.call<Data>(path, body)).body.data;

async function send(more: object): Promise<string> {
  const post = { html: 'We open at nine', group_metadata_ids: groups, ...more };
  const { campaign_id } = await ask<{ campaign_id: string }>('venom/add-campaign', post);
  await until(
    () => ask<{ status: string }>('venom/get-campaign', { campaign_id }),
    ({ status }) => status === 'completed',
  );
  return campaign_id;
}

test('a test post is left out of lists, runs and the overview', async () => {
  const fair = await send({ name: 'Fair' });
  const trial = await send({ name: 'Test: Fair', group_metadata_ids: groups.slice(0, 1), is_test: true });
  const listed = async (body: object = {}) =>
    (await ask<{ campaigns: Array<{ campaign_id: string }> }>('venom/list-campaigns', body)).campaigns.map(
      (campaign) => campaign.campaign_id,
    );
  expect(await listed()).toEqual([fair]);
  expect(await listed({ with_tests: true })).toEqual([trial, fair]);
  const today = new Date().toISOString().slice(0, 10);
  const { runs } = await ask<{ runs: Array<{ campaign_id: string }> }>('venom/list-runs', {
    start_date: today,
    end_date: today,
  });
  expect(runs.map((run) => run.campaign_id)).toEqual([fair]);
  expect(await ask('analytics/get-overview', { days: 7 })).toMatchObject({
    totals: { campaigns: 1, sent: groups.length },
  });
  expect(await ask('venom/get-campaign', { campaign_id: trial })).toMatchObject({ name: 'Test: Fair' });
});
