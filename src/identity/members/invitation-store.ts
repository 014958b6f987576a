/** The SQL of invitations to a workspace. */
import { sql } from 'kysely';
import { clearOldRows } from '../../platform/database/clear-old-rows.ts';
import type { Connection } from '../../platform/database/connect.ts';
import type { QuarantineDeps } from '../../platform/database/quarantine.ts';
import type { InvitedRole, UserId, WorkspaceId } from '../../platform/database/schema.ts';

export interface WorkspaceInvitation {
  invitationId: number;
  role: InvitedRole;
  /** null: a link for anybody. */
  email: string | null;
  /** null: the inviter is gone. */
  invitedBy: string | null;
  createdAt: Date;
  expiresAt: Date;
}

/** The secret of an invitation: the mail whose code it is, or the SHA-256 of a token. */
export type InvitationSecret = { mailId: string } | { tokenHash: Buffer };

const VALID_DAYS = 7;

export async function insertInvitation(
  trx: Connection,
  invitation: {
    workspaceId: WorkspaceId;
    role: InvitedRole;
    email: string | null;
    invitedBy: UserId;
    secret: InvitationSecret;
  },
): Promise<{ invitationId: number; expiresAt: Date }> {
  const { workspaceId, role, email, invitedBy, secret } = invitation;
  const [mailId, tokenHash] = 'mailId' in secret ? [secret.mailId, null] : [null, secret.tokenHash];
  const { rows } = await sql<{ invitationId: number; expiresAt: Date }>`
    insert into invitations (workspace_id, role, email, mail_id, token_hash, invited_by, expires_at)
    values (${workspaceId}, ${role}, ${email}, ${mailId}, ${tokenHash}, ${invitedBy}, campanile_now() + ${VALID_DAYS} * interval '1 day')
    returning invitation_id as "invitationId", expires_at as "expiresAt"`.execute(trx);
  const [made] = rows;
  if (!made) throw new Error('an invitation was not written');
  return made;
}

/** Newest first. */
export async function selectInvitations(db: Connection, workspaceId: WorkspaceId): Promise<WorkspaceInvitation[]> {
  const { rows } = await sql<WorkspaceInvitation>`
    select i.invitation_id as "invitationId", i.role, i.email, u.user_name as "invitedBy", i.created_at as "createdAt",
           i.expires_at as "expiresAt"
    from invitations i left join users u on u.user_id = i.invited_by and u.deleted_at is null
    where i.workspace_id = ${workspaceId} and i.expires_at > campanile_now()
    order by i.invitation_id desc`.execute(db);
  return rows;
}

export async function countInvitations(db: Connection, workspaceId: WorkspaceId): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from invitations
    where workspace_id = ${workspaceId} and expires_at > campanile_now()`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Ends an invitation, and its mail if that was not sent yet. False when the workspace has none with this id. */
export async function deleteInvitation(
  trx: Connection,
  workspaceId: WorkspaceId,
  invitationId: number,
): Promise<boolean> {
  const { rows } = await sql<{ mailId: string | null }>`
    delete from invitations where workspace_id = ${workspaceId} and invitation_id = ${invitationId}
    returning mail_id as "mailId"`.execute(trx);
  await dropMails(trx, rows);
  return rows.length > 0;
}

/** Ends the pending invitations to an address, in any case. */
export async function deleteInvitationsTo(trx: Connection, workspaceId: WorkspaceId, email: string): Promise<void> {
  const { rows } = await sql<{ mailId: string | null }>`
    delete from invitations where workspace_id = ${workspaceId} and lower(email) = lower(${email})
    returning mail_id as "mailId"`.execute(trx);
  await dropMails(trx, rows);
}

async function dropMails(trx: Connection, ended: ReadonlyArray<{ mailId: string | null }>): Promise<void> {
  const mailIds = ended.flatMap(({ mailId }) => mailId ?? []);
  if (mailIds.length > 0) await sql`delete from mails where mail_id = any(${mailIds}::uuid[])`.execute(trx);
}

const IS_OF = (secret: InvitationSecret) =>
  'mailId' in secret ? sql`mail_id = ${secret.mailId}` : sql`token_hash = ${secret.tokenHash}`;

/** The workspace of a valid invitation; undefined for one that is unknown, used, revoked or expired. */
export async function findInvited(
  db: Connection,
  secret: InvitationSecret,
): Promise<{ workspaceId: WorkspaceId } | undefined> {
  const { rows } = await sql<{ workspaceId: WorkspaceId }>`
    select workspace_id as "workspaceId" from invitations
    where ${IS_OF(secret)} and expires_at > campanile_now()`.execute(db);
  return rows[0];
}

/** Uses an invitation up: of two at once one gets it. */
export async function consumeInvitation(
  trx: Connection,
  secret: InvitationSecret,
): Promise<{ invitationId: number; role: InvitedRole } | undefined> {
  const { rows } = await sql<{ invitationId: number; role: InvitedRole }>`
    delete from invitations where ${IS_OF(secret)} and expires_at > campanile_now()
    returning invitation_id as "invitationId", role`.execute(trx);
  return rows[0];
}

export function clearExpiredInvitations(deps: QuarantineDeps): Promise<void> {
  const isOld = sql`o.expires_at <= campanile_now()`;
  return clearOldRows(deps, { table: 'invitations', owner: 'workspace_id', isOld });
}
