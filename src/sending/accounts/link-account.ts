import type { Connection } from '../../platform/database/connect.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import type { MessengerCapabilities } from '../../messengers/messenger.ts';

/**
 * Gives a new workspace an account and its lane, in the transaction that creates its owner; connected from the start where no phone has
 * to agree.
 */
export async function linkAccount(
  trx: Connection,
  workspaceId: WorkspaceId,
  { name: messenger, linksAtOnce }: MessengerCapabilities,
): Promise<void> {
  const { account_id } = await trx
    .insertInto('accounts')
    .values({ workspace_id: workspaceId, messenger, status: linksAtOnce ? 'connected' : 'unlinked' })
    .returning('account_id')
    .executeTakeFirstOrThrow();
  await trx.insertInto('lanes').values({ account_id, messenger }).execute();
}
