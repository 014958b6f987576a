/** Discards the secrets that no configured key can open, so that an installation works again after its encryption key is lost. */
import { STATE_REASONS } from '../platform/errors/account-states.ts';
import { execute, readRows, type Connection } from '../platform/database/statements.ts';
import { recordAudit } from '../workspaces/audit/record-audit.ts';
import { DEFAULT_MEMBERSHIP } from '../workspaces/members/default-membership.ts';
import type { UserId, WorkspaceId } from '../platform/database/schema.ts';
import { sealPrefixOf, type Vault } from '../platform/secrets/secret-box.ts';
import { queueMail } from '../platform/mail/mail-store.ts';
import { deleteFactor } from '../identity/factors/factor-store.ts';
import { generateSecret } from '../notifications/webhooks/sign.ts';
import { aboutSecret } from '../notifications/webhooks/webhook-store.ts';
import { COMMAND_LINE } from './open-users.ts';

/** In the transaction that records the ids of the keys that go on. Accounts, users and webhooks whose sealed rows all open keep them. */
export async function giveUpSealed(trx: Connection, vault: Vault): Promise<void> {
  const prefixes = vault.keyIds.map((id) => Buffer.from(sealPrefixOf(id), 'hex'));
  await unlinkAccounts(trx, prefixes);
  await removeAuthenticators(trx, prefixes);
  await replaceWebhookSecrets(trx, prefixes, vault);
  await dropMessageSecretKeys(trx, prefixes);
  await dropPushKeys(trx, prefixes);
}

/** Credentials are of use together only. */
async function unlinkAccounts(trx: Connection, prefixes: readonly Buffer[]): Promise<void> {
  await execute(trx)`
    with lost as materialized (
      select distinct account_id from account_keys where substring(sealed for 4) <> all (${prefixes}::bytea[])
    ), gone as (delete from account_keys where account_id in (select account_id from lost))
    update accounts set status = 'logged_out', status_reason = ${STATE_REASONS.key_lost}, status_code = 'key_lost', qr = null, pairing_code = null, passkey = null,
      retry_until = null
    where account_id in (select account_id from lost) and status <> 'unlinked'`;
}

async function removeAuthenticators(trx: Connection, prefixes: readonly Buffer[]): Promise<void> {
  const rows = await readRows<{ factorId: number; userId: UserId; workspaceId: WorkspaceId }>(trx)`
    select f.factor_id as "factorId", f.user_id as "userId", m.workspace_id as "workspaceId"
    from factors f join users u using (user_id) cross join ${DEFAULT_MEMBERSHIP}
    where substring(f.secret for 4) <> all (${prefixes}::bytea[]) and u.deleted_at is null order by f.user_id`;
  for (const { factorId, userId, workspaceId } of rows) {
    // One that was not confirmed yet is none that its owner misses.
    if (!(await deleteFactor(trx, userId, factorId))) continue;
    await recordAudit(trx, {
      userId,
      workspaceId,
      action: 'user.factor_removed',
      subject: 'totp',
      address: COMMAND_LINE,
    });
    await queueMail(trx, { kind: 'factors_changed', userId });
  }
  await execute(trx)`delete from factors where substring(secret for 4) <> all (${prefixes}::bytea[])`;
}

/** Receivers reject the new signatures until the owner creates another secret and gives it to them. */
async function replaceWebhookSecrets(trx: Connection, prefixes: readonly Buffer[], vault: Vault): Promise<void> {
  const rows = await readRows<{ webhookId: string; workspaceId: WorkspaceId; userId: UserId; url: string }>(trx)`
    select webhook_id as "webhookId", workspace_id as "workspaceId", user_id as "userId", url from webhooks
    where substring(secret for 4) <> all (${prefixes}::bytea[])`;
  for (const { webhookId, workspaceId, userId, url } of rows) {
    const sealed = vault.seal(generateSecret(), aboutSecret(webhookId));
    await execute(trx)`update webhooks set secret = ${sealed} where webhook_id = ${webhookId}`;
    const change = { action: 'webhook.secret_rotated', subject: url, address: COMMAND_LINE } as const;
    await recordAudit(trx, { userId, workspaceId, ...change });
  }
  await execute(trx)`
    update webhooks set former_secret = null, former_until = null
    where substring(former_secret for 4) <> all (${prefixes}::bytea[])`;
}

/** The next session of each workspace creates another. Later votes on earlier posts cannot be decrypted. */
async function dropMessageSecretKeys(trx: Connection, prefixes: readonly Buffer[]): Promise<void> {
  await execute(trx)`delete from message_secret_keys where substring(sealed for 4) <> all (${prefixes}::bytea[])`;
}

/** The next start makes others. Browsers that subscribed for these hear nothing any more. */
async function dropPushKeys(trx: Connection, prefixes: readonly Buffer[]): Promise<void> {
  const rows = await readRows(trx)`
    delete from push_keys where substring(private_key for 4) <> all (${prefixes}::bytea[]) returning 1`;
  if (rows.length > 0) await execute(trx)`delete from push_subscriptions`;
}
