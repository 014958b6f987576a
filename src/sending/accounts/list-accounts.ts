import { readRows, type Connection } from '../../platform/database/statements.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { toState, type AccountState, type StatusDeps } from './account-status.ts';
import { findWaits } from './find-waits.ts';
import type { OwnData } from './own-data.ts';
import { readSendWindows } from './send-window-rules.ts';
import { findOwnAccounts, type Account } from './store.ts';

/** An account of a workspace, and its share of the work. */
export interface ListedAccount extends AccountState {
  name: string | null;
  /** Since when it cannot send; null: it can. */
  downSince: Date | null;
  /** Groups in which it is a member, and of these the groups to which it may post. */
  groups: number;
  groupsCanSend: number;
  /** Deliveries that wait for it in running runs. */
  queued: number;
  /** Posts of today, in the owner's zone, that left, may have left, or are in hand. */
  sentToday: number;
  dailyCap: number | null;
}

/**
 * Returns the accounts of the workspace that match a filter, the default one first (contract §4, list-accounts). Throws `unauthenticated`
 * when the user is gone.
 */
export async function listAccounts(
  deps: StatusDeps,
  { workspaceId }: Actor,
  filter?: OwnData,
): Promise<ListedAccount[]> {
  const accounts = await findOwnAccounts(deps.db, workspaceId, filter);
  return describeAccounts(deps.db, accounts, deps.timeZone);
}

/** Adds to accounts of one workspace what `listAccounts` says of each. */
export async function describeAccounts(db: Connection, accounts: readonly Account[], timeZone: string) {
  const accountIds = accounts.map(({ accountId }) => accountId);
  const windows = await readSendWindows(db, accountIds, timeZone, { countsAll: true });
  const windowOf = new Map(windows.map((window) => [window.accountId, window]));
  const waits = await findWaits(db, accounts, timeZone);
  const shares = await readShares(db, accounts);
  const nothing = { groups: 0, groupsCanSend: 0, queued: 0 };
  return accounts.map((account) => {
    const { sentToday, dailyCap } = windowOf.get(account.accountId) ?? {};
    return {
      ...toState(account, waits),
      name: account.name,
      downSince: account.downSince,
      ...nothing,
      ...shares.get(account.accountId),
      sentToday: sentToday ?? 0,
      dailyCap: dailyCap ?? null,
    };
  });
}

type Share = Pick<ListedAccount, 'accountId' | 'groups' | 'groupsCanSend' | 'queued'>;

async function readShares(db: Connection, accounts: readonly Account[]): Promise<ReadonlyMap<number, Share>> {
  const rows = await readRows<Share>(db)`
    select i.account_id as "accountId", m.groups, m.can_send as "groupsCanSend",
           coalesce(w.queued, 0)::int as queued
    from unnest(${accounts.map(({ accountId }) => accountId)}::bigint[]) i (account_id)
    cross join lateral (
      select count(*)::int as groups, count(*) filter (where can_send)::int as can_send
      from group_accounts m where m.account_id = i.account_id and m.gone_at is null
    ) m
    left join count_queued(${accounts[0]?.workspaceId ?? 0}) w on w.account_id = i.account_id`;
  return new Map(rows.map((row) => [row.accountId, row]));
}
