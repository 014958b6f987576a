import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';

/**
 * Ends all ways of an account to groups, because it is removed or changes to another messenger. A group that another account still sees
 * stays, and can be posted to if one of those accounts may. A group without a way is removed. The lane of the ledger must be locked.
 */
export async function endWays(trx: Connection, accountId: number): Promise<void> {
  const { rows } = await sql<{ groupId: number }>`
    update group_accounts set gone_at = campanile_now(), can_send = false
    where account_id = ${accountId} and gone_at is null returning group_id as "groupId"`.execute(trx);
  const groupIds = rows.map(({ groupId }) => groupId);
  if (groupIds.length > 0) await sumWays(trx, groupIds);
}

/** Recomputes what groups have of the ways to them: whether any account may post, and since when none sees the group. */
async function sumWays(trx: Connection, groupIds: readonly number[]): Promise<void> {
  await sql`
    update groups g
    set can_send = w.can_send, removed_at = case when w.is_seen then null else coalesce(g.removed_at, campanile_now()) end
    from (
      select i.group_id, count(m.group_id) > 0 as is_seen, coalesce(bool_or(m.can_send), false) as can_send
      from unnest(${[...groupIds]}::bigint[]) i (group_id)
      left join group_accounts m on m.group_id = i.group_id and m.gone_at is null
      group by i.group_id
    ) w
    where g.group_id = w.group_id and (g.can_send, g.removed_at is null) is distinct from (w.can_send, w.is_seen)`.execute(
    trx,
  );
}
