import { recordAudit, type Actor } from '../audit/record-audit.ts';
import { AppError } from '../lib/errors.ts';
import { deleteApiKey } from './api-key-store.ts';
import type { UserDependencies } from './dependencies.ts';

/**
 * Revokes one of the user's API keys: at once in this process, within a second in all others (contract §4). Throws `not_found`
 * for a key that is not the user's, whether it exists or not.
 */
export async function revokeApiKey(
  { db, apiKeyStates }: Pick<UserDependencies, 'db' | 'apiKeyStates'>,
  actor: Actor,
  apiKeyId: number,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const name = await deleteApiKey(trx, actor.userId, apiKeyId);
    if (name === undefined)
      throw new AppError('not_found', 'No such API key', {
        details: [{ field: 'api_key_id', issue: 'is not one of your API keys' }],
      });
    await recordAudit(trx, { ...actor, action: 'api_key.revoked', subject: name });
  });
  apiKeyStates.drop(actor.userId);
}
