import type { Actor } from '../../workspaces/audit/record-audit.ts';
import type { Database } from '../../platform/database/statements.ts';
import type { AccountId, AccountStatus, WorkspaceId } from '../../platform/database/schema.ts';
import type { PasskeyStep } from '../../messengers/messenger.ts';
import { STATE_REASONS, stateCodeOf, type StateCode } from '../../platform/errors/account-states.ts';
import { findWaits, type AccountWait } from './find-waits.ts';
import type { StoredOwnData } from './own-data.ts';
import { findAccountsOf, findOwnAccount, LINKED, type Account } from './store.ts';

export interface AccountState extends StoredOwnData {
  accountId: AccountId;
  isDefault: boolean;
  messenger: string;
  status: AccountStatus;
  /** As the owner wrote it. */
  whatsappNumber: string;
  /** A phone has been linked with it: it cannot be changed any more. */
  isNumberFixed: boolean;
  /** While linking: what the phone is to scan, or what is to be entered there, and until when that is good. */
  qr?: string;
  pairingCode?: string;
  /** In place of a code: a phone has agreed, and its passkey has to be shown. */
  passkey?: PasskeyStep;
  expiresAt?: Date;
  /** While paused, unless the account was stopped: then it does not go on by itself. */
  pausedUntil?: Date;
  /** One sentence on why the account is not connected, and its code. */
  reason?: string;
  reasonCode?: StateCode;
  /** One sentence: a restriction that slows the account down, and does not keep it from sending. */
  warning?: string;
  warnedUntil?: Date;
  /** Until then an ended link may be tried once more. */
  retryUntil?: Date;
  /** The whole ledger is held: nothing is sent of any account (contract §5). */
  heldSince?: Date;
  /** Why posts of the account that are due do not leave. Undefined: they leave. */
  wait?: AccountWait | undefined;
  /** The messaging application has not told the channels since then: the known ones are kept. */
  channelsUnreadSince?: Date;
  /** Digits, of the phone that was just refused for another number than the owner's, where that number can be taken over. */
  scannedNumber?: string;
}

export interface StatusDeps {
  db: Database;
  /** IANA zone of users who chose none. */
  timeZone: string;
}

/**
 * Returns the state of the link of an account of the workspace, by default its default account (contract §4, account-status). Throws
 * `account_not_found`, and `unauthenticated` when the user is gone.
 */
export async function readAccountStatus(
  { db, timeZone }: StatusDeps,
  { workspaceId }: Actor,
  accountId?: AccountId,
): Promise<AccountState> {
  const account = await findOwnAccount(db, workspaceId, accountId);
  return toState(account, await findWaits(db, [account], timeZone));
}

/** Returns the states of the accounts of many workspaces, by workspace, the default one first. A workspace whose owner is gone has none. */
export async function readAccountStates(
  { db, timeZone }: StatusDeps,
  workspaceIds: readonly WorkspaceId[],
): Promise<Map<WorkspaceId, AccountState[]>> {
  const accounts = await findAccountsOf(db, workspaceIds);
  const waits = await findWaits(db, accounts, timeZone);
  return new Map(
    Map.groupBy(accounts, ({ workspaceId }) => workspaceId)
      .entries()
      .map(([id, some]) => [id, some.map((account) => toState(account, waits))]),
  );
}

export function toState(account: Account, waits: ReadonlyMap<AccountId, AccountWait>): AccountState {
  const { accountId, isDefault, messenger, status, whatsappNumber, qr, pairingCode, passkey, codeExpiresAt } = account;
  const { pausedUntil, reason, stopReason, scannedNumber } = account;
  const about = {
    accountId,
    isDefault,
    messenger,
    whatsappNumber,
    externalId: account.externalId,
    metadata: account.metadata,
    isNumberFixed: account.linkedNumber !== null,
    wait: waits.get(accountId),
    ...(account.heldSince && { heldSince: account.heldSince }),
    ...(account.warningReason !== null &&
      account.warnedUntil &&
      account.warningLeftMs > 0 && { warning: account.warningReason, warnedUntil: account.warnedUntil }),
    ...(account.channelsUnreadSince && { channelsUnreadSince: account.channelsUnreadSince }),
  };
  if (account.disabledAt && LINKED.has(status))
    return { ...about, status: 'paused', ...explain(STATE_REASONS.disabled) };
  if (stopReason !== null && LINKED.has(status)) return { ...about, status: 'paused', ...explain(stopReason) };
  return {
    ...about,
    status,
    ...(account.isCodeGood && {
      ...(qr !== null && { qr }),
      ...(pairingCode !== null && { pairingCode }),
      ...(passkey && { passkey }),
      ...(codeExpiresAt && { expiresAt: codeExpiresAt }),
    }),
    ...(pausedUntil && { pausedUntil }),
    ...(reason !== null && explain(reason)),
    ...(account.retryUntil && { retryUntil: account.retryUntil }),
    ...(scannedNumber !== null && { scannedNumber }),
  };
}

function explain(reason: string): Pick<AccountState, 'reason' | 'reasonCode'> {
  const code = stateCodeOf(reason);
  return { reason, ...(code && { reasonCode: code }) };
}
