import { remakeListsOfSenders } from '../../groups/group-lists.ts';
import { readRows, type Connection } from '../../../platform/database/statements.ts';
import type { AccountId, WorkspaceId } from '../../../platform/database/schema.ts';

/** The groups of a campaign to which one account of the workspace sends. */
export interface SenderShare {
  accountId: AccountId;
  /** Null: the workspace has no other account. */
  name: string | null;
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
  await remakeListsOfSenders(db, workspaceId);
  return readRows<SenderShare>(db)`
    with share as (
      select account_id, count(*)::int as groups
      from choose_senders(${workspaceId}, ${[...groupIds]}::bigint[], ${wanted}::bigint, resting => ${[...resting]}::bigint[])
      group by 1
    )
    select a.account_id as "accountId", a.messenger,
           case when (select count(*) from lanes where workspace_id = ${workspaceId}) > 1
             then coalesce(a.name, a.whatsapp_number, a.messenger) end as name, a.status = 'connected' as "isConnected", s.groups
    from share s cross join lateral (select * from accounts where account_id = s.account_id limit 1) a
    order by not a.is_default, a.account_id`;
}

/** The account in the parameters of a warning, by its name where there are several. */
export function namedIn({ accountId, name }: Pick<SenderShare, 'accountId' | 'name'>) {
  return { account_id: accountId, ...(name !== null && { account: name }) };
}

/** The account in the sentence of a warning. */
export function possessive({ name }: Pick<SenderShare, 'name'>): string {
  return name === null ? 'your account' : `the account “${name}”`;
}

/** The same at the beginning of a sentence. */
export function subjectOf(share: Pick<SenderShare, 'name'>): string {
  const text = possessive(share);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
