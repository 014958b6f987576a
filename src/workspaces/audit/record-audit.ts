import { execute, readRow } from '../../platform/database/statements.ts';
import type { Connection } from '../../platform/database/connect.ts';
import type { Role, UserId, WorkspaceId } from '../../platform/database/schema.ts';
import { joinChanges, type Change } from './diff-values.ts';

/** The caller, their workspace and their address, determined once per request. */
export interface Actor {
  userId: UserId;
  /** The workspace whose rows are accessed. Everything that is not about the person is looked up by it alone. */
  workspaceId: WorkspaceId;
  role: Role;
  /** The client's address; behind a proxy the one that the proxy reports. */
  address: string;
  /** Set when the request came with an API key. */
  apiKeyId?: number | undefined;
}

/** The audited actions, with their wire names: object, then verb. */
export type AuditAction =
  | 'user.signed_up'
  | 'user.signed_in'
  | 'user.sign_in_failed'
  | 'user.signed_out'
  | 'user.password_changed'
  | 'user.tokens_revoked'
  | 'user.profile_changed'
  | 'user.email_verified'
  | 'user.password_reset'
  | 'user.invited'
  | 'user.disabled'
  | 'user.enabled'
  | 'user.deleted'
  | 'user.factor_added'
  | 'user.factor_removed'
  | 'user.factors_reset'
  | 'user.made_admin'
  | 'secrets.rotated'
  | 'secrets.given_up'
  | 'ledger.released'
  | 'user.recovery_codes_renewed'
  | 'member.invited'
  | 'member.invitation_revoked'
  | 'member.joined'
  | 'member.role_changed'
  | 'member.removed'
  | 'member.left'
  | 'workspace.created'
  | 'workspace.renamed'
  | 'workspace.changed'
  | 'workspace.handed_over'
  | 'approval.rules_changed'
  | 'approval.asked'
  | 'approval.approved'
  | 'approval.sent_back'
  | 'approval.rejected'
  | 'approval.withdrawn'
  | 'approval.remarked'
  | 'api_key.created'
  | 'api_key.revoked'
  | 'account.added'
  | 'account.changed'
  | 'account.handed_over'
  | 'account.simulated'
  | 'account.linking'
  | 'account.number_changed'
  | 'account.removed'
  | 'account.resumed'
  | 'account.unlinked'
  | 'campaign.accepted'
  | 'campaign.paused'
  | 'campaign.resumed'
  | 'campaign.cancelled'
  | 'campaign.recalled'
  | 'campaign.corrected'
  | 'campaign.pinned'
  | 'campaign.unpinned'
  | 'campaign.retried'
  | 'campaign.deleted'
  | 'campaign.updated'
  | 'campaign.rescheduled'
  | 'draft.created'
  | 'draft.changed'
  | 'draft.deleted'
  | 'media.uploaded'
  | 'media.changed'
  | 'media.deleted'
  | 'group.created'
  | 'community.created'
  | 'channel.created'
  | 'group_list.saved'
  | 'group_list.deleted'
  | 'senders.set'
  | 'report.shared'
  | 'report.revoked'
  | 'webhook.created'
  | 'webhook.updated'
  | 'webhook.deleted'
  | 'webhook.secret_rotated'
  | 'webhook.tested'
  | 'webhook.replayed'
  | 'webhook.switched_off';

export interface AuditEntry extends Omit<Actor, 'role'> {
  action: AuditAction;
  /** The target of the action, as a short text: a campaign's id, or the name of a key or a group. */
  subject: string;
  /** The role that a member was given, or is invited to. */
  givenRole?: Role;
  /** The role that the member had before. */
  formerRole?: Role;
  /** What the action changed; never a secret. */
  changes?: readonly Change[];
}

/**
 * Writes an entry into the workspace's audit log (contract §4). Call it in the transaction of the action, so that both are committed or
 * neither.
 */
export async function recordAudit(trx: Connection, entry: AuditEntry): Promise<void> {
  const { workspaceId, userId, action, subject, address, apiKeyId = null, givenRole = null, formerRole = null } = entry;
  await execute(trx)`
    insert into audit_log (workspace_id, user_id, action, subject, address, api_key_id, given_role, former_role, changes)
    values (${workspaceId}, ${userId}, ${action}, ${subject}, ${address}, ${apiKeyId}, ${givenRole}, ${formerRole},
            ${storeChanges(entry.changes)})`;
}

/** Saves of one draft by one person within this time are one entry: editors save every few seconds. */
const JOINED_MINUTES = 10;

/**
 * As `recordAudit`, for an action that is repeated while a person works. Changes the latest entry instead if it is of the same person,
 * action and subject, and not older than 10 minutes: it then has the first values before and the last ones after.
 */
export async function recordRepeatedAudit(trx: Connection, entry: AuditEntry): Promise<void> {
  const latest = await readRow<{ entryId: number; changes: Change[] | null }>(trx)`
    select entry_id as "entryId", changes from audit_log
    where workspace_id = ${entry.workspaceId} and at > campanile_now() - ${JOINED_MINUTES} * interval '1 minute'
      and user_id = ${entry.userId} and action = ${entry.action} and subject = ${entry.subject}
      and api_key_id is not distinct from ${entry.apiKeyId ?? null}::bigint
    order by at desc, entry_id desc limit 1`;
  if (!latest) return recordAudit(trx, entry);
  const changes = storeChanges(joinChanges(latest.changes ?? [], entry.changes ?? []));
  await execute(trx)`update audit_log set changes = ${changes}::jsonb where entry_id = ${latest.entryId}`;
}

function storeChanges(changes: readonly Change[] | undefined): string | null {
  return changes === undefined || changes.length === 0 ? null : JSON.stringify(changes);
}
