import { afterAll, expect, test } from 'vitest';
import { EVENT_TYPES } from '../../../src/workspaces/events/event-types.ts';
import { WEBHOOK_EVENTS } from '../../../src/api/contract/webhook-events.ts';
import { useTestDatabase } from '../../support/database.ts';
import { startTestServer } from '../../support/http/server.ts';

const database = await useTestDatabase();
const server = await startTestServer({ db: database.db });
afterAll(() => server.close());

test('documents a schema for every event, with its type and data', async () => {
  const { body } = await server.request('/openapi.json');
  const { webhooks, components } = body as {
    webhooks: Record<string, { post: { requestBody: { content: Record<string, unknown> } } }>;
    components: { schemas: Record<string, { type?: string; properties?: Record<string, { $ref?: string }> }> };
  };
  expect(Object.keys(webhooks)).toEqual([...EVENT_TYPES]);
  const follow = (schema: { $ref?: string }) => components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
  for (const [type, { post }] of Object.entries(webhooks)) {
    const { schema } = post.requestBody.content['application/json'] as { schema: { $ref: string } };
    const message = follow(schema) as { properties: Record<string, { $ref?: string }> };
    expect(message).toMatchObject({ properties: { type: { const: type } }, required: ['type', 'timestamp', 'data'] });
    expect(follow(message.properties['data'] ?? {})).toMatchObject({ type: 'object' });
  }
});

test('validates event data by its schema', () => {
  const about = {
    campaign_id: '5f0c2c5e-0f3c-4d6b-9a55-6c1d1c3a7f10',
    name: 'News',
    status: 'running',
    is_schedule: false,
    external_id: null,
    metadata: {},
    tags: [],
  };
  expect(WEBHOOK_EVENTS['campaign.accepted'].data.safeParse(about).success).toBe(true);
  expect(WEBHOOK_EVENTS['campaign.late'].data.safeParse(about).success).toBe(false);
});
