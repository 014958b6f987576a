/** The SQL of users, their logins and the revocation of their tokens. */
import { sql, type ExpressionBuilder, type Selectable } from 'kysely';
import { clearOldRows } from '../platform/database/clear-old-rows.ts';
import type { Connection } from '../platform/database/connect.ts';
import type { QuarantineDeps } from '../platform/database/quarantine.ts';
import type { Role, Schema, UserId, WorkspaceId } from '../platform/database/schema.ts';
import { notifyAfterCommit } from '../platform/database/notify-after-commit.ts';
import type { Language } from '../platform/i18n/languages.ts';
import { DEFAULT_FIRST } from '../workspaces/members/default-membership.ts';

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

export interface NewUser {
  firstName: string;
  lastName: string;
  userName: string;
  email: string;
  phoneNumber: string;
  whatsappNumber: string;
  whatsappDigits: string;
  passwordHash: string;
  /** The one that the sign-up asked for. */
  language?: Language | undefined;
}

const memberships = sql<Membership[]>`(
  select coalesce(json_agg(json_build_object('workspaceId', d.workspace_id, 'role', d.role) order by ${DEFAULT_FIRST}), '[]')
  from memberships d where d.user_id = users.user_id)`.as('memberships');

const signedOut = sql<string[]>`array(
  select token_id from signed_out_tokens s where s.user_id = users.user_id)`.as('signedOutTokenIds');

