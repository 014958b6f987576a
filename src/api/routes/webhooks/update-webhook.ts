import { updateWebhook, type WebhookDeps } from '../../../notifications/webhooks/manage-webhooks.ts';
import { nothingData } from '../../contract/users.ts';
import { updateWebhookBody } from '../../contract/webhooks.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function updateWebhookOperation(deps: WebhookDeps): Operation {
  return defineOperation({
    path: '/api/v1/venom/update-webhook',
    access: 'bearer',
    scope: 'admin',
    tag: 'Webhooks',
    summary: 'Change a webhook, or switch it on or off',
    description: 'What is not given stays.',
    body: updateWebhookBody,
    data: nothingData,
    errors: [404],
    async handle({ body, actor }) {
      const { webhook_id: webhookId, url, description, events, is_enabled: isEnabled } = body;
      await updateWebhook(deps, actor, { webhookId, url, description, events, isEnabled });
      return {};
    },
  });
}
