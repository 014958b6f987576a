import { diffValues } from '../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { ApiKeyScope, Role, Schema, WorkspaceId } from '../../platform/database/schema.ts';
import { AppError, invalid, fieldError } from '../../platform/errors/errors.ts';
import { hashSecret } from '../../platform/secrets/hash-secret.ts';
import { generateApiKey } from './api-key.ts';
import type { UserDependencies } from '../dependencies.ts';
import { lockWorkspaceOf } from '../members/member-store.ts';
import { lowerRole } from '../../workspaces/members/roles.ts';
import { hasRow, readCount, readOne, readRows } from '../../platform/database/statements.ts';
import type { Transaction } from 'kysely';

/** A workspace has at most so many keys, expired ones counted until they are revoked. */
const API_KEYS_LIMIT = 50;

export interface ApiKeyInput {
  name: string;
  scopes: readonly ApiKeyScope[];
  /** The actor's own unless given, and never above it. */
  role?: Role | undefined;
  /** Acts on the test workspace. */
  isTest?: boolean | undefined;
  /** null: never. */
  expiresAt: Date | null;
}

/**
 * Makes an API key, which serves wherever a Bearer token does, as far as its scopes reach (contract §4). The key is answered here
 * and never again: only its sha256 is kept. The first test key creates the test workspace. At the 51st key the one that expired first goes. Throws `invalid` on
 * `expires_at` when that is past, `conflict` at the 51st that has not expired and for a former owner.
 */
export async function createApiKey(
  { db, clock, onTestWorkspaceCreated }: Pick<UserDependencies, 'db' | 'clock' | 'onTestWorkspaceCreated'>,
  actor: Actor,
  { name, scopes, role = actor.role, isTest = false, expiresAt }: ApiKeyInput,
): Promise<{ apiKeyId: number; key: string }> {
  if (expiresAt && expiresAt.getTime() <= clock.nowMs()) throw invalid([fieldError('expires_at', 'in_past')]);
  const { key, prefix } = generateApiKey(isTest);
  return db.transaction().execute(async (trx) => {
    await lockWorkspaceOf(trx, actor);
    const { userId, workspaceId } = actor;
    const isFull =
      (await readCount(trx)`select count(*) from api_keys where workspace_id = ${workspaceId}`) >= API_KEYS_LIMIT;
    const hasRoom =
      !isFull ||
      (await hasRow(trx)`
        delete from api_keys where api_key_id = (
          select api_key_id from api_keys where workspace_id = ${workspaceId} and expires_at <= ${new Date(clock.nowMs())}
          order by expires_at, api_key_id limit 1)
        returning 1`);
    if (!hasRoom)
      throw new AppError(
        'api_key_limit_reached',
        `You have reached the limit of ${API_KEYS_LIMIT} API keys. Revoke one first.`,
      );
    if (isTest) await ensureTestWorkspace(trx, workspaceId, onTestWorkspaceCreated);
    const [ownScopes, ownRole] = [[...new Set(scopes)], lowerRole(role, actor.role)];
    const { apiKeyId } = await readOne<{ apiKeyId: number }>(trx)`
      insert into api_keys (workspace_id, user_id, name, scopes, role, is_test, prefix, hash, expires_at)
      values (${workspaceId}, ${userId}, ${name}, ${ownScopes}, ${ownRole}, ${isTest}, ${prefix}, ${hashSecret(key)}, ${expiresAt})
      returning api_key_id as "apiKeyId"`;
    const changes = diffValues({}, { role: ownRole, scopes: ownScopes, is_test: isTest, expires_at: expiresAt });
    await recordAudit(trx, { ...actor, action: 'api_key.created', subject: name, changes });
    return { apiKeyId, key };
  });
}

/**
 * Gives a workspace its test workspace, unless it has one: a workspace without members, on which the test keys act. The workspace must
 * be locked, so that two keys do not create it twice.
 */
async function ensureTestWorkspace(
  trx: Transaction<Schema>,
  workspaceId: WorkspaceId,
  onCreated: UserDependencies['onTestWorkspaceCreated'],
): Promise<void> {
  const rows = await readRows<{ testId: WorkspaceId }>(trx)`
    insert into workspaces (test_of) values (${workspaceId})
    on conflict (test_of) where test_of is not null do nothing returning workspace_id as "testId"`;
  for (const { testId } of rows) await onCreated(trx, testId);
}
