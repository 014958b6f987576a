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
    return { webhookId, ...describeVerifier(body.signature, verifier) };
  },

  listWebhooks: async (deps, { actor }) => ({ webhooks: (await listWebhooks(deps, actor)).map(describeWebhook) }),

  getWebhook: async (deps, { body, actor }) => describeWebhook(await getWebhook(deps, actor, body.webhookId)),

  updateWebhook: (deps, { body, actor }) => updateWebhook(deps, actor, body),

  deleteWebhook: (deps, { body, actor }) => deleteWebhook(deps, actor, body.webhookId),

  async rotateWebhookSecret(deps, { body: { webhookId, expireFormer: given }, actor }) {
    const expireFormer = given === undefined || given === 'now' ? given : new Date(given);
    const rotated = await rotateWebhookSecret(deps, actor, { webhookId, expireFormer });
    return { ...rotated, ...describeVerifier(rotated.signature, rotated.verifier) };
  },

  testWebhook: async (deps, { body, actor }) => ({ messageId: await testWebhook(deps, actor, body.webhookId) }),

  async retryWebhook(deps, { body: { webhookId, messageId, from, to }, actor }) {
    const request =
      messageId === undefined
        ? { from: new Date(from ?? 0), to: to === undefined ? undefined : new Date(to) }
        : { messageId };
    return { messageCount: await retryWebhook(deps, actor, { webhookId, request }) };
  },

  async listWebhookTries(deps, { body, actor }) {
    const page = { ...body, before: readCursor(body.cursor) ?? null };
    const { attempts, next } = await listWebhookAttempts(deps, actor, page);
    return { tries: attempts, nextCursor: writeCursor(next) };
  },
};

function describeVerifier(signature: Signature, verifier: string) {
  return signature === 'v1' ? { secret: verifier, publicKey: null } : { secret: null, publicKey: verifier };
}

function describeWebhook(webhook: ListedWebhook) {
  const { failingSince, disabledAt, nextTryAt } = webhook;
  const isFailing = failingSince !== null && disabledAt === null;
  return {
    ...webhook,
    events: EVENT_FILTERS.filter((filter) => webhook.events.includes(filter)),
    status: disabledAt ? ('disabled' as const) : isFailing ? ('failing' as const) : ('active' as const),
    nextTryAt: isFailing ? nextTryAt : null,
  };
}
