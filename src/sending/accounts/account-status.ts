import type { Actor } from '../../workspaces/audit/record-audit.ts';
import type { Database } from '../../platform/database/connect.ts';
import type { AccountStatus, WorkspaceId } from '../../platform/database/schema.ts';
import { findOwnAccounts, LINKED, userGoneError, type Account } from './store.ts';

export interface AccountState {
  messenger: string;
  status: AccountStatus;
  /** As the owner wrote it. */
  whatsappNumber: string;
  /** A phone has been linked with it: it cannot be changed any more. */
  isNumberFixed: boolean;
  /** While linking: what the phone is to scan, or what is to be entered there, and until when that is good. */
  qr?: string;
  pairingCode?: string;
  expiresAt?: Date;
  /** While paused, unless the account was stopped: then it does not go on by itself. */
  pausedUntil?: Date;
  /** One sentence on why the account is not connected. */
  reason?: string;
  /** The whole ledger is held: nothing is sent of any account (contract §5). */
  heldSince?: Date;
  /** The messaging application has not told the channels since then: the known ones are kept. */
  channelsUnreadSince?: Date;
  /** Digits, of the phone that was just refused for another number than the owner's, where that number can be taken over. */
  scannedNumber?: string;
}

/** The state of the workspace's link to the messaging application (contract §4, account-status). Throws when the user is gone. */
export async function readAccountStatus(deps: { db: Database }, { workspaceId }: Actor): Promise<AccountState> {
  const state = (await readAccountStates(deps, [workspaceId])).get(workspaceId);
  if (!state) throw userGoneError();
  return state;
}

/** The same of many workspaces, by workspace, in one statement; of those whose owner is gone there is none. */
export async function readAccountStates(
  { db }: { db: Database },
  workspaceIds: readonly WorkspaceId[],
): Promise<Map<WorkspaceId, AccountState>> {
  const accounts = await findOwnAccounts(db, workspaceIds);
  return new Map(accounts.map((account) => [account.workspaceId, toState(account)]));
}

function toState(account: Account): AccountState {
  const { messenger, status, whatsappNumber, qr, pairingCode, codeExpiresAt, pausedUntil, reason, stopReason } =
    account;
  const { scannedNumber } = account;
  const about = {
    messenger,
    whatsappNumber,
    isNumberFixed: account.linkedNumber !== null,
    ...(account.heldSince && { heldSince: account.heldSince }),
    ...(account.channelsUnreadSince && { channelsUnreadSince: account.channelsUnreadSince }),
  };
  if (stopReason !== null && LINKED.has(status)) return { ...about, status: 'paused', reason: stopReason };
  return {
    ...about,
    status,
    ...(account.isCodeGood && {
      ...(qr !== null && { qr }),
      ...(pairingCode !== null && { pairingCode }),
      ...(codeExpiresAt && { expiresAt: codeExpiresAt }),
    }),
    ...(pausedUntil && { pausedUntil }),
    ...(reason !== null && { reason }),
    ...(scannedNumber !== null && { scannedNumber }),
  };
}
