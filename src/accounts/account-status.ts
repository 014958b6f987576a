import type { Database } from '../database/connect.ts';
import type { AccountStatus } from '../database/schema.ts';
import { findAccountsOfUsers, userIsGone, type Account } from './store.ts';

export interface AccountState {
  messenger: string;
  status: AccountStatus;
  /** As the user wrote it at sign-up. */
  whatsappNumber: string;
  /** While linking: what the phone is to scan, or what is to be entered there, and until when that is good. */
  qr?: string;
  pairingCode?: string;
  expiresAt?: Date;
  /** While paused. */
  pausedUntil?: Date;
  /** One sentence on why the account is not connected. */
  reason?: string;
}

/** The state of the user's link to the messaging application (contract §4, account-status). Throws when the user is gone. */
export async function readAccountStatus(deps: { db: Database }, userId: number): Promise<AccountState> {
  const state = (await readAccountStates(deps, [userId])).get(userId);
  if (!state) throw userIsGone();
  return state;
}

/** The same of many users, by user, in one statement; of users who are gone there is none. */
export async function readAccountStates(
  { db }: { db: Database },
  userIds: readonly number[],
): Promise<Map<number, AccountState>> {
  const accounts = await findAccountsOfUsers(db, userIds);
  return new Map(accounts.map((account) => [account.userId, toState(account)]));
}

function toState(account: Account): AccountState {
  const { messenger, status, whatsappNumber, qr, pairingCode, codeExpiresAt, pausedUntil, reason } = account;
  return {
    messenger,
    status,
    whatsappNumber,
    ...(account.isCodeGood && {
      ...(qr !== null && { qr }),
      ...(pairingCode !== null && { pairingCode }),
      ...(codeExpiresAt && { expiresAt: codeExpiresAt }),
    }),
    ...(pausedUntil && { pausedUntil }),
    ...(reason !== null && { reason }),
  };
}
