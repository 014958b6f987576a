import { rotateWebhookSecret, type WebhookDeps } from '../../../notifications/webhooks/manage-webhooks.ts';
import { rotateWebhookSecretData, webhookBody } from '../../contract/webhooks.ts';
import { verifierFields } from './verifier-fields.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function rotateWebhookSecretOperation(deps: WebhookDeps): Operation {
  return defineOperation({
    path: '/api/v1/venom/rotate-webhook-secret',
    access: 'bearer',
    scope: 'admin',
    tag: 'Webhooks',
    summary: 'Make another secret for a webhook',
    description: 'Messages are signed with both for 24 hours.',
    body: webhookBody,
    data: rotateWebhookSecretData,
    errors: [404],
    async handle({ body, actor }) {
      const { signature, verifier, formerUntil } = await rotateWebhookSecret(deps, actor, body.webhook_id);
      return { ...verifierFields(signature, verifier), former_secret_until: formerUntil.toISOString() };
    },
  });
}
