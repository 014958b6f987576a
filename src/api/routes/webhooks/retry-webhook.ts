import type { Database } from '../../../platform/database/connect.ts';
import { retryWebhook } from '../../../notifications/webhooks/retry-webhook.ts';
import { retryWebhookBody, retryWebhookData } from '../../contract/webhooks.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function retryWebhookOperation(deps: { db: Database }): Operation {
  return defineOperation({
    path: '/api/v1/venom/retry-webhook',
    access: 'bearer',
    scope: 'admin',
    tag: 'Webhooks',
    summary: 'Tell a webhook something once more',
    description:
      'One message, or what happened in a span of the last 30 days, 10,000 at most: before what is new, with the same ids.',
    body: retryWebhookBody,
    data: retryWebhookData,
    errors: [404, 409],
    async handle({ body, actor }) {
      const { webhook_id: webhookId, message_id: messageId, from, to } = body;
      const request =
        messageId === undefined
          ? { from: new Date(from ?? 0), to: to === undefined ? new Date() : new Date(to) }
          : { messageId };
      return { message_count: await retryWebhook(deps, actor, { webhookId, request }) };
    },
  });
}
