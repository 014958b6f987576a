import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/connect.ts';

/** The groups of a campaign to which one account of the workspace sends. */
export interface SenderShare {
  accountId: number;
  messenger: string;
  isConnected: boolean;
  groups: number;
}

/**
 * Returns which accounts would send a run to these groups of a ledger if it began now, the default account first. `wanted` is the account
 * that the campaign names.
 */
export async function countSenders(
  db: Connection,
  ledgerId: number,
  { groupIds, wanted = null }: { groupIds: readonly number[]; wanted?: number | null | undefined },
): Promise<SenderShare[]> {
  const { rows } = await sql<SenderShare>`
    with share as (
      select coalesce(sender_id, ${ledgerId}) as account_id, count(*)::int as groups
      from choose_senders(${ledgerId}, ${[...groupIds]}::bigint[], ${wanted}::bigint) group by 1
    )
    select a.account_id as "accountId", a.messenger, a.status = 'connected' as "isConnected", s.groups
    from share s join accounts a using (account_id)
    order by a.account_id <> ${ledgerId}, a.account_id`.execute(db);
  return rows;
}
