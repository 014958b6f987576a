/** The SQL of invitations to a workspace. */
import { readRow, readRows, sql, type RawBuilder, type Connection } from '../../platform/database/statements.ts';
import { clearOldRows } from '../../platform/database/clear-old-rows.ts';
import type { QuarantineDeps } from '../../platform/database/quarantine.ts';
import type { InvitedRole, WorkspaceId } from '../../platform/database/schema.ts';
import { PERSON_NAME } from '../../workspaces/members/person-name.ts';
import { WORKSPACE_NAME } from './member-store.ts';

export interface WorkspaceInvitation {
  invitationId: number;
  role: InvitedRole;
  /** null: a link for anybody. */
  email: string | null;
  invitedBy: string;
  createdAt: Date;
  expiresAt: Date;
}

/** An invitation as the person sees it who has its code. */
export interface Invited extends Omit<WorkspaceInvitation, 'invitationId' | 'createdAt'> {
  workspaceId: WorkspaceId;
  workspaceName: string;
  /** First and last name. */
  invitedBy: string;
  /** The code went to `email` alone: who has it reads that mailbox. */
  wasMailed: boolean;
}

/**
 * The condition that the invitation `i` is valid: for a time, and while its maker `u` is a member who may sign in. A person who was
 * removed may have kept a code.
 */
export const IS_VALID = sql`i.expires_at > campanile_now() and exists (
  select from memberships m join users u using (user_id)
  where m.workspace_id = i.workspace_id and m.user_id = i.invited_by and u.deleted_at is null and u.disabled_at is null)`;

/** Newest first. */
export async function selectInvitations(db: Connection, workspaceId: WorkspaceId): Promise<WorkspaceInvitation[]> {
  return readRows<WorkspaceInvitation>(db)`
    select i.invitation_id as "invitationId", i.role, i.email, u.user_name as "invitedBy", i.created_at as "createdAt",
           i.expires_at as "expiresAt"
    from invitations i join users u on u.user_id = i.invited_by
    where i.workspace_id = ${workspaceId} and ${IS_VALID}
    order by i.invitation_id desc`;
}

/** A valid invitation; undefined for one that is unknown, used, revoked or expired, or whose maker is gone. */
export async function findInvited(db: Connection, isOne: RawBuilder<unknown>): Promise<Invited | undefined> {
  return readRow<Invited>(db)`
    select i.workspace_id as "workspaceId", ${WORKSPACE_NAME} as "workspaceName", i.role,
           ${PERSON_NAME} as "invitedBy", i.email,
           i.mail_id is not null as "wasMailed", i.expires_at as "expiresAt"
    from invitations i join workspaces w using (workspace_id) join users u on u.user_id = i.invited_by
    where ${isOne} and ${IS_VALID}`;
}

export function clearExpiredInvitations(deps: QuarantineDeps): Promise<void> {
  const isOld = sql`o.expires_at <= campanile_now()`;
  return clearOldRows(deps, { table: 'invitations', owner: 'workspace_id', isOld });
}
