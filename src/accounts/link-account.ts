import type { Connection } from '../database/connect.ts';
import type { WorkspaceId } from '../database/schema.ts';
import { insertAccount } from './store.ts';

/** Gives a new workspace an account, in the transaction that creates its owner. On the sandbox it is connected from the start. */
export async function linkAccount(trx: Connection, workspaceId: WorkspaceId, messenger: string): Promise<void> {
  await insertAccount(trx, workspaceId, messenger, messenger === 'sandbox' ? 'connected' : 'unlinked');
}
