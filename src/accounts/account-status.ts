import type { Database } from '../database/connect.ts';
import type { AccountStatus } from '../database/schema.ts';
import { findAccountOfUser } from './store.ts';

export interface AccountState {
  messenger: string;
  status: AccountStatus;
  /** As the user wrote it at sign-up. */
  whatsappNumber: string;
}

/** The state of the user's link to the messaging application (contract §4, account-status). */
export async function readAccountStatus({ db }: { db: Database }, userId: number): Promise<AccountState> {
  const { messenger, status, whatsappNumber } = await findAccountOfUser(db, userId);
  return { messenger, status, whatsappNumber };
}
