/** The SQL of a user's flags: administrator, address verified, disabled. */
import { execute, hasRow, readRow, type Connection } from '../platform/database/statements.ts';
import type { UserId, WorkspaceId } from '../platform/database/schema.ts';
import { notifyAfterCommit } from '../platform/database/notify-after-commit.ts';
import { DEFAULT_MEMBERSHIP } from '../workspaces/members/default-membership.ts';
import type { AboutUser } from './passwords/reject-weak-password.ts';

export interface AccountFlags {
  isAdmin: boolean;
  isEmailVerified: boolean;
}

export async function readAccountFlags(db: Connection, userId: UserId): Promise<AccountFlags | undefined> {
  return readRow<AccountFlags>(db)`
    select is_admin as "isAdmin", email_verified_at is not null as "isEmailVerified"
    from users where user_id = ${userId} and deleted_at is null`;
}

export async function isDisabled(db: Connection, userId: UserId): Promise<boolean> {
  return hasRow(db)`select from users where user_id = ${userId} and disabled_at is not null`;
}

export function hasUsers(db: Connection): Promise<boolean> {
  return hasRow(db)`select from users limit 1`;
}

/** Any number; it stands for who comes first. */
const FIRST_USER_LOCK = 7_355_608;

/** Whether this transaction makes the first user of all. Of several at once one does: where there is none yet, they wait for each other. */
export async function isFirstUser(trx: Connection): Promise<boolean> {
  if (await hasUsers(trx)) return false;
  await execute(trx)`select pg_advisory_xact_lock(${FIRST_USER_LOCK})`;
  return !(await hasUsers(trx));
}

export async function makeAdmin(db: Connection, userId: UserId): Promise<void> {
  await execute(db)`update users set is_admin = true where user_id = ${userId}`;
}

/** The address is proven to be the user's, if it is still the one that the link was sent to. Answers the user's name and workspace. */
export async function setEmailVerified(
  trx: Connection,
  userId: UserId,
  email: string,
): Promise<VerifiedUser | undefined> {
  return readRow<VerifiedUser>(trx)`
    with verified as (
      update users set email_verified_at = coalesce(email_verified_at, campanile_now())
      where user_id = ${userId} and email = ${email} and deleted_at is null
      returning user_id, user_name, email, first_name, last_name, phone_number
    )
    select u.user_name as "userName", u.email, u.first_name as "firstName", u.last_name as "lastName",
           u.phone_number as "phoneNumber", m.workspace_id as "workspaceId"
    from verified u cross join ${DEFAULT_MEMBERSHIP}`;
}

export interface VerifiedUser extends AboutUser {
  workspaceId: WorkspaceId;
}

/** Sets a user's password and revokes every token, and every API key unless they are kept. Notifies all processes. */
export async function setPassword(
  trx: Connection,
  userId: UserId,
  { passwordHash, keepApiKeys }: { passwordHash: string; keepApiKeys: boolean },
): Promise<void> {
  await execute(trx)`
    update users set password_hash = ${passwordHash}, token_generation = token_generation + 1, kept_token_id = null
    where user_id = ${userId}`;
  if (!keepApiKeys) await execute(trx)`delete from api_keys where user_id = ${userId}`;
  await notifyAfterCommit(trx, 'campanile_tokens', String(userId));
}
