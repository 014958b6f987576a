import type { Actor } from '../audit/record-audit.ts';
import type { Database } from '../database/connect.ts';
import type { AccountStatus, WorkspaceId } from '../database/schema.ts';
import { findOwnAccounts, LINKED, userIsGone, type Account } from './store.ts';

export interface AccountState {
  messenger: string;
  status: AccountStatus;
  /** As the owner wrote it at sign-up. */
  whatsappNumber: string;
  /** While linking: what the phone is to scan, or what is to be entered there, and until when that is good. */
  qr?: string;
  pairingCode?: string;
  expiresAt?: Date;
  /** While paused, unless the account was stopped: then it does not go on by itself. */
  pausedUntil?: Date;
  /** One sentence on why the account is not connected. */
  reason?: string;
}

/** The state of the workspace's link to the messaging application (contract §4, account-status). Throws when the user is gone. */
export async function readAccountStatus(deps: { db: Database }, { workspaceId }: Actor): Promise<AccountState> {
  const state = (await readAccountStates(deps, [workspaceId])).get(workspaceId);
  if (!state) throw userIsGone();
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
  if (stopReason !== null && LINKED.has(status))
    return { messenger, status: 'paused', whatsappNumber, reason: stopReason };
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
