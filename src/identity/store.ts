/** The SQL of users, their logins and the revocation of their tokens. */
import {
  hasRow,
  readOne,
  readRow,
  readRows,
  readValue,
  sql,
  type RawBuilder,
  type Connection,
} from '../platform/database/statements.ts';
import { clearOldRows } from '../platform/database/clear-old-rows.ts';
import type { QuarantineDeps } from '../platform/database/quarantine.ts';
import type { Role, UserId, WorkspaceId } from '../platform/database/schema.ts';
import { notifyAfterCommit } from '../platform/database/notify-after-commit.ts';
import type { Language } from '../platform/i18n/languages.ts';
import { DEFAULT_FIRST, DEFAULT_MEMBERSHIP } from '../workspaces/members/default-membership.ts';

/** A user as the use cases answer them: every text exactly as it was sent. */
export interface User {
  userId: UserId;
  email: string;
  userName: string;
  phoneNumber: string;
  firstName: string;
  lastName: string;
  whatsappNumber: string;
  /** True until the first successful sign-in has been answered. */
  isFirstLogin: boolean;
  /** IANA; null: the installation's. */
  timeZone: string | null;
  /** Of mails and notices; null: unknown. */
  language: string | null;
}

/** A workspace of a user, and their role in it. */
export interface Membership {
  workspaceId: WorkspaceId;
  role: Role;
}

export interface TokenState {
  /** Never empty: the workspace that the user acts in by default comes first. */
  memberships: readonly Membership[];
  tokenGeneration: number;
  /** An older token that was spared when the others were revoked. */
  keptTokenId: string | null;
  /** Tokens that were signed out one by one; of those that have expired since, only some. */
  signedOutTokenIds: readonly string[];
}

/** With the workspace that the user acts in by default. */
export interface UserWithSecrets extends User, Membership, Omit<TokenState, 'memberships'> {
  passwordHash: string;
}

export interface NewUser extends Omit<User, 'userId' | 'isFirstLogin' | 'timeZone' | 'language'> {
  whatsappDigits: string;
  passwordHash: string;
  /** The one that the sign-up asked for. */
  language?: Language | undefined;
}

/** The columns of a `User`, of users `u`. */
export const USER_COLUMNS = sql`
  u.user_id as "userId", u.email, u.user_name as "userName", u.phone_number as "phoneNumber", u.first_name as "firstName",
  u.last_name as "lastName", u.whatsapp_number as "whatsappNumber", u.first_signed_in_at is null as "isFirstLogin",
  u.time_zone as "timeZone", u.language`;

/** Those of a `TokenState` but for the memberships. */
const TOKEN_COLUMNS = sql`
  u.token_generation as "tokenGeneration", u.kept_token_id as "keptTokenId",
  array(select token_id from signed_out_tokens s where s.user_id = u.user_id) as "signedOutTokenIds"`;

const MEMBERSHIPS = sql`(
  select coalesce(json_agg(json_build_object('workspaceId', d.workspace_id, 'role', d.role) order by ${DEFAULT_FIRST}), '[]')
  from memberships d where d.user_id = u.user_id) as memberships`;

/** Locks a user until the transaction ends; false when there is none. */
export async function lockUser(trx: Connection, userId: UserId): Promise<boolean> {
  return hasRow(trx)`
    select from users where user_id = ${userId} and deleted_at is null for no key update`;
}

/** Makes a workspace that a user owns. */
export async function insertWorkspace(db: Connection, userId: UserId): Promise<WorkspaceId> {
  const made = await readOne<{ workspaceId: WorkspaceId }>(db)`
    with made as (insert into workspaces default values returning workspace_id)
    insert into memberships (workspace_id, user_id, role) select workspace_id, ${userId}, 'owner' from made
    returning workspace_id as "workspaceId"`;
  await notifyAfterCommit(db, 'campanile_tokens', String(userId));
  return made.workspaceId;
}

export function findUserByLogin(db: Connection, login: string): Promise<UserWithSecrets | undefined> {
  return selectUser(db, sql`u.user_id = (select user_id from user_logins where login = ${login})`);
}

export function findUser(db: Connection, userId: UserId): Promise<UserWithSecrets | undefined> {
  return selectUser(db, sql`u.user_id = ${userId} and u.deleted_at is null`);
}

async function selectUser(db: Connection, isWanted: RawBuilder<unknown>): Promise<UserWithSecrets | undefined> {
  return readRow<UserWithSecrets>(db)`
    select ${USER_COLUMNS}, ${TOKEN_COLUMNS}, u.password_hash as "passwordHash", m.workspace_id as "workspaceId", m.role
    from users u cross join ${DEFAULT_MEMBERSHIP} where ${isWanted}`;
}

export async function readTokenState(db: Connection, userId: UserId): Promise<TokenState | undefined> {
  return readRow<TokenState>(db)`
    select ${TOKEN_COLUMNS}, ${MEMBERSHIPS} from users u where user_id = ${userId} and deleted_at is null`;
}

/** Returns the token states of many users by id, in one statement; deleted users are missing. */
export async function readTokenStates(db: Connection, userIds: readonly UserId[]): Promise<Map<UserId, TokenState>> {
  const rows = await readRows<TokenState & { userId: UserId }>(db)`
    select user_id as "userId", ${TOKEN_COLUMNS}, ${MEMBERSHIPS} from users u
    where user_id = any(${userIds}::bigint[]) and deleted_at is null`;
  return new Map(rows.map((row) => [row.userId, row]));
}

/** Revokes every token of a user, in all processes. Answers the user's name; undefined when there is no such user. */
export async function revokeAllTokens(db: Connection, userId: UserId): Promise<string | undefined> {
  const userName = await readValue<string>(db)`
    update users set token_generation = token_generation + 1, kept_token_id = null
    where user_id = ${userId} and deleted_at is null returning user_name`;
  if (userName !== undefined) await notifyAfterCommit(db, 'campanile_tokens', String(userId));
  return userName;
}

/** Forgets tokens that were signed out and would be refused by now anyway. */
export function clearExpiredTokens(deps: QuarantineDeps): Promise<void> {
  // A little later than they end: the processes' own clocks decide that.
  const isOld = sql`o.expires_at < campanile_now() - interval '1 hour'`;
  return clearOldRows(deps, { table: 'signed_out_tokens', owner: 'user_id', isOld });
}
