import type { Database } from '../database/connect.ts';
import type { AccountStatus } from '../database/schema.ts';
import { findAccountOfUser } from './store.ts';

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

/** The state of the user's link to the messaging application (contract §4, account-status). */
export async function readAccountStatus({ db }: { db: Database }, userId: number): Promise<AccountState> {
  const account = await findAccountOfUser(db, userId);
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
