/** The SQL of API keys. A key itself is nowhere stored, only its sha256. */
import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { ApiKeyScope, Role, UserId, WorkspaceId } from '../../platform/database/schema.ts';
import { notifyAfterCommit } from '../../platform/database/notify-after-commit.ts';
import { lowerRole } from '../../workspaces/members/roles.ts';
import type { Membership } from '../store.ts';

/** An API key as its owner sees it. */
export interface ApiKey {
  apiKeyId: number;
  name: string;
  scopes: ApiKeyScope[];
  /** It acts with the lower of this role and its maker's present one. */
  role: Role;
  /** Acts on the test workspace. */
  isTest: boolean;
  /** How the key begins. */
  prefix: string;
  createdAt: Date;
  /** null: never. */
  expiresAt: Date | null;
  /** To the minute; null: never. */
  lastUsedAt: Date | null;
}

/** The user, workspace, role and scopes that a request with this key acts with. */
export interface ApiKeyState extends Membership {
  apiKeyId: number;
  userId: UserId;
  scopes: ApiKeyScope[];
  expiresAt: Date | null;
  /** The workspace that the test workspace `workspaceId` belongs to; null for a live key. */
  testOf: WorkspaceId | null;
}

export interface NewApiKey {
  name: string;
  scopes: ApiKeyScope[];
  role: Role;
  isTest: boolean;
  prefix: string;
  hash: Buffer;
  expiresAt: Date | null;
}

export async function countApiKeys(db: Connection, workspaceId: WorkspaceId): Promise<number> {
  const { count } = await db
    .selectFrom('api_keys')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Makes a key that acts in the name of a member. */
export async function insertApiKey(
  db: Connection,
  { workspaceId, userId }: { workspaceId: WorkspaceId; userId: UserId },
  key: NewApiKey,
): Promise<number> {
  const { api_key_id } = await db
    .insertInto('api_keys')
    .values({
      workspace_id: workspaceId,
      user_id: userId,
      name: key.name,
      scopes: key.scopes,
      role: key.role,
      is_test: key.isTest,
      prefix: key.prefix,
      hash: key.hash,
      expires_at: key.expiresAt,
    })
    .returning('api_key_id')
    .executeTakeFirstOrThrow();
  return api_key_id;
}

/** Oldest first. */
export async function selectApiKeys(db: Connection, workspaceId: WorkspaceId): Promise<ApiKey[]> {
  return db
    .selectFrom('api_keys')
    .select([
      'api_key_id as apiKeyId',
      'name',
      'scopes',
      'role',
      'is_test as isTest',
      'prefix',
      'created_at as createdAt',
      'expires_at as expiresAt',
      'last_used_at as lastUsedAt',
    ])
    .where('workspace_id', '=', workspaceId)
    .orderBy('api_key_id')
    .execute();
}

/** Removes one of the workspace's keys and tells all processes; undefined when it has no such key. */
export async function deleteApiKey(
  db: Connection,
  workspaceId: WorkspaceId,
  apiKeyId: number,
): Promise<{ name: string; userId: UserId } | undefined> {
  const { rows } = await sql<{ name: string; userId: UserId }>`
    delete from api_keys where workspace_id = ${workspaceId} and api_key_id = ${apiKeyId}
    returning name, user_id as "userId"`.execute(db);
  const [revoked] = rows;
  if (revoked) await notifyAfterCommit(db, 'campanile_tokens', String(revoked.userId));
  return revoked;
}

/** Removes all keys that a user has made, and tells all processes; how many there were. */
export async function deleteApiKeysOf(db: Connection, userId: UserId): Promise<number> {
  const { rows } = await sql`delete from api_keys where user_id = ${userId} returning 1`.execute(db);
  if (rows.length > 0) await notifyAfterCommit(db, 'campanile_tokens', String(userId));
  return rows.length;
}

/**
 * The key with this sha256; undefined when there is none, or its user has been deleted or disabled. A test key acts on the test workspace,
 * and on nothing where that is missing.
 */
export async function findApiKeyByHash(db: Connection, hash: Buffer): Promise<ApiKeyState | undefined> {
  const found = await db
    .selectFrom('api_keys as k')
    .innerJoin('users as u', 'u.user_id', 'k.user_id')
    .innerJoin('memberships as m', (join) =>
      join.onRef('m.workspace_id', '=', 'k.workspace_id').onRef('m.user_id', '=', 'k.user_id'),
    )
    .leftJoin('workspaces as t', (join) => join.on('k.is_test', '=', true).onRef('t.test_of', '=', 'k.workspace_id'))
    .select(['k.api_key_id as apiKeyId', 'k.user_id as userId', 'k.scopes', 'k.expires_at as expiresAt'])
    .select(['k.role as ownRole', 'm.role as makersRole'])
    .select(({ fn }) => fn.coalesce('t.workspace_id', 'k.workspace_id').as('workspaceId'))
    .select('t.test_of as testOf')
    .where('k.hash', '=', hash)
    .where(({ or, eb }) => or([eb('k.is_test', '=', false), eb('t.workspace_id', 'is not', null)]))
    .where('u.deleted_at', 'is', null)
    .where('u.disabled_at', 'is', null)
    .executeTakeFirst();
  if (!found) return undefined;
  const { ownRole, makersRole, ...state } = found;
  return { ...state, role: lowerRole(ownRole, makersRole) };
}

/** Returns the roles of those of the keys that exist and whose user is neither deleted nor disabled, by their ids. */
export async function findLivingApiKeys(db: Connection, apiKeyIds: readonly number[]): Promise<Map<number, Role>> {
  const { rows } = await sql<{ apiKeyId: number; ownRole: Role; makersRole: Role }>`
    select k.api_key_id as "apiKeyId", k.role as "ownRole", m.role as "makersRole"
    from api_keys k join users u on u.user_id = k.user_id
    join memberships m on m.workspace_id = k.workspace_id and m.user_id = k.user_id
    where k.api_key_id = any(${apiKeyIds}::bigint[]) and u.deleted_at is null and u.disabled_at is null`.execute(db);
  return new Map(rows.map(({ apiKeyId, ownRole, makersRole }) => [apiKeyId, lowerRole(ownRole, makersRole)]));
}

/** Records the use of a key, once a minute over all processes. */
export async function recordApiKeyUse(db: Connection, apiKeyId: number): Promise<void> {
  await sql`
    update api_keys set last_used_at = campanile_now()
    where api_key_id = ${apiKeyId}
      and (last_used_at is null or last_used_at <= campanile_now() - interval '1 minute')`.execute(db);
}
