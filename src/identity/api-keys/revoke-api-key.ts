import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { AppError, fieldError } from '../../platform/errors/errors.ts';
import type { UserDependencies } from '../dependencies.ts';
import { readRow } from '../../platform/database/statements.ts';
import type { UserId } from '../../platform/database/schema.ts';
import { notifyAfterCommit } from '../../platform/database/notify-after-commit.ts';

/**
 * Revokes one of the workspace's API keys: at once in this process, within a second in all others (contract §4). Throws
 * `not_found` for a key that is not the workspace's, whether it exists or not.
 */
export async function revokeApiKey(
  { db, dropCached }: Pick<UserDependencies, 'db' | 'dropCached'>,
  actor: Actor,
  apiKeyId: number,
): Promise<void> {
  const { userId } = await db.transaction().execute(async (trx) => {
    const revoked = await readRow<{ name: string; userId: UserId }>(trx)`
      delete from api_keys where workspace_id = ${actor.workspaceId} and api_key_id = ${apiKeyId}
      returning name, user_id as "userId"`;
    if (!revoked)
      throw new AppError('api_key_not_found', 'You have no API key with this id', {
        details: [fieldError('api_key_id', 'unknown_id', { of: 'API keys' })],
      });
    await notifyAfterCommit(trx, 'campanile_tokens', String(revoked.userId));
    await recordAudit(trx, { ...actor, action: 'api_key.revoked', subject: revoked.name });
    return revoked;
  });
  dropCached(userId);
}
