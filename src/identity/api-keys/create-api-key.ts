import { diffValues } from '../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { ApiKeyScope, Role } from '../../platform/database/schema.ts';
import { AppError, invalid } from '../../platform/errors/errors.ts';
import { hashSecret } from '../../platform/secrets/hash-secret.ts';
import { generateApiKey } from './api-key.ts';
import { countApiKeys, insertApiKey } from './api-key-store.ts';
import { ensureTestWorkspace } from './test-workspace.ts';
import type { UserDependencies } from '../dependencies.ts';
import { lockWorkspaceOf } from '../members/member-store.ts';
import { lowerRole } from '../../workspaces/members/roles.ts';
import { fieldError } from '../../platform/errors/issues.ts';

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
 * and never again: only its sha256 is kept. The first test key creates the test workspace. Throws `invalid` on `expires_at` when that is
 * past, `conflict` at the 51st key and for a former owner.
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
    if ((await countApiKeys(trx, actor.workspaceId)) >= API_KEYS_LIMIT)
      throw new AppError(
        'api_key_limit_reached',
        `You have reached the limit of ${API_KEYS_LIMIT} API keys. Revoke one first.`,
      );
    if (isTest) await ensureTestWorkspace(trx, actor.workspaceId, onTestWorkspaceCreated);
    const stored = {
      name,
      scopes: [...new Set(scopes)],
      role: lowerRole(role, actor.role),
      isTest,
      prefix,
      hash: hashSecret(key),
      expiresAt,
    };
    const apiKeyId = await insertApiKey(trx, actor, stored);
    const changes = diffValues(
      {},
      { role: stored.role, scopes: stored.scopes, is_test: isTest, expires_at: expiresAt },
    );
    await recordAudit(trx, { ...actor, action: 'api_key.created', subject: name, changes });
    return { apiKeyId, key };
  });
}
