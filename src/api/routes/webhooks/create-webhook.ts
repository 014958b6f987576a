import { createWebhook, type WebhookDeps } from '../../../notifications/webhooks/manage-webhooks.ts';
import { createWebhookBody, createWebhookData } from '../../contract/webhooks.ts';
import { verifierFields } from './verifier-fields.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function createWebhookOperation(deps: WebhookDeps): Operation {
  return defineOperation({
    path: '/api/v1/venom/create-webhook',
    access: 'bearer',
    scope: 'admin',
    tag: 'Webhooks',
    summary: 'Have a server told what happens',
    description:
      'Messages are those of Standard Webhooks 1.0.0, told in order, each at least once. At most 20 a workspace.',
    body: createWebhookBody,
    data: createWebhookData,
    errors: [409],
    async handle({ body, actor }) {
      const { webhookId, verifier } = await createWebhook(deps, actor, body);
      return { webhook_id: webhookId, ...verifierFields(body.signature, verifier) };
    },
  });
}
