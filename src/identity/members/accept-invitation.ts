import type { Transaction } from 'kysely';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { InvitedRole, Schema, UserId, WorkspaceId } from '../../platform/database/schema.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { hashSecret } from '../../platform/secrets/hash-secret.ts';
import type { UserDependencies } from '../dependencies.ts';
import { userGoneError } from '../get-profile.ts';
import { badCode } from '../mail-codes.ts';
import { ACCEPTED_INVITATIONS_PER_USER } from '../mail-limits.ts';
import { countAttempts } from '../sign-in/brute-force-limit.ts';
import { lockUser } from '../store.ts';
import { findInvited, type Invited, IS_VALID } from './invitation-store.ts';
import { assertMayBeMember, countMembers, findRole, lockWorkspace } from './member-store.ts';
import { execute, readValue, sql, type RawBuilder, type Connection } from '../../platform/database/statements.ts';
import { notifyAfterCommit } from '../../platform/database/notify-after-commit.ts';

/** Members of a workspace, its owner included. */
export const MEMBERS_LIMIT = 100;

/** Returns what an invitation code stands for. Throws `invalid` on `code` when it is unknown, used, revoked or expired. */
export async function getInvitation(
  { db, links }: Pick<UserDependencies, 'db' | 'links'>,
  code: string,
): Promise<Invited> {
  const invited = await findInvitation({ db, links }, code);
  if (!invited) throw badCode();
  return invited;
}

/** Like `getInvitation`; undefined for a code that is not valid. */
export function findInvitation(
  { db, links }: Pick<UserDependencies, 'db' | 'links'>,
  code: string,
): Promise<Invited | undefined> {
  return findInvited(db, isOfCode(links, code));
}

/**
 * Makes the actor a member of the workspace that a code invites to, with the role of the invitation. Whoever has the code may use it, as
 * the mailbox of the invitation proves itself by the code. Throws `invalid` on `code` as `getInvitation`, `conflict` for a member and at
 * the limits, `rate_limited` after 60 attempts an hour.
 */
export async function acceptInvitation(
  { db, links, dropCached }: Pick<UserDependencies, 'db' | 'links' | 'dropCached'>,
  actor: Actor,
  code: string,
): Promise<Joined> {
  const { userId, address } = actor;
  await countAttempts(db, [{ limit: ACCEPTED_INVITATIONS_PER_USER, key: String(userId) }]);
  const joined = await db.transaction().execute(async (trx) => {
    const invitation = await lockInvitation(trx, links, code);
    return invitation.admit({ userId, address });
  });
  dropCached(userId);
  return joined;
}

interface Joined {
  workspaceId: WorkspaceId;
  name: string;
  role: InvitedRole;
}

/** Locks the workspace of an invitation until the transaction ends. Call it before users are locked or written. Throws `invalid` on `code`. */
export async function lockInvitation(trx: Transaction<Schema>, links: UserDependencies['links'], code: string) {
  const isOne = isOfCode(links, code);
  const invited = await findInvited(trx, isOne);
  // The workspace is locked before its invitation, as everywhere.
  const workspace = invited && (await lockWorkspace(trx, invited.workspaceId));
  if (!invited || !workspace) throw badCode();
  const { workspaceId } = invited;
  return {
    ...invited,
    /** Makes a user a member, and uses the invitation up. Throws as `acceptInvitation`. */
    async admit({ userId, address }: { userId: UserId; address: string }): Promise<Joined> {
      // Locked, so that a user who is being deleted joins nothing, and of two joins at once the second counts the first.
      if (!(await lockUser(trx, userId))) throw userGoneError();
      await assertMayJoin(trx, { workspaceId, userId });
      // Of two at once one gets it.
      const role = await readValue<InvitedRole>(trx)`
        delete from invitations i where ${isOne} and ${IS_VALID} returning i.role`;
      if (!role) throw badCode();
      // A user who joins goes on there.
      await execute(trx)`
        insert into memberships (workspace_id, user_id, role, opened_at)
        values (${workspaceId}, ${userId}, ${role}, campanile_now())`;
      await notifyAfterCommit(trx, 'campanile_tokens', String(userId));
      const [subject, givenRole] = [String(userId), role];
      await recordAudit(trx, { userId, workspaceId, address, action: 'member.joined', subject, givenRole });
      return { workspaceId, name: workspace.name, role };
    },
  };
}

/** The condition that a code is that of the invitation `i`: of its mail, or a token of which the SHA-256 is kept. */
function isOfCode(links: UserDependencies['links'], code: string): RawBuilder<unknown> {
  const mailId = links.mailIdOf(code);
  return mailId === undefined ? sql`i.token_hash = ${hashSecret(code)}` : sql`i.mail_id = ${mailId}`;
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
  await assertMayBeMember(trx, userId);
}
