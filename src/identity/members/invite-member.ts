import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { InvitedRole, WorkspaceId } from '../../platform/database/schema.ts';
import { AppError, fieldError } from '../../platform/errors/errors.ts';
import { queueMail } from '../../platform/mail/mail-store.ts';
import { generateToken, hashSecret } from '../../platform/secrets/hash-secret.ts';
import type { UserDependencies } from '../dependencies.ts';
import { INVITATIONS_PER_WORKSPACE } from '../mail-limits.ts';
import { countAttempts } from '../sign-in/brute-force-limit.ts';
import { findUser } from '../store.ts';
import { userGoneError } from '../get-profile.ts';
import { IS_VALID } from './invitation-store.ts';
import { lockWorkspaceOf } from './member-store.ts';
import { execute, readColumn, readCount, readOne, sql, type RawBuilder } from '../../platform/database/statements.ts';
import type { Connection } from '../../platform/database/statements.ts';

/** Pending invitations of a workspace. */
export const INVITATIONS_LIMIT = 100;
const VALID_DAYS = 7;

type InviteDeps = Pick<UserDependencies, 'db' | 'hasMail'>;

export interface MemberInvitation {
  role: InvitedRole;
  /** Undefined: a link for anybody who gets it. */
  email: string | undefined;
}

/**
 * Invites a person to the actor's workspace, with a role that stays fixed. The invitation works once, within 7 days. By mail if there are
 * an address and a mail server; otherwise the code is returned, for the actor to pass on. Another invitation to the same address replaces
 * it. Throws `rate_limited` after 20 an hour, `conflict` at the 101st pending one and for a former owner.
 */
export async function inviteMember(
  { db, hasMail }: InviteDeps,
  actor: Actor,
  { role, email }: MemberInvitation,
): Promise<{ invitationId: number; expiresAt: Date; code?: string }> {
  await countAttempts(db, [{ limit: INVITATIONS_PER_WORKSPACE, key: String(actor.workspaceId) }]);
  return db.transaction().execute(async (trx) => {
    const workspace = await lockWorkspaceOf(trx, actor);
    const { workspaceId, userId: invitedBy } = actor;
    if (email !== undefined) await endInvitations(trx, workspaceId, sql`lower(email) = lower(${email})`);
    const pending = await readCount(trx)`
      select count(*) from invitations i where i.workspace_id = ${workspaceId} and ${IS_VALID}`;
    if (pending >= INVITATIONS_LIMIT)
      throw new AppError(
        'invitation_limit_reached',
        `The workspace has ${INVITATIONS_LIMIT} pending invitations, the most there can be. Revoke one first.`,
        { limit: INVITATIONS_LIMIT },
      );
    const mailId = email !== undefined && hasMail ? await queueInvitation(trx, actor, email, workspace.name) : null;
    const code = mailId === null ? generateToken() : undefined;
    const tokenHash = code === undefined ? null : hashSecret(code);
    const written = await readOne<{ invitationId: number; expiresAt: Date }>(trx)`
      insert into invitations (workspace_id, role, email, mail_id, token_hash, invited_by, expires_at)
      values (${workspaceId}, ${role}, ${email ?? null}, ${mailId}, ${tokenHash}, ${invitedBy}, campanile_now() + ${VALID_DAYS} * interval '1 day')
      returning invitation_id as "invitationId", expires_at as "expiresAt"`;
    // By its id: an address would outlive the person whose it is.
    const subject = String(written.invitationId);
    await recordAudit(trx, { ...actor, action: 'member.invited', subject, givenRole: role });
    return { ...written, ...(code !== undefined && { code }) };
  });
}

async function queueInvitation(trx: Connection, actor: Actor, recipient: string, workspace: string): Promise<string> {
  const inviter = await findUser(trx, actor.userId);
  if (!inviter) throw userGoneError();
  const detail = [inviter.userName, workspace].join('\n');
  return queueMail(trx, { kind: 'workspace_invitation', recipient, invitedBy: actor.userId, detail });
}

/** Revokes a pending invitation of the actor's workspace. Throws `not_found` when there is none with this id. */
export async function revokeInvitation(
  { db }: Pick<UserDependencies, 'db'>,
  actor: Actor,
  invitationId: number,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockWorkspaceOf(trx, actor);
    if (!(await endInvitations(trx, actor.workspaceId, sql`invitation_id = ${invitationId}`)))
      throw new AppError('workspace_invitation_not_found', 'The workspace has no pending invitation with this id', {
        details: [fieldError('invitation_id', 'unknown_id', { of: 'invitations' })],
      });
    await recordAudit(trx, { ...actor, action: 'member.invitation_revoked', subject: String(invitationId) });
  });
}

/** Ends pending invitations, with their mails that were not sent yet. Returns whether there was one. */
async function endInvitations(trx: Connection, workspaceId: WorkspaceId, isOne: RawBuilder<unknown>): Promise<boolean> {
  const ended = await readColumn<string | null>(trx)`
    delete from invitations where workspace_id = ${workspaceId} and ${isOne} returning mail_id`;
  const mailIds = ended.filter((mailId) => mailId !== null);
  if (mailIds.length > 0) await execute(trx)`delete from mails where mail_id = any(${mailIds}::uuid[])`;
  return ended.length > 0;
}
