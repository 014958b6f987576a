/** User management for administrators. They see each user's use of quotas, and no content of anybody's posts. */
import { recordAudit, type Actor } from '../workspaces/audit/record-audit.ts';
import type { UserId, WorkspaceId } from '../platform/database/schema.ts';
import { AppError } from '../platform/errors/errors.ts';
import { queueMail } from '../platform/mail/mail-store.ts';
import { confirmPassword } from './passwords/confirm-password.ts';
import { assertOwns, endUser } from './delete-account.ts';
import type { UserDependencies } from './dependencies.ts';
import { selectOwnedWorkspaces } from './members/member-store.ts';
import { deleteFactors, lockOwner } from './factors/factor-store.ts';
import { getProfile, type ProfileDeps, type UserProfile } from './get-profile.ts';
import { selectUsers, type ListedUser, type UserPage } from './manage-users-store.ts';
import { readAccountFlags } from './account-flags-store.ts';
import { findUser } from './store.ts';
import type { TokenIdentity } from './sessions/token.ts';
import { hasRow, readRow, type Database } from '../platform/database/statements.ts';
import { notifyAfterCommit } from '../platform/database/notify-after-commit.ts';
import { DEFAULT_MEMBERSHIP } from '../workspaces/members/default-membership.ts';

/** Throws `forbidden` unless the user is an administrator. Reads the flag from the database, not from a cache. */
export async function requireAdmin(db: Database, { userId }: Actor): Promise<void> {
  const flags = await readAccountFlags(db, userId);
  if (!flags?.isAdmin) throw new AppError('admin_required', 'This operation is for administrators');
}

/** Returns users by id, newest first. */
export async function listUsers(
  { db }: Pick<UserDependencies, 'db'>,
  actor: Actor,
  page: UserPage,
): Promise<{ users: ListedUser[]; next: number | undefined }> {
  await requireAdmin(db, actor);
  const users = await selectUsers(db, { ...page, limit: page.limit + 1 });
  const shown = users.slice(0, page.limit);
  return { users: shown, next: users.length > page.limit ? shown.at(-1)?.userId : undefined };
}

/**
 * Returns a user's profile as `getProfile` does. Throws `not_found` for callers that are no administrators, and when there is no such
 * user.
 */
export async function getUser(
  deps: ProfileDeps,
  actor: Actor,
  userId: UserId,
): Promise<UserProfile & Pick<ManagedUser, 'disabledAt'>> {
  const { disabledAt, workspaceId } = await requireManagedUser(deps.db, actor, userId);
  return { ...(await getProfile(deps, { userId, workspaceId })), disabledAt };
}

/**
 * Disables or enables a user. A disabled user is signed out everywhere within a second, cannot sign in, and cannot use API keys. Their
 * campaigns wait; a turn in flight is still sent. After enabling, the campaigns continue. Repeating it has no effect. Returns the workspaces
 * of the user. Throws `not_found` as `getUser`, `conflict` for oneself.
 */
export async function setDisabled(
  deps: ManageDeps,
  actor: Actor,
  { userId, isDisabled }: { userId: UserId; isDisabled: boolean },
): Promise<WorkspaceId[]> {
  return switchUser(deps, actor, await requireOther(deps.db, actor, userId), isDisabled);
}

