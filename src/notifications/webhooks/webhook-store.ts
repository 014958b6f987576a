/** The SQL of webhooks, as their owners see them. */
import { readRow, readRows, sql, type Connection } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { AppError, fieldError } from '../../platform/errors/errors.ts';
import type { AttemptRecord } from './attempt-store.ts';
import type { Signature } from './sign.ts';

export interface Webhook {
  webhookId: string;
  url: string;
  description: string;
  events: string[];
  signature: Signature;
  /** Sealed. */
  secret: Buffer;
  /** Until when the secret before is good, too; null: there is none. */
  formerSecretUntil: Date | null;
  createdAt: Date;
  /** Whether events wait for delivery. */
  isBehind: boolean;
  /** Its last answer took over 2 s: it shares the permits of slow endpoints. */
  isSlow: boolean;
  /** The time since which every attempt has failed. */
  failingSince: Date | null;
  nextTryAt: Date;
  disabledAt: Date | null;
  disabledReason: 'by_owner' | 'gone' | 'failing' | null;
}

const COLUMNS = sql`
  webhook_id as "webhookId", url, description, events, signature, secret,
  case when former_until > campanile_now() then former_until end as "formerSecretUntil", created_at as "createdAt",
  newest > position or has_retries as "isBehind", is_slow as "isSlow", failing_since as "failingSince", next_try_at as "nextTryAt",
  disabled_at as "disabledAt", disabled_reason as "disabledReason"`;

/** The last delivery attempt of a webhook, and its result. `status` is null without an answer; `error` then says why. */
export type LastTry = Pick<AttemptRecord, 'at' | 'milliseconds' | 'status' | 'error'>;

export interface StoredWebhook extends Webhook {
  /** Null without an attempt within 30 days. */
  lastTry: LastTry | null;
}

/** Returns the webhooks of a workspace, oldest first, or only the one with the id. */
export async function selectWebhooks(db: Connection, workspaceId: WorkspaceId, webhookId?: string) {
  const rows = await readRows<Webhook & { lastTry: (Omit<LastTry, 'at'> & { at: string }) | null }>(db)`
    select ${COLUMNS},
      (select jsonb_build_object('at', t.at, 'milliseconds', t.milliseconds, 'status', t.status, 'error', t.error)
       from webhook_attempts t where t.webhook_id = webhooks.webhook_id order by t.attempt_id desc limit 1) as "lastTry"
    from webhooks where workspace_id = ${workspaceId} and (${webhookId ?? null}::uuid is null or webhook_id = ${webhookId ?? null}::uuid)
    order by created_at, webhook_id`;
  return rows.map(({ lastTry, ...webhook }) => ({
    ...webhook,
    lastTry: lastTry && { ...lastTry, at: new Date(lastTry.at) },
  }));
}

/** Locks it until the transaction ends. Throws `not_found` for one that is not the workspace's, whether it exists or not. */
export async function lockWebhook(trx: Connection, workspaceId: WorkspaceId, webhookId: string): Promise<Webhook> {
  const row = await readRow<Webhook>(trx)`
    select ${COLUMNS} from webhooks where workspace_id = ${workspaceId} and webhook_id = ${webhookId} for update`;
  return row ?? noSuchWebhook();
}

/** Throws. */
export function noSuchWebhook(): never {
  throw new AppError('webhook_not_found', 'You have no webhook with this id', {
    details: [fieldError('webhook_id', 'unknown_id', { of: 'webhooks' })],
  });
}

/** The additional data of a webhook's sealed secret. */
export function aboutSecret(webhookId: string): string {
  return `webhook ${webhookId}`;
}
