import { readRow } from '../platform/database/statements.ts';
import type { Actor } from '../workspaces/audit/record-audit.ts';
import { AppError } from '../platform/errors/errors.ts';
import { knownTimeZone } from '../platform/time/time-zone.ts';
import { describeQuotas, QUOTAS, selectUse } from '../workspaces/quotas/quotas.ts';
import type { Quotas, Use, WorkspaceQuotas } from '../workspaces/quotas/quotas.ts';
import type { AccountFlags } from './account-flags-store.ts';
import type { UserDependencies } from './dependencies.ts';
import { USER_COLUMNS, type User } from './store.ts';

export interface UserProfile {
  user: User;
  /** IANA: what the user chose, else the installation's. */
  timeZone: string;
  isAdmin: boolean;
  /** Undefined where no mails are sent, and nobody could prove anything. */
  isEmailVerified: boolean | undefined;
  /** Of the workspace; undefined when that is gone. */
  quotas: WorkspaceQuotas | undefined;
}

export interface ProfileDeps extends Pick<UserDependencies, 'db' | 'timeZone' | 'hasMail'> {
  /** The usual ones unless given. */
  quotas?: Quotas | undefined;
}

/** Returns the user's own profile, and the quotas and use of their workspace. Throws `unauthenticated` when the user was deleted. */
export async function getProfile(
  { db, timeZone, hasMail, quotas = QUOTAS }: ProfileDeps,
  { userId, workspaceId }: Pick<Actor, 'userId' | 'workspaceId'>,
): Promise<UserProfile> {
  // All in one statement: the dashboard and programs ask for it more often than for anything else.
  const row = await readRow<User & AccountFlags & Use>(db)`
    select ${USER_COLUMNS}, u.is_admin as "isAdmin", u.email_verified_at is not null as "isEmailVerified", q.*
    from users u left join ${selectUse(workspaceId, quotas)} q on true
    where u.user_id = ${userId} and u.deleted_at is null`;
  if (!row) throw userGoneError();
  return {
    user: row,
    timeZone: knownTimeZone(row.timeZone, timeZone),
    isAdmin: row.isAdmin,
    isEmailVerified: hasMail ? row.isEmailVerified : undefined,
    quotas: describeQuotas(row, quotas),
  };
}

/** A token can outlive its user by a moment. */
export function userGoneError(): AppError {
  return new AppError('user_gone', 'This user no longer exists');
}
