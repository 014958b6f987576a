import { execute, readRows, sql, type Connection, type Database } from '../../platform/database/statements.ts';
import { diffValues } from '../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { TEST_EVENT } from '../../workspaces/events/event-types.ts';
import { writeEvent } from '../../workspaces/events/write-event.ts';
import { AppError, fieldError } from '../../platform/errors/errors.ts';
import type { ListedAttempt } from './attempt-store.ts';
import { lockWebhook, noSuchWebhook, selectWebhooks, type Webhook } from './webhook-store.ts';

/** The most messages of one replay. */
const RETRIES_LIMIT = 10_000;

/** The events to replay: one message, or the events of a time span, end excluded. Without `to`, all until now. */
export type ReplayRequest = { messageId: string } | { from: Date; to: Date | undefined };

/**
 * Replays events of the last 30 days that a webhook was sent or has missed: before new events, with the same ids. Returns their number.
 * Throws `not_found`, and `conflict` when there is no such event, there are too many, or the webhook is disabled.
 */
export async function retryWebhook(
  { db }: { db: Database },
  actor: Actor,
  { webhookId, request }: { webhookId: string; request: ReplayRequest },
): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const webhook = requireEnabled(await lockWebhook(trx, actor.workspaceId, webhookId));
    const rows = await readRows<{ event_id: number }>(trx)`
      select event_id from events
      where workspace_id = ${actor.workspaceId} and ${
        'messageId' in request
          ? sql`message_id = ${request.messageId} and (matches_event_filter(${webhook.events}::text[], type)
                or exists (select from webhook_attempts t where t.webhook_id = ${webhookId} and t.event_id = events.event_id))`
          : sql`at >= ${request.from} and at < coalesce(${request.to ?? null}::timestamptz, 'infinity') and matches_event_filter(${webhook.events}::text[], type)
                and position <= (select position from webhooks w where w.webhook_id = ${webhookId})`
      }
      order by event_id limit ${RETRIES_LIMIT + 1}`;
    if (rows.length === 0 && 'messageId' in request)
      throw new AppError('webhook_message_not_found', 'The webhook has no message with this id', {
        details: [fieldError('message_id', 'unknown_message')],
      });
    if (rows.length === 0)
      throw new AppError('webhook_nothing_to_retry', 'The webhook has no message in this span of time');
    if (rows.length > RETRIES_LIMIT)
      throw new AppError(
        'webhook_retry_too_large',
        `The span of time has more than ${RETRIES_LIMIT} messages. Choose a shorter one.`,
      );
    await queueRetries(
      trx,
      webhookId,
      rows.map((row) => row.event_id),
    );
    const changes = diffValues({}, { messages: rows.length });
    await recordAudit(trx, { ...actor, action: 'webhook.replayed', subject: webhook.url, changes });
    return rows.length;
  });
}

/** Sends a webhook a test message. Returns its id; the log of attempts shows the result. */
export async function testWebhook({ db }: { db: Database }, actor: Actor, webhookId: string): Promise<string> {
  return db.transaction().execute(async (trx) => {
    const { url } = requireEnabled(await lockWebhook(trx, actor.workspaceId, webhookId));
    const data = { webhook_id: webhookId };
    const { eventId, messageId } = await writeEvent(trx, { ...actor, type: TEST_EVENT, data });
    await queueRetries(trx, webhookId, [eventId]);
    await recordAudit(trx, { ...actor, action: 'webhook.tested', subject: url });
    return messageId;
  });
}

/** The log of attempts, newest first. `next` is where the next page begins; null: this was the last. */
export async function listWebhookAttempts(
  { db }: { db: Database },
  { workspaceId }: Actor,
  {
    webhookId,
    limit,
    before,
    failedOnly,
  }: { webhookId: string; limit: number; before: number | null; failedOnly: boolean },
): Promise<{ attempts: ListedAttempt[]; next: number | null }> {
  const [own] = await selectWebhooks(db, workspaceId, webhookId);
  if (!own) return noSuchWebhook();
  const found = await readRows<ListedAttempt>(db)`
    select t.attempt_id as "attemptId", t.event_id as "eventId", e.message_id as "messageId", e.type, t.at, t.milliseconds, t.status, t.answer, t.error
    from webhook_attempts t join events e using (event_id)
    where t.webhook_id = ${webhookId} and (${before}::bigint is null or t.attempt_id < ${before})
      and (not ${failedOnly} or t.status is null or t.status not between 200 and 299)
    order by t.attempt_id desc limit ${limit + 1}`;
  const attempts = found.slice(0, limit);
  return { attempts, next: found.length > limit ? (attempts.at(-1)?.attemptId ?? null) : null };
}

function requireEnabled(webhook: Webhook): Webhook {
  if (webhook.disabledAt) throw new AppError('webhook_disabled', 'The webhook is disabled. Enable it first.');
  return webhook;
}

/** A failing webhook is tried at once, too: its owner has just looked at it. */
async function queueRetries(trx: Connection, webhookId: string, eventIds: number[]): Promise<void> {
  await execute(trx)`
    insert into webhook_retries (webhook_id, event_id) select ${webhookId}, unnest(${eventIds}::bigint[])
    on conflict do nothing`;
  await execute(
    trx,
  )`update webhooks set has_retries = true, next_try_at = campanile_now() where webhook_id = ${webhookId}`;
}
