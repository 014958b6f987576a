/** The SQL of API keys. A key itself is nowhere stored, only its sha256. */
import { execute, readRow, readRows, type Connection } from '../../platform/database/statements.ts';
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

/** Oldest first. */
export async function selectApiKeys(db: Connection, workspaceId: WorkspaceId): Promise<ApiKey[]> {
  return readRows<ApiKey>(db)`
    select api_key_id as "apiKeyId", name, scopes, role, is_test as "isTest", prefix, created_at as "createdAt", expires_at as "expiresAt",
           last_used_at as "lastUsedAt"
    from api_keys where workspace_id = ${workspaceId} order by api_key_id`;
}

/** Removes all keys that a user has made, and tells all processes; how many there were. */
export async function deleteApiKeysOf(db: Connection, userId: UserId): Promise<number> {
  const rows = await readRows(db)`delete from api_keys where user_id = ${userId} returning 1`;
  if (rows.length > 0) await notifyAfterCommit(db, 'campanile_tokens', String(userId));
  return rows.length;
}

/**
 * The key with this sha256; undefined when there is none, or its user has been deleted or disabled. A test key acts on the test workspace,
 * and on nothing where that is missing.
 */
export async function findApiKeyByHash(db: Connection, hash: Buffer): Promise<ApiKeyState | undefined> {
  const found = await readRow<Omit<ApiKeyState, 'role'> & { ownRole: Role; makersRole: Role }>(db)`
    select k.api_key_id as "apiKeyId", k.user_id as "userId", k.scopes, k.expires_at as "expiresAt", k.role as "ownRole",
           m.role as "makersRole", coalesce(t.workspace_id, k.workspace_id) as "workspaceId", t.test_of as "testOf"
    from api_keys k
    join users u on u.user_id = k.user_id and u.deleted_at is null and u.disabled_at is null
    join memberships m on m.workspace_id = k.workspace_id and m.user_id = k.user_id
    left join workspaces t on k.is_test and t.test_of = k.workspace_id
    where k.hash = ${hash} and (not k.is_test or t.workspace_id is not null)`;
  if (!found) return undefined;
  const { ownRole, makersRole, ...state } = found;
  return { ...state, role: lowerRole(ownRole, makersRole) };
}

/** Returns the roles of those of the keys that exist and whose user is neither deleted nor disabled, by their ids. */
export async function findLivingApiKeys(db: Connection, apiKeyIds: readonly number[]): Promise<Map<number, Role>> {
  const rows = await readRows<{ apiKeyId: number; ownRole: Role; makersRole: Role }>(db)`
    select k.api_key_id as "apiKeyId", k.role as "ownRole", m.role as "makersRole"
    from api_keys k join users u on u.user_id = k.user_id
    join memberships m on m.workspace_id = k.workspace_id and m.user_id = k.user_id
    where k.api_key_id = any(${apiKeyIds}::bigint[]) and u.deleted_at is null and u.disabled_at is null`;
  return new Map(rows.map(({ apiKeyId, ownRole, makersRole }) => [apiKeyId, lowerRole(ownRole, makersRole)]));
}

/** Records the use of a key, once a minute over all processes. */
export async function recordApiKeyUse(db: Connection, apiKeyId: number): Promise<void> {
  await execute(db)`
    update api_keys set last_used_at = campanile_now()
    where api_key_id = ${apiKeyId}
      and (last_used_at is null or last_used_at <= campanile_now() - interval '1 minute')`;
}
