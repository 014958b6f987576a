/** The owners' operations on their webhooks (contract §4). Each throws `not_found` for a webhook that is not the workspace's. */
import { randomUUID } from 'node:crypto';
import { execute, readOne, readCount, type Connection, type Database } from '../../platform/database/statements.ts';
import { diffValues } from '../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { Egress } from '../../platform/http-client/safe-http-client.ts';
import type { EventFilter } from '../../workspaces/events/event-types.ts';
import { AppError, invalid, fieldError } from '../../platform/errors/errors.ts';
import { resealColumn } from '../../platform/secrets/sealed-columns.ts';
import type { Vault } from '../../platform/secrets/secret-box.ts';
import { generateSecret, verifierOf, type Signature } from './sign.ts';
import { aboutSecret, lockWebhook, noSuchWebhook, selectWebhooks, type StoredWebhook } from './webhook-store.ts';

/** A workspace has at most so many. */
const WEBHOOKS_LIMIT = 20;
/** How long the former secret stays valid beside a new one: by default, and at most. */
const FORMER_HOURS = 24;
const FORMER_DAYS_LIMIT = 7;

export interface WebhookDeps {
  db: Database;
  vault: Vault;
  egress: Pick<Egress, 'requireUrl'>;
}

export interface WebhookInput {
  url: string;
  description: string;
  events: readonly EventFilter[];
  signature: Signature;
}

/** A webhook as it is listed: of `v1a` with the key that verifies; a secret is shown when it is made, and never again. */
export type ListedWebhook = Omit<StoredWebhook, 'secret'> & { publicKey: string | null };

/**
 * Creates a webhook for events from now on. Returns the receiver's key for verification. Throws `invalid` on `url`, `conflict` at the
 * 21st.
 */
export async function createWebhook(
  { db, vault, egress }: WebhookDeps,
  actor: Actor,
  { url, description, events, signature }: WebhookInput,
): Promise<{ webhookId: string; verifier: string }> {
  egress.requireUrl('url', url);
  const webhookId = randomUUID();
  const secret = generateSecret();
  await db.transaction().execute(async (trx) => {
    const { workspaceId, userId } = actor;
    // Two webhooks cannot be counted beside each other then.
    await execute(trx)`select from workspaces where workspace_id = ${workspaceId} for no key update`;
    const count = await readCount(trx)`select count(*) from webhooks where workspace_id = ${workspaceId}`;
    if (count >= WEBHOOKS_LIMIT)
      throw new AppError(
        'webhook_limit_reached',
        `You have reached the limit of ${WEBHOOKS_LIMIT} webhooks. Delete one first.`,
      );
    await execute(trx)`
      insert into webhooks (webhook_id, workspace_id, user_id, url, description, events, signature, secret, position, newest)
      select ${webhookId}, ${workspaceId}, ${userId}, ${url}, ${description}, ${[...new Set(events)]}::text[], ${signature},
             ${vault.seal(secret, aboutSecret(webhookId))}, position, position from event_sequence`;
    const changes = diffValues({}, { events: [...new Set(events)] });
    await recordAudit(trx, { ...actor, action: 'webhook.created', subject: url, changes });
  });
  return { webhookId, verifier: verifierOf(signature, secret) };
}

export async function listWebhooks(
  { db, vault }: Pick<WebhookDeps, 'db' | 'vault'>,
  { workspaceId }: Actor,
): Promise<ListedWebhook[]> {
  const webhooks = await selectWebhooks(db, workspaceId);
  return webhooks.map((webhook) => withoutSecret(vault, webhook));
}

export async function getWebhook(
  { db, vault }: Pick<WebhookDeps, 'db' | 'vault'>,
  { workspaceId }: Actor,
  webhookId: string,
): Promise<ListedWebhook> {
  const [webhook] = await selectWebhooks(db, workspaceId, webhookId);
  return webhook ? withoutSecret(vault, webhook) : noSuchWebhook();
}

function withoutSecret(vault: Vault, { secret, ...webhook }: StoredWebhook): ListedWebhook {
  const { signature, webhookId } = webhook;
  return {
    ...webhook,
    publicKey: signature === 'v1a' ? verifierOf('v1a', vault.open(secret, aboutSecret(webhookId))) : null,
  };
}

export interface WebhookChange {
  url?: string | undefined;
  description?: string | undefined;
  events?: readonly EventFilter[] | undefined;
  isEnabled?: boolean | undefined;
}

