import type { Database } from '../../../platform/database/connect.ts';
import { listWebhookAttempts } from '../../../notifications/webhooks/retry-webhook.ts';
import { listWebhookTriesBody, listWebhookTriesData } from '../../contract/webhooks.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function listWebhookTriesOperation(deps: { db: Database }): Operation {
  return defineOperation({
    path: '/api/v1/venom/list-webhook-tries',
    access: 'bearer',
    scope: 'read',
    tag: 'Webhooks',
    summary: 'See what came of telling a webhook',
    description: 'Newest first; kept for 30 days.',
    body: listWebhookTriesBody,
    data: listWebhookTriesData,
    errors: [404],
    async handle({ body, actor }) {
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
  });
}
