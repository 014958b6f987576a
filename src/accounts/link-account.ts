import type { Connection } from '../database/connect.ts';
import type { MessengerTraits } from '../messenger/messenger.ts';
import { insertAccount } from './store.ts';

/** Gives a new user an account, in the transaction that creates the user; connected from the start where no phone has to agree. */
export async function linkAccount(trx: Connection, userId: number, messenger: MessengerTraits): Promise<void> {
  await insertAccount(trx, userId, messenger.name, messenger.linksAtOnce ? 'connected' : 'unlinked');
}
