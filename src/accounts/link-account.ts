import type { Connection } from '../database/connect.ts';
import type { WorkspaceId } from '../database/schema.ts';
import type { MessengerTraits } from '../messenger/messenger.ts';
import { insertAccount } from './store.ts';

/** Gives a new workspace an account, in the transaction that creates its owner; connected from the start where no phone has to agree. */
export async function linkAccount(
  trx: Connection,
  workspaceId: WorkspaceId,
  messenger: MessengerTraits,
): Promise<void> {
  await insertAccount(trx, workspaceId, messenger.name, messenger.linksAtOnce ? 'connected' : 'unlinked');
}