/** Disables or enables a user without checking the actor's role. Returns the workspaces that the user owns. */
export async function switchUser(
  { db, dropCached, onUserSwitched }: ManageDeps,
  actor: Actor,
  { userId, userName: subject }: TargetUser,
  isDisabled: boolean,
): Promise<WorkspaceId[]> {
  const workspaceIds = await db.transaction().execute(async (trx) => {
    // Lock order: lanes before users.
    const owned = await selectOwnedWorkspaces(trx, userId);
    for (const workspaceId of owned) await onUserSwitched(trx, workspaceId, isDisabled);
    // Tokens of before stay revoked.
    const isChanged = await hasRow(trx)`
      update users
      set disabled_at = case when ${isDisabled} then campanile_now() end,
          token_generation = token_generation + case when ${isDisabled} then 1 else 0 end,
          kept_token_id = case when not ${isDisabled} then kept_token_id end
      where user_id = ${userId} and deleted_at is null and (disabled_at is null) = ${isDisabled} returning 1`;
    if (isChanged) await notifyAfterCommit(trx, 'campanile_tokens', String(userId));
    await assertOwns(trx, userId, owned);
    if (isChanged) await recordAudit(trx, { ...actor, action: isDisabled ? 'user.disabled' : 'user.enabled', subject });
    return owned;
  });
  dropCached(userId);
  return workspaceIds;
}

/**
 * Removes all second factors of a user who has lost them: afterwards the password alone signs in, and a mail tells the user. Sessions
 * continue. Repeating it has no effect. Throws `not_found` as `getUser`, `conflict` for oneself.
 */
export async function resetFactors({ db }: Pick<UserDependencies, 'db'>, actor: Actor, userId: UserId): Promise<void> {
  await removeFactors(db, actor, await requireOther(db, actor, userId));
}

/** Removes a user's second factors without checking the actor's role. */
export async function removeFactors(
  db: Database,
  actor: Actor,
  { userId, userName: subject }: TargetUser,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockOwner(trx, userId);
    if (!(await deleteFactors(trx, userId))) return;
    await recordAudit(trx, { ...actor, action: 'user.factors_reset', subject });
    await queueMail(trx, { kind: 'factors_changed', userId });
  });
}

/**
 * Deletes a user as `deleteAccount` does. The administrator reauthenticates with their own password. Throws the errors of
 * `confirmPassword` on `password`, `not_found` as `getUser`, `conflict` for oneself.
 */
export async function deleteUser(
  deps: ManageDeps,
  actor: Actor,
  { userId, token, password }: { userId: UserId; token: TokenIdentity; password: string },
): Promise<void> {
  const { db } = deps;
  await requireOther(db, actor, userId);
  await confirmPassword(db, { userId: actor.userId, token }, { field: 'password', password });
  const user = await findUser(db, userId);
  if (!user) throw noSuchUser();
  await endUser(deps, user, (trx) => recordAudit(trx, { ...actor, action: 'user.deleted', subject: String(userId) }));
}

/** A user that an administrator manages. */
interface ManagedUser {
  userId: UserId;
  workspaceId: WorkspaceId;
  userName: string;
  disabledAt: Date | null;
}
type TargetUser = Pick<ManagedUser, 'userId' | 'userName'>;

export type ManageDeps = Pick<
  UserDependencies,
  'db' | 'dropCached' | 'onWorkspaceCreated' | 'onUserDeleted' | 'onUserSwitched'
>;

/** Reads whether the actor is an administrator in the same statement. */
async function requireManagedUser(db: Database, actor: Actor, userId: UserId): Promise<ManagedUser> {
  const user = await readRow<ManagedUser>(db)`
    select u.user_id as "userId", m.workspace_id as "workspaceId", u.user_name as "userName", u.disabled_at as "disabledAt"
    from users u cross join ${DEFAULT_MEMBERSHIP}
    where u.user_id = ${userId} and u.deleted_at is null and exists (
      select from users a where a.user_id = ${actor.userId} and a.is_admin and a.deleted_at is null and a.disabled_at is null)`;
  if (!user) throw noSuchUser();
  return user;
}

async function requireOther(db: Database, actor: Actor, userId: UserId): Promise<ManagedUser> {
  const user = await requireManagedUser(db, actor, userId);
  if (userId === actor.userId)
    throw new AppError('not_for_oneself', 'You cannot do this to your own user. Manage your account under Settings.');
  return user;
}

function noSuchUser(): AppError {
  return new AppError('user_not_found', 'The user does not exist, or you are not an administrator');
}
