import { expect } from 'vitest';
import { post, type Call, type Person, type TestApp } from './app.ts';
import { until } from './ledger.ts';

export const SCOPES = ['read', 'send', 'admin'] as const;
export const ANALYTICS = 'analytics/get-campaign-group-analytics-master';

export interface CreatedKey {
  api_key_id: number;
  key: string;
}
export interface Groups {
  groups: Array<{ group_metadata_id: number; group_name: string }>;
}

/** Creates a test key. `call` sends requests with it. */
export async function createTestKey(app: TestApp, owner: Person): Promise<CreatedKey & { call: Call }> {
  const { status, body } = await owner.call<CreatedKey>('user/create_api_key', {
    name: 'CI',
    scopes: SCOPES,
    test: true,
  });
  expect(status, JSON.stringify(body)).toBe(200);
  const { key } = body.data;
  return { ...body.data, call: ((path, asked = {}) => post(app.url, path, asked, key)) as Call };
}

/** A program as integrators write it for live: syncs, posts to all groups, and waits until all members received it. */
export async function announce(call: Call, html = 'Hello'): Promise<{ campaignId: string; groups: number[] }> {
  await call('venom/sync-groups');
  const listed = await call<Groups>('venom/list-groups');
  const groups = listed.body.data.groups.map((group) => group.group_metadata_id);
  const sent = await call<{ campaign_id: string }>('venom/add-campaign', {
    name: 'News',
    html,
    group_metadata_ids: groups,
  });
  expect(sent.status, JSON.stringify(sent.body)).toBe(200);
  const { campaign_id } = sent.body.data;
  await until(
    async () => (await call<{ totals: { sent: number } }>(ANALYTICS, { campaign_id })).body.data.totals.sent,
    groups.length,
  );
  return { campaignId: campaign_id, groups };
}
