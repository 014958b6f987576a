import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
  type ListedWebhook,
  type WebhookDeps,
} from '../../notifications/webhooks/manage-webhooks.ts';
import { listWebhookAttempts, retryWebhook, testWebhook } from '../../notifications/webhooks/retry-webhook.ts';
import type { Signature } from '../../notifications/webhooks/sign.ts';
import { EVENT_FILTERS } from '../../workspaces/events/event-types.ts';
import type { webhooks } from '../contract/webhooks.ts';
import type { Handlers } from '../operation.ts';
import { readCursor, writeCursor } from './cursor.ts';

export const webhookHandlers: Handlers<typeof webhooks, WebhookDeps> = {
  async createWebhook(deps, { body, actor }) {
    const { webhookId, verifier } = await createWebhook(deps, actor, body);
    return { webhook_id: webhookId, ...toWireVerifier(body.signature, verifier) };
  },

  async listWebhooks(deps, { actor }) {
    return { webhooks: (await listWebhooks(deps, actor)).map(toWire) };
  },

  async getWebhook(deps, { body, actor }) {
    return toWire(await getWebhook(deps, actor, body.webhook_id));
  },

  async updateWebhook(deps, { body, actor }) {
    const { webhook_id: webhookId, url, description, events, is_enabled: isEnabled } = body;
    await updateWebhook(deps, actor, { webhookId, url, description, events, isEnabled });
    return {};
  },

  async deleteWebhook(deps, { body, actor }) {
    await deleteWebhook(deps, actor, body.webhook_id);
    return {};
  },

  async rotateWebhookSecret(deps, { body, actor }) {
    const { webhook_id: webhookId, expire_former: given } = body;
    const expireFormer = given === undefined || given === 'now' ? given : new Date(given);
    const { signature, verifier, formerUntil } = await rotateWebhookSecret(deps, actor, { webhookId, expireFormer });
    return { ...toWireVerifier(signature, verifier), former_secret_until: formerUntil?.toISOString() ?? null };
  },

  async testWebhook(deps, { body, actor }) {
    return { message_id: await testWebhook(deps, actor, body.webhook_id) };
  },

  async retryWebhook(deps, { body, actor }) {
    const { webhook_id: webhookId, message_id: messageId, from, to } = body;
    const request =
      messageId === undefined
        ? { from: new Date(from ?? 0), to: to === undefined ? undefined : new Date(to) }
        : { messageId };
    return { message_count: await retryWebhook(deps, actor, { webhookId, request }) };
  },

  async listWebhookTries(deps, { body, actor }) {
    const { attempts, next } = await listWebhookAttempts(deps, actor, {
      webhookId: body.webhook_id,
      limit: body.limit,
      before: readCursor(body.cursor) ?? null,
      failedOnly: body.failed_only,
    });
    return {
      tries: attempts.map(({ messageId, type, at, milliseconds, status, answer, error }) => ({
        message_id: messageId,
        type,
        at: at.toISOString(),
        milliseconds,
        status,
        answer,
        error,
      })),
      next_cursor: writeCursor(next),
    };
  },
};

function toWireVerifier(signature: Signature, verifier: string) {
  return signature === 'v1' ? { secret: verifier, public_key: null } : { secret: null, public_key: verifier };
}

function toWire(webhook: ListedWebhook) {
  const { failingSince, disabledAt, nextTryAt, lastTry } = webhook;
  const isFailing = failingSince !== null && disabledAt === null;
  return {
    webhook_id: webhook.webhookId,
    url: webhook.url,
    description: webhook.description,
    events: EVENT_FILTERS.filter((filter) => webhook.events.includes(filter)),
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