export async function insertUser(db: Connection, user: NewUser): Promise<User> {
  const row = await db
    .insertInto('users')
    .values({
      first_name: user.firstName,
      last_name: user.lastName,
      user_name: user.userName,
      email: user.email,
      phone_number: user.phoneNumber,
      whatsapp_number: user.whatsappNumber,
      whatsapp_digits: user.whatsappDigits,
      password_hash: user.passwordHash,
      language: user.language ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toUser(row);
}

/** Locks a user until the transaction ends; false when there is none. */
export async function lockUser(trx: Connection, userId: UserId): Promise<boolean> {
  const { rows } = await sql`
    select from users where user_id = ${userId} and deleted_at is null for no key update`.execute(trx);
  return rows.length > 0;
}

/** Makes a workspace that a user owns. */
export async function insertWorkspace(db: Connection, userId: UserId): Promise<WorkspaceId> {
  const { workspace_id } = await db
    .insertInto('workspaces')
    .defaultValues()
    .returning('workspace_id')
    .executeTakeFirstOrThrow();
  await db.insertInto('memberships').values({ workspace_id, user_id: userId, role: 'owner' }).execute();
  return workspace_id;
}

/**
 * Gives a user the logins. Returns those that were free: all of them, unless another user has some. Waits for concurrent sign-ups with the
 * same login.
 */
export async function insertLogins(db: Connection, userId: UserId, logins: ReadonlySet<string>): Promise<Set<string>> {
  // Sorted, so that two sign-ups that want the same two names cannot wait for each other.
  const values = [...logins].toSorted().map((login) => ({ login, user_id: userId }));
  const rows = await db
    .insertInto('user_logins')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .returning('login')
    .execute();
  return new Set(rows.map((row) => row.login));
}

export async function findUserByLogin(db: Connection, login: string): Promise<UserWithSecrets | undefined> {
  const row = await db
    .selectFrom('user_logins')
    .innerJoin('users', 'users.user_id', 'user_logins.user_id')
    .innerJoinLateral(defaultMembership, (join) => join.onTrue())
    .where('login', '=', login)
    .selectAll('users')
    .select(['m.workspace_id as workspaceId', 'm.role', signedOut])
    .executeTakeFirst();
  return row && withSecrets(row);
}

export async function findUser(db: Connection, userId: UserId): Promise<UserWithSecrets | undefined> {
  const row = await db
    .selectFrom('users')
    .innerJoinLateral(defaultMembership, (join) => join.onTrue())
    .where('users.user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .selectAll('users')
    .select(['m.workspace_id as workspaceId', 'm.role', signedOut])
    .executeTakeFirst();
  return row && withSecrets(row);
}

function defaultMembership(eb: ExpressionBuilder<Schema, 'users'>) {
  return eb
    .selectFrom('memberships as d')
    .select(['d.workspace_id', 'd.role'])
    .whereRef('d.user_id', '=', 'users.user_id')
    .orderBy(DEFAULT_FIRST)
    .limit(1)
    .as('m');
}

/** True for exactly one call a user: the first. */
export async function recordFirstSignIn(db: Connection, userId: UserId): Promise<boolean> {
  const { rows } = await sql`
    update users set first_signed_in_at = campanile_now()
    where user_id = ${userId} and deleted_at is null and first_signed_in_at is null
    returning user_id`.execute(db);
  return rows.length > 0;
}

/** Records the language of a user whose language is unknown. */
export async function recordFirstLanguage(db: Connection, userId: UserId, language: Language): Promise<void> {
  await sql`update users set language = ${language} where user_id = ${userId} and language is null`.execute(db);
}

export interface ProfileChange {
  firstName: string | undefined;
  lastName: string | undefined;
  phoneNumber: string | undefined;
  /** Of the messaging account: as it was written, and its digits. */
  whatsappNumber: { written: string; digits: string } | undefined;
  timeZone: string | undefined;
  language?: Language | undefined;
}

/** Changes the given fields. Returns undefined when there is no such user. */
export async function changeUser(db: Connection, userId: UserId, change: ProfileChange): Promise<User | undefined> {
  const row = await db
    .updateTable('users')
    .set((column) => ({
      first_name: change.firstName ?? column.ref('first_name'),
      last_name: change.lastName ?? column.ref('last_name'),
      phone_number: change.phoneNumber ?? column.ref('phone_number'),
      whatsapp_number: change.whatsappNumber?.written ?? column.ref('whatsapp_number'),
      whatsapp_digits: change.whatsappNumber?.digits ?? column.ref('whatsapp_digits'),
      time_zone: change.timeZone ?? column.ref('time_zone'),
      language: change.language ?? column.ref('language'),
    }))
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
  return row && toUser(row);
}

export async function readTokenState(db: Connection, userId: UserId): Promise<TokenState | undefined> {
  const { rows } = await sql<TokenState>`
    select token_generation as "tokenGeneration", kept_token_id as "keptTokenId", ${signedOut}, ${memberships}
    from users
    where user_id = ${userId} and deleted_at is null`.execute(db);
  return rows[0];
}

/** Returns the token states of many users by id, in one statement; deleted users are missing. */
export async function readTokenStates(db: Connection, userIds: readonly UserId[]): Promise<Map<UserId, TokenState>> {
  const { rows } = await sql<TokenState & { userId: UserId }>`
    select user_id as "userId", token_generation as "tokenGeneration", kept_token_id as "keptTokenId", ${signedOut}, ${memberships}
    from users
    where user_id = any(${userIds}::bigint[]) and deleted_at is null`.execute(db);
  return new Map(rows.map((row) => [row.userId, row]));
}

/** Revokes every token of a user, in all processes. Answers the user's name; undefined when there is no such user. */
export async function revokeAllTokens(db: Connection, userId: UserId): Promise<string | undefined> {
  const { rows } = await sql<{ userName: string }>`
    update users set token_generation = token_generation + 1, kept_token_id = null
    where user_id = ${userId} and deleted_at is null returning user_name as "userName"`.execute(db);
  if (rows.length > 0) await notifyAfterCommit(db, 'campanile_tokens', String(userId));
  return rows[0]?.userName;
}

/** The most single tokens of a user that are revoked at once: this list is read with nearly every request. */
const MOST_SIGNED_OUT = 200;

/**
 * Signs out one token of a user in all processes. A user with too many revoked tokens to list is signed out everywhere. Returns the user's
 * name; undefined when there is no such user.
 */
export async function signOutToken(
  trx: Connection,
  userId: UserId,
  token: { tokenId: string; expiresAtMs: number },
): Promise<string | undefined> {
  // Locked, so that of two at once neither counts without the other.
  const { rows } = await sql<{ userName: string; many: boolean }>`
    select user_name as "userName", (select count(*) from signed_out_tokens s where s.user_id = users.user_id) >= ${MOST_SIGNED_OUT} as many
    from users where user_id = ${userId} and deleted_at is null for no key update`.execute(trx);
  const [user] = rows;
  if (!user) return undefined;
  if (user.many) {
    await sql`delete from signed_out_tokens where user_id = ${userId}`.execute(trx);
    return revokeAllTokens(trx, userId);
  }
  await sql`
    insert into signed_out_tokens (user_id, token_id, expires_at)
    values (${userId}, ${token.tokenId}, ${new Date(token.expiresAtMs)}) on conflict do nothing`.execute(trx);
  await notifyAfterCommit(trx, 'campanile_tokens', String(userId));
  return user.userName;
}

/** Forgets tokens that were signed out and would be refused by now anyway. */
export function clearExpiredTokens(deps: QuarantineDeps): Promise<void> {
  // A little later than they end: the processes' own clocks decide that.
  const isOld = sql`o.expires_at < campanile_now() - interval '1 hour'`;
  return clearOldRows(deps, { table: 'signed_out_tokens', owner: 'user_id', isOld });
}

/**
 * Replaces the password and revokes every token but `keptTokenId`. False, and nothing changed, when the password or the tokens
 * are no longer what `seen` says.
 */
export async function replacePassword(
  db: Connection,
  seen: UserWithSecrets,
  { passwordHash, keptTokenId }: { passwordHash: string; keptTokenId: string },
): Promise<boolean> {
  const { rows } = await sql`
    update users
    set password_hash = ${passwordHash}, token_generation = token_generation + 1, kept_token_id = ${keptTokenId}
    where user_id = ${seen.userId} and deleted_at is null and password_hash = ${seen.passwordHash}
      and token_generation = ${seen.tokenGeneration}
    returning 1`.execute(db);
  if (rows.length > 0) await notifyAfterCommit(db, 'campanile_tokens', String(seen.userId));
  return rows.length > 0;
}

/**
 * Anonymises a deleted user: removes all personal data, logins and API keys, and notifies all processes. Returns false without a change
 * when the password or the tokens differ from `seen` (optimistic locking).
 */
export async function setUserDeleted(db: Connection, seen: UserWithSecrets): Promise<boolean> {
  const { rows } = await sql`
    with deleted as (
      update users
      set deleted_at = campanile_now(), first_name = '', last_name = '', user_name = '', email = '', phone_number = '',
          whatsapp_number = '', whatsapp_digits = '', password_hash = '', time_zone = null, language = null, kept_token_id = null, is_admin = false,
          token_generation = token_generation + 1, first_signed_in_at = null, email_verified_at = null, disabled_at = null
      where user_id = ${seen.userId} and deleted_at is null and password_hash = ${seen.passwordHash}
        and token_generation = ${seen.tokenGeneration}
      returning user_id
    ), logins as (
      delete from user_logins l using deleted d where l.user_id = d.user_id
    ), keys as (
      delete from api_keys k using deleted d where k.user_id = d.user_id
    )
    select from deleted`.execute(db);
  if (rows.length === 0) return false;
  await notifyAfterCommit(db, 'campanile_tokens', String(seen.userId));
  await notifyAfterCommit(db, 'campanile_erasures');
  return true;
}

export function toUser(row: Selectable<Schema['users']>): User {
  return {
    userId: row.user_id,
    email: row.email,
    userName: row.user_name,
    phoneNumber: row.phone_number,
    firstName: row.first_name,
    lastName: row.last_name,
    whatsappNumber: row.whatsapp_number,
    isFirstLogin: row.first_signed_in_at === null,
    timeZone: row.time_zone,
    language: row.language,
  };
}

function withSecrets(row: Selectable<Schema['users']> & Membership & { signedOutTokenIds: string[] }): UserWithSecrets {
  return {
    ...toUser(row),
    workspaceId: row.workspaceId,
    role: row.role,
    passwordHash: row.password_hash,
    tokenGeneration: row.token_generation,
    keptTokenId: row.kept_token_id,
    signedOutTokenIds: row.signedOutTokenIds,
  };
}
