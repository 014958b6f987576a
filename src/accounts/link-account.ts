import type { Connection } from '../database/connect.ts';
import { insertAccount } from './store.ts';

/** Gives a new user an account, in the transaction that creates the user. On the sandbox it is connected from the start. */
export async function linkAccount(trx: Connection, userId: number, messenger: string): Promise<void> {
  await insertAccount(trx, userId, messenger, messenger === 'sandbox' ? 'connected' : 'unlinked');
}
