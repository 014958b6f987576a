import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';

/** An account that is a member of a group. */
export interface Way {
  accountId: number;
  canSend: boolean;
  /** Null: not known. */
  isAdmin: boolean | null;
  /** When a sync of the account last found the group, to the hour. */
  seenAt: Date;
  /** Whether a run that begins now is sent by this account. */
  isSender: boolean;
}

/** Returns the accounts that are members of each of these groups of a ledger, the default account first. */
export async function readWays(
  db: Connection,
  ledgerId: number,
  groupIds: readonly number[],
): Promise<Map<number, Way[]>> {
  const { rows } = await sql<Way & { groupId: number }>`
    select m.group_id as "groupId", m.account_id as "accountId", m.can_send as "canSend", m.is_admin as "isAdmin",
           m.seen_at as "seenAt", m.account_id = coalesce(s.sender_id, ${ledgerId}) as "isSender"
    from choose_senders(${ledgerId}, ${[...groupIds]}::bigint[]) s join group_accounts m on m.group_id = s.group_id
    where m.gone_at is null
    order by m.group_id, m.account_id <> ${ledgerId}, m.account_id`.execute(db);
  return Map.groupBy(rows, ({ groupId }) => groupId) as Map<number, Way[]>;
}

/**
 * Returns the account to ask about a group of a ledger: of its members one whose session is live, then the default account, then an admin.
 * The default account if no account is known to be a member.
 */
export async function findMember(db: Connection, ledgerId: number, groupId: number): Promise<number> {
  const { rows } = await sql<{ accountId: number }>`
    select m.account_id as "accountId" from group_accounts m join accounts a using (account_id)
    where m.group_id = ${groupId} and m.gone_at is null
    order by a.status in ('connected', 'paused') desc, m.account_id <> ${ledgerId}, m.is_admin desc nulls last, m.account_id
    limit 1`.execute(db);
  return rows[0]?.accountId ?? ledgerId;
}
