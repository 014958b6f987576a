import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/connect.ts';
import type { AccountId, WorkspaceId } from '../../../platform/database/schema.ts';

/** The groups of a campaign to which one account of the workspace sends. */
export interface SenderShare {
  accountId: AccountId;
  messenger: string;
  isConnected: boolean;
  groups: number;
}

/**
 * Returns which accounts would send a run to these groups of a workspace if it began now, the default account first. `wanted` is the account
 * that the campaign names. Accounts in `resting` send only where no other can.
 */
export async function countSenders(
  db: Connection,
  workspaceId: WorkspaceId,
  {
    groupIds,
    wanted = null,
    resting,
  }: { groupIds: readonly number[]; wanted?: number | null | undefined; resting: readonly AccountId[] },
): Promise<SenderShare[]> {
  const { rows } = await sql<SenderShare>`
    with share as (
      select account_id, count(*)::int as groups
      from choose_senders(${workspaceId}, ${[...groupIds]}::bigint[], ${wanted}::bigint, resting => ${[...resting]}::bigint[])
      group by 1
    )
    select a.account_id as "accountId", a.messenger, a.status = 'connected' as "isConnected", s.groups
    from share s cross join lateral (select * from accounts where account_id = s.account_id limit 1) a
    order by not a.is_default, a.account_id`.execute(db);
  return rows;
}
