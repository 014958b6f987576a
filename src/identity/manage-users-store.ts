/** The SQL of administrators. */
import { sql } from 'kysely';
import type { Connection } from '../platform/database/connect.ts';
import type { UserId, WorkspaceId } from '../platform/database/schema.ts';
import { DEFAULT_MEMBERSHIP } from '../workspaces/members/default-membership.ts';
import { notifyAfterCommit } from '../platform/database/notify-after-commit.ts';

/** A user as administrators see them in a list. */
export interface ListedUser {
  userId: UserId;
  userName: string;
  email: string;
  firstName: string;
  lastName: string;
  isAdmin: boolean;
  isEmailVerified: boolean;
  createdAt: Date;
  /** When they last signed in, as far as a year back; null: never. */
  lastSignInAt: Date | null;
  disabledAt: Date | null;
}

export interface UserPage {
  /** Part of the name or the address, in any case. */
  search: string | undefined;
  limit: number;
  /** Only those with a smaller id. */
  before: number | undefined;
}

export async function selectUsers(db: Connection, { search, limit, before }: UserPage): Promise<ListedUser[]> {
  const pattern = search === undefined ? null : `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  const { rows } = await sql<ListedUser>`
    select u.user_id as "userId", user_name as "userName", email, first_name as "firstName", last_name as "lastName",
           is_admin as "isAdmin", email_verified_at is not null as "isEmailVerified", created_at as "createdAt",
           (select max(used_at) from sign_in_networks p where p.user_id = u.user_id) as "lastSignInAt",
           disabled_at as "disabledAt"
    from users u
    where deleted_at is null and (${before ?? null}::bigint is null or u.user_id < ${before ?? null})
      and (${pattern}::text is null or concat_ws(' ', user_name, email, first_name, last_name) ilike ${pattern})
    order by u.user_id desc limit ${limit}`.execute(db);
  return rows;
}

/** The administrator who has been here longest; undefined: there is none. */
export async function findAnAdministrator(
  db: Connection,
): Promise<{ userId: UserId; workspaceId: WorkspaceId } | undefined> {
  const { rows } = await sql<{ userId: UserId; workspaceId: WorkspaceId }>`
    select u.user_id as "userId", m.workspace_id as "workspaceId" from users u cross join ${DEFAULT_MEMBERSHIP}
    where u.is_admin and u.deleted_at is null and u.disabled_at is null order by u.user_id limit 1`.execute(db);
  return rows[0];
}

/** Whether the user is the only administrator who can sign in. */
export async function isLastAdministrator(db: Connection, userId: UserId): Promise<boolean> {
  const { rows } = await sql<{ userId: UserId }>`
    select user_id as "userId" from users
    where is_admin and deleted_at is null and disabled_at is null limit 2`.execute(db);
  return rows.length === 1 && rows[0]?.userId === userId;
}

export interface ManagedUser {
  workspaceId: WorkspaceId;
  userName: string;
  disabledAt: Date | null;
}

/** Returns a user if `adminId` is an administrator, else undefined. */
export async function findManagedUser(
  db: Connection,
  { adminId, userId }: { adminId: UserId; userId: UserId },
): Promise<ManagedUser | undefined> {
  const { rows } = await sql<ManagedUser>`
    select m.workspace_id as "workspaceId", u.user_name as "userName", u.disabled_at as "disabledAt"
    from users u cross join ${DEFAULT_MEMBERSHIP}
    where u.user_id = ${userId} and u.deleted_at is null
      and exists (select from users a where a.user_id = ${adminId} and a.is_admin and a.deleted_at is null and a.disabled_at is null)`.execute(
    db,
  );
  return rows[0];
}

/** Revokes every token, too, and tells all processes. False when nothing was to do. */
export async function writeDisabled(trx: Connection, userId: UserId): Promise<boolean> {
  const { rows } = await sql`
    update users set disabled_at = campanile_now(), token_generation = token_generation + 1, kept_token_id = null
    where user_id = ${userId} and deleted_at is null and disabled_at is null returning 1`.execute(trx);
  if (rows.length > 0) await notifyAfterCommit(trx, 'campanile_tokens', String(userId));
  return rows.length > 0;
}

/** False when nothing was to do. */
export async function writeEnabled(trx: Connection, userId: UserId): Promise<boolean> {
  const { rows } = await sql`
    update users set disabled_at = null
    where user_id = ${userId} and deleted_at is null and disabled_at is not null returning 1`.execute(trx);
  return rows.length > 0;
}
