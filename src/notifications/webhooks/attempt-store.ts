/** The log of tries. */
import { execute, type Connection } from '../../platform/database/statements.ts';

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
export async function insertAttempts(trx: Connection, webhookId: string, tries: readonly AttemptRecord[]) {
  await execute(trx)`
    insert into webhook_attempts (workspace_id, webhook_id, event_id, at, milliseconds, status, answer, error)
    select w.workspace_id, w.webhook_id, t.*
    from webhooks w, jsonb_to_recordset(${JSON.stringify(tries.map(toRow))}::jsonb)
      t (event_id bigint, at timestamptz, milliseconds int, status smallint, answer text, error text)
    where w.webhook_id = ${webhookId}`;
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
