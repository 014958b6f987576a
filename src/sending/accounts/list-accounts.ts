import { sql } from 'kysely';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import type { Connection, Database } from '../../platform/database/connect.ts';
import { toState, type AccountState } from './account-status.ts';
import { readSendWindows } from './send-window-rules.ts';
import { findOwnAccounts, type Account } from './store.ts';
import type { AccountId } from '../../platform/database/schema.ts';

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

interface ListDeps {
  db: Database;
  /** IANA zone of users who chose none. */
  timeZone: string;
}

/**
 * Returns all accounts of the workspace, the default one first (contract §4, list-accounts). Throws `unauthenticated` when the user is
 * gone.
 */
export async function listAccounts(deps: ListDeps, { workspaceId }: Actor): Promise<ListedAccount[]> {
  const accounts = await findOwnAccounts(deps.db, workspaceId);
  return describeAccounts(deps.db, accounts, deps.timeZone);
}

/** Adds to accounts of one workspace what `listAccounts` says of each. */
export async function describeAccounts(
  db: Connection,
  accounts: readonly Account[],
  timeZone: string,
): Promise<ListedAccount[]> {
  const accountIds = accounts.map(({ accountId }) => accountId);
  const windows = await readSendWindows(db, accountIds, timeZone, { countsAll: true });
  const windowOf = new Map(windows.map((window) => [window.accountId, window]));
  const shares = await readShares(db, accounts);
  return accounts.map((account) => ({
    ...toState(account),
    name: account.name,
    downSince: account.downSince,
    groups: shares.get(account.accountId)?.groups ?? 0,
    groupsCanSend: shares.get(account.accountId)?.groupsCanSend ?? 0,
    queued: shares.get(account.accountId)?.queued ?? 0,
    sentToday: windowOf.get(account.accountId)?.sentToday ?? 0,
    dailyCap: windowOf.get(account.accountId)?.dailyCap ?? null,
  }));
}

interface Share {
  accountId: AccountId;
  groups: number;
  groupsCanSend: number;
  queued: number;
}

async function readShares(db: Connection, accounts: readonly Account[]): Promise<ReadonlyMap<number, Share>> {
  const { rows } = await sql<Share>`
    select i.account_id as "accountId", m.groups, m.can_send as "groupsCanSend",
           coalesce(w.queued, 0)::int as queued
    from unnest(${accounts.map(({ accountId }) => accountId)}::bigint[]) i (account_id)
    cross join lateral (
      select count(*)::int as groups, count(*) filter (where can_send)::int as can_send
      from group_accounts m where m.account_id = i.account_id and m.gone_at is null
    ) m
    left join count_queued(${accounts[0]?.workspaceId ?? 0}) w on w.account_id = i.account_id`.execute(db);
  return new Map(rows.map((row) => [row.accountId, row]));
}
