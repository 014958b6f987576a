/** The log of tries. */
import { sql } from 'kysely';
import { clearOldRows } from '../../platform/database/clear-old-rows.ts';
import type { Connection } from '../../platform/database/connect.ts';
import type { QuarantineDeps } from '../../platform/database/quarantine.ts';

/** One attempt to deliver one event, and its result. */
export interface AttemptRecord {
  eventId: number;
  at: Date;
  milliseconds: number;
  /** null: there was no answer. */
  status: number | null;
  answer: string | null;
  /** Why there was no answer. */
  error: string | null;
}

/** Writes tries of one webhook down. */
export async function insertAttempts(
  trx: Connection,
  webhookId: string,
  tries: readonly AttemptRecord[],
): Promise<void> {
  await sql`
    insert into webhook_attempts (workspace_id, webhook_id, event_id, at, milliseconds, status, answer, error)
    select w.workspace_id, w.webhook_id, t.*
    from webhooks w, jsonb_to_recordset(${JSON.stringify(tries.map(toRow))}::jsonb)
      t (event_id bigint, at timestamptz, milliseconds int, status smallint, answer text, error text)
    where w.webhook_id = ${webhookId}`.execute(trx);
}

function toRow({ eventId, at, milliseconds, status, answer, error }: AttemptRecord) {
  // PostgreSQL stores no NUL, and an endpoint may answer with one.
  return { event_id: eventId, at, milliseconds, status, answer: answer?.replaceAll('\0', '\u{fffd}') ?? null, error };
}

/** A try as it is listed. */
export interface ListedAttempt extends AttemptRecord {
  attemptId: number;
  messageId: string;
  type: string;
}

/** Newest first, `limit` at most; those before the try `before`. */
export async function selectAttempts(
  db: Connection,
  webhookId: string,
  { limit, before, failedOnly }: { limit: number; before: number | null; failedOnly: boolean },
): Promise<ListedAttempt[]> {
  const { rows } = await sql<ListedAttempt>`
    select t.attempt_id as "attemptId", t.event_id as "eventId", e.message_id as "messageId", e.type, t.at, t.milliseconds, t.status, t.answer, t.error
    from webhook_attempts t join events e using (event_id)
    where t.webhook_id = ${webhookId} and (${before}::bigint is null or t.attempt_id < ${before})
      and (not ${failedOnly} or t.status is null or t.status not between 200 and 299)
    order by t.attempt_id desc limit ${limit}`.execute(db);
  return rows;
}

/** Removes tries that are over 30 days old. */
export function clearOldWebhookAttempts(deps: QuarantineDeps): Promise<void> {
  const isOld = sql`o.at < campanile_now() - interval '30 days'`;
  return clearOldRows(deps, { table: 'webhook_attempts', owner: 'workspace_id', isOld });
}
