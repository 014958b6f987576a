import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { deleteApiKey } from './api-key-store.ts';
import type { UserDependencies } from '../dependencies.ts';
import { fieldError } from '../../platform/errors/issues.ts';

/**
 * Revokes one of the workspace's API keys: at once in this process, within a second in all others (contract §4). Throws
 * `not_found` for a key that is not the workspace's, whether it exists or not.
 */
export async function revokeApiKey(
  { db, apiKeyStates }: Pick<UserDependencies, 'db' | 'apiKeyStates'>,
  actor: Actor,
  apiKeyId: number,
): Promise<void> {
  const { userId } = await db.transaction().execute(async (trx) => {
    const revoked = await deleteApiKey(trx, actor.workspaceId, apiKeyId);
    if (!revoked)
      throw new AppError('api_key_not_found', 'You have no API key with this id', {
        details: [fieldError('api_key_id', 'unknown_id', { of: 'API keys' })],
      });
    await recordAudit(trx, { ...actor, action: 'api_key.revoked', subject: revoked.name });
    return revoked;
  });
  apiKeyStates.drop(userId);
}