/** Changes the given fields. A webhook that is enabled again continues where it stopped, with the events of the last 30 days. */
export async function updateWebhook(
  { db, egress }: Pick<WebhookDeps, 'db' | 'egress'>,
  actor: Actor,
  { webhookId, url, description, events, isEnabled }: WebhookChange & { webhookId: string },
): Promise<void> {
  if (url !== undefined) egress.requireUrl('url', url);
  await db.transaction().execute(async (trx) => {
    const webhook = await lockWebhook(trx, actor.workspaceId, webhookId);
    await execute(trx)`
      update webhooks
      set url = ${url ?? webhook.url}, description = ${description ?? webhook.description},
          events = ${events ? [...new Set(events)] : webhook.events}::text[]
      where webhook_id = ${webhookId}`;
    if (isEnabled === true && webhook.disabledAt)
      await execute(trx)`
        update webhooks set disabled_at = null, disabled_reason = null, failing_since = null, next_try_at = campanile_now()
        where webhook_id = ${webhookId}`;
    if (isEnabled === false && !webhook.disabledAt)
      await execute(trx)`
        update webhooks set disabled_at = campanile_now(), disabled_reason = 'by_owner' where webhook_id = ${webhookId}`;
    const before = {
      url: withoutSecrets(webhook.url),
      description: webhook.description,
      events: webhook.events,
      is_enabled: webhook.disabledAt === null,
    };
    const after = { url: url && withoutSecrets(url), description, events, is_enabled: isEnabled };
    const changes = diffValues(before, after);
    await recordAudit(trx, { ...actor, action: 'webhook.updated', subject: url ?? webhook.url, changes });
  });
}

/** Without the parts that are most likely a password or a key. */
function withoutSecrets(url: string): string {
  const { protocol, host, pathname, search } = new URL(url);
  return `${protocol}//${host}${pathname}${search === '' ? '' : '?…'}`;
}

/** Deletes a webhook with its log of attempts. */
export async function deleteWebhook({ db }: Pick<WebhookDeps, 'db'>, actor: Actor, webhookId: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { url } = await lockWebhook(trx, actor.workspaceId, webhookId);
    await execute(trx)`delete from webhooks where webhook_id = ${webhookId}`;
    await recordAudit(trx, { ...actor, action: 'webhook.deleted', subject: url });
  });
}

/**
 * Creates another secret. Messages are signed with both until the former one expires, so that receivers can switch: after a day, at the
 * given instant, or at once. Throws `invalid` on `expire_former` for an instant that is past or more than 7 days ahead.
 */
export async function rotateWebhookSecret(
  { db, vault }: Pick<WebhookDeps, 'db' | 'vault'>,
  actor: Actor,
  { webhookId, expireFormer }: { webhookId: string; expireFormer?: Date | 'now' | undefined },
): Promise<{ signature: Signature; verifier: string; formerSecretUntil: Date | null }> {
  const secret = generateSecret();
  return db.transaction().execute(async (trx) => {
    const { url, signature, secret: former } = await lockWebhook(trx, actor.workspaceId, webhookId);
    const formerSecretUntil = expireFormer === 'now' ? null : await formerExpiry(trx, expireFormer);
    await execute(trx)`
      update webhooks
      set former_secret = ${formerSecretUntil && former}::bytea, former_until = ${formerSecretUntil}::timestamptz,
          secret = ${vault.seal(secret, aboutSecret(webhookId))}
      where webhook_id = ${webhookId}`;
    await recordAudit(trx, { ...actor, action: 'webhook.secret_rotated', subject: url });
    return { signature, verifier: verifierOf(signature, secret), formerSecretUntil };
  });
}

async function formerExpiry(trx: Connection, given: Date | undefined): Promise<Date> {
  const found = await readOne<{ usual: Date; isPast: boolean; isTooLate: boolean }>(trx)`
    select now + ${FORMER_HOURS} * interval '1 hour' as usual, ${given ?? null}::timestamptz <= now as "isPast",
           ${given ?? null}::timestamptz > now + ${FORMER_DAYS_LIMIT} * interval '1 day' as "isTooLate"
    from (select campanile_now() as now) clock`;
  if (found.isPast) throw invalid([fieldError('expire_former', 'in_past')]);
  if (found.isTooLate) throw invalid([fieldError('expire_former', 'too_far_ahead', { limit: FORMER_DAYS_LIMIT })]);
  return given ?? found.usual;
}

/** Key rotation, as `resealColumn`. */
export async function resealWebhooks(db: Database, vault: Vault): Promise<number> {
  const of = { table: 'webhooks', id: 'webhook_id' };
  const former = await resealColumn(db, vault, { ...of, column: 'former_secret' }, aboutSecret);
  return former + (await resealColumn(db, vault, { ...of, column: 'secret' }, aboutSecret));
}
