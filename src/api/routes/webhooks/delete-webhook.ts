import type { Database } from '../../../platform/database/connect.ts';
import { deleteWebhook } from '../../../notifications/webhooks/manage-webhooks.ts';
import { nothingData } from '../../contract/users.ts';
import { webhookBody } from '../../contract/webhooks.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function deleteWebhookOperation(deps: { db: Database }): Operation {
  return defineOperation({
    path: '/api/v1/venom/delete-webhook',
    access: 'bearer',
    scope: 'admin',
    tag: 'Webhooks',
    summary: 'Delete a webhook',
    description: 'It is told nothing more; its log goes with it.',
    body: webhookBody,
    data: nothingData,
    errors: [404],
    async handle({ body, actor }) {
      await deleteWebhook(deps, actor, body.webhook_id);
      return {};
    },
  });
}
