/** Why an account sends nothing now: one answer for all that say so (pages, notices, webhooks, metrics, alerts, the doctor, the command line). */
import type { Connection } from '../../platform/database/statements.ts';
import type { AccountId } from '../../platform/database/schema.ts';
import { stateCodeOf, type StateCode } from '../../platform/errors/account-states.ts';
import type { WaitReason } from '../../workspaces/events/wait-reasons.ts';
import { readSendWindows } from './send-window-rules.ts';
import type { Account } from './store.ts';

/** Why posts that are due do not leave. */
export interface AccountWait {
  reason: WaitReason;
  /** Null: it has no beginning that anybody would ask for. */
  since: Date | null;
  /** When it ends by itself; null: that is not known, or a person has to act. */
  until: Date | null;
}

/** What is read of an account to explain its wait. */
type Explained = Pick<
  Account,
  | 'accountId'
  | 'heldSince'
  | 'disabledAt'
  | 'stopReason'
  | 'hasWorker'
  | 'hasRules'
  | 'status'
  | 'downSince'
  | 'pausedUntil'
  | 'pauseCause'
  | 'reason'
  | 'linkedNumber'
>;

const NO_WORKER: AccountWait = { reason: 'no_worker', since: null, until: null };

/** The ends of a link that have a reason of their own. */
const ENDS: Partial<Record<StateCode, WaitReason>> = { banned: 'banned', locked: 'locked' };

/** Returns why these accounts send nothing now; accounts that can send are left out. `timeZone` is the installation's. */
export async function findWaits(
  db: Connection,
  accounts: readonly Explained[],
  timeZone: string,
): Promise<Map<AccountId, AccountWait>> {
  const ruled = accounts.filter(({ hasRules }) => hasRules).map(({ accountId }) => accountId);
  const windows = ruled.length === 0 ? [] : await readSendWindows(db, ruled, timeZone);
  const rests = new Map(
    windows.map(({ accountId, reason, until }) => [
      accountId,
      reason && { reason, since: null, until: until && new Date(until.epochMilliseconds) },
    ]),
  );
  return new Map(
    accounts.flatMap((account): Array<[AccountId, AccountWait]> => {
      const wait = laterOf(explainState(account), rests.get(account.accountId) ?? undefined);
      return wait ? [[account.accountId, wait]] : [];
    }),
  );
}

/** A pause of the messaging application that ends before a rule allows to send is not what posts wait for. */
function laterOf(state: AccountWait | undefined, rest: AccountWait | undefined): AccountWait | undefined {
  if (!state || !rest) return state ?? rest;
  return state.until && rest.until && rest.until > state.until ? rest : state;
}

function explainState(account: Explained): AccountWait | undefined {
  const { heldSince, disabledAt, stopReason, downSince: since } = account;
  const code = stateCodeOf(account.reason ?? '');
  if (heldSince) return { reason: 'held', since: heldSince, until: null };
  if (disabledAt) return { reason: 'disabled', since: disabledAt, until: null };
  if (stopReason !== null) return { reason: 'quarantined', since, until: null };
  switch (account.status) {
    case 'connected':
      return account.hasWorker ? undefined : NO_WORKER;
    case 'unlinked':
      // Of a number that was never linked nobody asks since when.
      return { reason: 'not_linked', since: account.linkedNumber === null ? null : since, until: null };
    case 'linking':
      return { reason: 'linking', since, until: null };
    case 'logged_out':
      return { reason: (code && ENDS[code]) ?? 'logged_out', since, until: null };
    case 'reconnecting':
      if (!account.hasWorker) return NO_WORKER;
      return { reason: code === 'version_refused' ? code : 'offline', since, until: null };
    case 'paused':
      return { reason: account.pauseCause ?? 'refused', since, until: account.pausedUntil };
    default:
      return account.status satisfies never;
  }
}
