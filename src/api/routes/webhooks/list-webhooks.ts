import { EVENT_TYPES } from '../../../workspaces/events/event-types.ts';
import { listWebhooks, type ListedWebhook, type WebhookDeps } from '../../../notifications/webhooks/manage-webhooks.ts';
import { nothing } from '../../contract/fields.ts';
import { listWebhooksData } from '../../contract/webhooks.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function listWebhooksOperation(deps: WebhookDeps): Operation {
  return defineOperation({
    path: '/api/v1/venom/list-webhooks',
    access: 'bearer',
    scope: 'read',
    tag: 'Webhooks',
    summary: 'List your webhooks',
    description: 'Oldest first.',
    body: nothing,
    data: listWebhooksData,
    errors: [],
    async handle({ actor }) {
      return { webhooks: (await listWebhooks(deps, actor)).map((webhook) => toWire(webhook)) };
    },
  });
}

function toWire(webhook: ListedWebhook) {
  const { failingSince, disabledAt, nextTryAt, lastTry } = webhook;
  const isFailing = failingSince !== null && disabledAt === null;
  return {
    webhook_id: webhook.webhookId,
    url: webhook.url,
    description: webhook.description,
    events: EVENT_TYPES.filter((type) => webhook.events.includes(type)),
    signature: webhook.signature,
    public_key: webhook.publicKey,
    created_at: webhook.createdAt.toISOString(),
    status: disabledAt ? ('disabled' as const) : isFailing ? ('failing' as const) : ('active' as const),
    disabled_reason: webhook.disabledReason,
    disabled_at: disabledAt?.toISOString() ?? null,
    is_behind: webhook.isBehind,
    is_slow: webhook.isSlow,
    failing_since: failingSince?.toISOString() ?? null,
    next_try_at: isFailing ? nextTryAt.toISOString() : null,
    former_secret_until: webhook.formerUntil?.toISOString() ?? null,
    last_try: lastTry && { ...lastTry, at: lastTry.at.toISOString() },
  };
}
