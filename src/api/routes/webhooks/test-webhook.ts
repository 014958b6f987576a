import type { Database } from '../../../platform/database/connect.ts';
import { testWebhook } from '../../../notifications/webhooks/retry-webhook.ts';
import { testWebhookData, webhookBody } from '../../contract/webhooks.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function testWebhookOperation(deps: { db: Database }): Operation {
  return defineOperation({
    path: '/api/v1/venom/test-webhook',
    access: 'bearer',
    scope: 'admin',
    tag: 'Webhooks',
    summary: 'Send a webhook a message that tells nothing',
    description: 'Its type is `webhook.test`. What came of it is in `list-webhook-tries`.',
    body: webhookBody,
    data: testWebhookData,
    errors: [404, 409],
    async handle({ body, actor }) {
      return { message_id: await testWebhook(deps, actor, body.webhook_id) };
    },
  });
}
