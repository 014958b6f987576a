import { sql, type Selectable } from 'kysely';
import type { Actor } from '../workspaces/audit/record-audit.ts';
import type { Connection } from '../platform/database/connect.ts';
import type { Schema } from '../platform/database/schema.ts';
import { AppError } from '../platform/errors/errors.ts';
import { knownTimeZone } from '../platform/time/time-zone.ts';
import { QUOTAS, type Quotas } from '../workspaces/quotas/quotas.ts';
import { selectUse, describeQuotas, type Use, type WorkspaceQuotas } from '../workspaces/quotas/describe-quotas.ts';
import type { UserDependencies } from './dependencies.ts';
import { toUser, type User } from './store.ts';

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
  about: Pick<Actor, 'userId' | 'workspaceId'>,
): Promise<UserProfile> {
  const row = await readProfile(db, about, quotas);
  if (!row) throw userGoneError();
  return {
    user: toUser(row),
    timeZone: knownTimeZone(row.time_zone, timeZone),
    isAdmin: row.is_admin,
    isEmailVerified: hasMail ? row.email_verified_at !== null : undefined,
    quotas: describeQuotas(row, quotas),
  };
}

/** All in one statement: the dashboard and programs ask for it more often than for anything else. */
async function readProfile(
  db: Connection,
  { userId, workspaceId }: Pick<Actor, 'userId' | 'workspaceId'>,
  quotas: Quotas,
): Promise<(Selectable<Schema['users']> & Use) | undefined> {
  const { rows } = await sql<Selectable<Schema['users']> & Use>`
    select u.*, q.* from users u left join ${selectUse(workspaceId, quotas)} q on true
    where u.user_id = ${userId} and u.deleted_at is null`.execute(db);
  return rows[0];
}

/** A token can outlive its user by a moment. */
export function userGoneError(): AppError {
  return new AppError('user_gone', 'This user no longer exists');
}
