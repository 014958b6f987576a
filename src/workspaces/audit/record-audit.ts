import type { Connection } from '../../platform/database/connect.ts';
import type { Role, UserId, WorkspaceId } from '../../platform/database/schema.ts';

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
  | 'workspace.renamed'
  | 'workspace.handed_over'
  | 'approval.rules_changed'
  | 'approval.asked'
  | 'approval.approved'
  | 'approval.sent_back'
  | 'approval.rejected'
  | 'approval.withdrawn'
  | 'api_key.created'
  | 'api_key.revoked'
  | 'account.changed'
  | 'account.linking'
  | 'account.number_changed'
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
  | 'group.created'
  | 'community.created'
  | 'channel.created'
  | 'group_list.saved'
  | 'group_list.deleted'
  | 'report.shared'
  | 'report.revoked'
  | 'webhook.created'
  | 'webhook.updated'
  | 'webhook.deleted'
  | 'webhook.secret_rotated'
  | 'webhook.switched_off';

export interface AuditEntry extends Omit<Actor, 'role'> {
  action: AuditAction;
  /** The target of the action, as a short text: a campaign's id, or the name of a key or a group. */
  subject: string;
  /** The role that a member was given, or is invited to. */
  givenRole?: Role;
  /** The role that the member had before. */
  formerRole?: Role;
}

/**
 * Writes an entry into the workspace's audit log (contract §4). Call it in the transaction of the action, so that both are committed or
 * neither.
 */
export async function recordAudit(trx: Connection, entry: AuditEntry): Promise<void> {
  await trx
    .insertInto('audit_log')
    .values({
      workspace_id: entry.workspaceId,
      user_id: entry.userId,
      action: entry.action,
      subject: entry.subject,
      address: entry.address,
      api_key_id: entry.apiKeyId ?? null,
      given_role: entry.givenRole ?? null,
      former_role: entry.formerRole ?? null,
    })
    .execute();
}
