import { readRows, readValue, type Connection } from '../../platform/database/statements.ts';
import { readResting } from '../accounts/send-window-rules.ts';
import { remakeListsOfSenders } from './group-lists.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

/** An account that is a member of a group. */
export interface Way {
  accountId: AccountId;
  canSend: boolean;
  /** Null: not known. */
  isAdmin: boolean | null;
  /** When a sync of the account last found the group, to the hour. */
  seenAt: Date;
  /** Whether a run that begins now is sent by this account. */
  isSender: boolean;
}

/** Returns the accounts that are members of each of these groups of a workspace, the default account first. `timeZone` is the installation's. */
export async function readWays(
  db: Connection,
  workspaceId: WorkspaceId,
  groupIds: readonly number[],
  timeZone: string,
): Promise<Map<number, Way[]>> {
  await remakeListsOfSenders(db, workspaceId);
  const resting = await readResting(db, [workspaceId], timeZone);
  const rows = await readRows<Way & { groupId: number }>(db)`
    select m.group_id as "groupId", m.account_id as "accountId", m.can_send as "canSend", m.is_admin as "isAdmin",
           m.seen_at as "seenAt", m.account_id = s.account_id as "isSender"
    from choose_senders(${workspaceId}, ${[...groupIds]}::bigint[], resting => ${resting}::bigint[]) s join group_accounts m on m.group_id = s.group_id
    join accounts a on a.account_id = m.account_id
    where m.gone_at is null
    order by m.group_id, not a.is_default, m.account_id`;
  return Map.groupBy(rows, ({ groupId }) => groupId) as Map<number, Way[]>;
}

/**
 * Returns the account to ask about a group: of its members one whose session is live, then the default account, then an admin.
 * Undefined if no account is known to be a member.
 */
export async function findMember(db: Connection, groupId: number): Promise<AccountId | undefined> {
  return readValue<AccountId>(db)`
    select m.account_id as "accountId" from group_accounts m join accounts a using (account_id)
    where m.group_id = ${groupId} and m.gone_at is null
    order by a.status in ('connected', 'paused') desc, not a.is_default, m.is_admin desc nulls last, m.account_id
    limit 1`;
}
