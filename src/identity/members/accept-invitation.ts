import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { Connection } from '../../platform/database/connect.ts';
import type { InvitedRole, WorkspaceId } from '../../platform/database/schema.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { hashSecret } from '../../platform/secrets/hash-secret.ts';
import type { UserDependencies } from '../dependencies.ts';
import { userGoneError } from '../get-profile.ts';
import { badCode } from '../mail-codes.ts';
import { ACCEPTED_INVITATIONS_PER_USER } from '../mail-limits.ts';
import { countAttempts } from '../sign-in/brute-force-limit.ts';
import { lockUser } from '../store.ts';
import { consumeInvitation, findInvited, type InvitationSecret } from './invitation-store.ts';
import { countMembers, countMemberships, findRole, insertMember, lockWorkspace } from './member-store.ts';

/** Members of a workspace, its owner included. */
export const MEMBERS_LIMIT = 100;
/** Workspaces of a person: the list is read with nearly every request. */
export const MEMBERSHIPS_LIMIT = 50;

type AcceptDeps = Pick<UserDependencies, 'db' | 'links' | 'tokenStates'>;

/**
 * Makes the actor a member of the workspace that a code invites to, with the role of the invitation. Whoever has the code may use it, as
 * the mailbox of the invitation proves itself by the code. Throws `invalid` on `code` when it is unknown, used, revoked or expired,
 * `conflict` for a member and at the limits, `rate_limited` after 60 attempts an hour.
 */
export async function acceptInvitation(
  { db, links, tokenStates }: AcceptDeps,
  actor: Actor,
  code: string,
): Promise<{ workspaceId: WorkspaceId; name: string; role: InvitedRole }> {
  await countAttempts(db, [{ limit: ACCEPTED_INVITATIONS_PER_USER, key: String(actor.userId) }]);
  const mailId = links.mailIdOf(code);
  const secret: InvitationSecret = mailId === undefined ? { tokenHash: hashSecret(code) } : { mailId };
  const { userId, address } = actor;
  const joined = await db.transaction().execute(async (trx) => {
    const invited = await findInvited(trx, secret);
    // The workspace is locked before its invitation, as everywhere.
    const workspace = invited && (await lockWorkspace(trx, invited.workspaceId));
    if (!invited || !workspace) throw badCode();
    const { workspaceId } = invited;
    // Locked, so that a user who is being deleted joins nothing, and of two joins at once the second counts the first.
    if (!(await lockUser(trx, userId))) throw userGoneError();
    await assertMayJoin(trx, { workspaceId, userId });
    const used = await consumeInvitation(trx, secret);
    if (!used) throw badCode();
    await insertMember(trx, { workspaceId, userId, role: used.role });
    const [subject, givenRole] = [String(userId), used.role];
    await recordAudit(trx, { userId, workspaceId, address, action: 'member.joined', subject, givenRole });
    return { workspaceId, name: workspace.name, role: used.role };
  });
  tokenStates.drop(userId);
  return joined;
}

async function assertMayJoin(
  trx: Connection,
  { workspaceId, userId }: { workspaceId: WorkspaceId; userId: Actor['userId'] },
): Promise<void> {
  if (await findRole(trx, workspaceId, userId))
    throw new AppError('already_member', 'You are a member of this workspace already. The invitation stays valid.');
  if ((await countMembers(trx, workspaceId)) >= MEMBERS_LIMIT)
    throw new AppError('member_limit_reached', `The workspace has ${MEMBERS_LIMIT} members, the most there can be`, {
      limit: MEMBERS_LIMIT,
    });
  if ((await countMemberships(trx, userId)) >= MEMBERSHIPS_LIMIT)
    throw new AppError(
      'workspace_limit_reached',
      `You are a member of ${MEMBERSHIPS_LIMIT} workspaces, the most there can be. Leave one first.`,
      { limit: MEMBERSHIPS_LIMIT },
    );
}
