/** The SQL of administrators. */
import { readColumn, readRow, readRows, type Connection } from '../platform/database/statements.ts';
import type { UserId, WorkspaceId } from '../platform/database/schema.ts';
import { DEFAULT_MEMBERSHIP } from '../workspaces/members/default-membership.ts';
import type { User } from './store.ts';

/** A user as administrators see them in a list. */
export interface ListedUser extends Pick<User, 'userId' | 'userName' | 'email' | 'firstName' | 'lastName'> {
  isAdmin: boolean;
  isEmailVerified: boolean;
  createdAt: Date;
  /** When they last signed in, as far as a year back; null: never. */
  lastSignInAt: Date | null;
  disabledAt: Date | null;
}

export interface UserPage {
  /** Words of the name and the address. */
  search: string | undefined;
  limit: number;
  /** Only those with a smaller id. */
  before: number | undefined;
}

export async function selectUsers(db: Connection, { search, limit, before }: UserPage): Promise<ListedUser[]> {
  return readRows<ListedUser>(db)`
    select u.user_id as "userId", user_name as "userName", email, first_name as "firstName", last_name as "lastName",
           is_admin as "isAdmin", email_verified_at is not null as "isEmailVerified", created_at as "createdAt",
           (select max(used_at) from sign_in_networks p where p.user_id = u.user_id) as "lastSignInAt",
           disabled_at as "disabledAt"
    from users u
    where deleted_at is null and (${before ?? null}::bigint is null or u.user_id < ${before ?? null})
      and (${search ?? null}::text is null or has_words(plain_text(concat_ws(' ', user_name, email, first_name, last_name)), ${search ?? ''}))
    order by u.user_id desc limit ${limit}`;
}

/** The administrator who has been here longest; undefined: there is none. */
export function findAnAdministrator(db: Connection) {
  return readRow<{ userId: UserId; workspaceId: WorkspaceId }>(db)`
    select u.user_id as "userId", m.workspace_id as "workspaceId" from users u cross join ${DEFAULT_MEMBERSHIP}
    where u.is_admin and u.deleted_at is null and u.disabled_at is null order by u.user_id limit 1`;
}

/** Whether the user is the only administrator who can sign in. */
export async function isLastAdministrator(db: Connection, userId: UserId): Promise<boolean> {
  const [first, ...others] = await readColumn<UserId>(db)`
    select user_id from users where is_admin and deleted_at is null and disabled_at is null limit 2`;
  return first === userId && others.length === 0;
}
