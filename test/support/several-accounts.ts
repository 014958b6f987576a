/** Further accounts of a workspace, created without the API. */
import { sql } from 'kysely';
import type { Database } from '../../src/platform/database/statements.ts';
import { shareRuns } from '../../src/sending/accounts/store.ts';
import { recordState } from '../../src/sending/sessions/record-state.ts';
import type { Owner } from './ledger.ts';
import type { AccountId } from '../../src/platform/database/schema.ts';

let accounts = 0;

/** Adds a connected account to the owner's workspace, a member of these groups, of all unless given. Returns its id. */
export async function addAccount(
  db: Database,
  owner: Owner,
  { groupIds = owner.groupIds, canSend = true }: { groupIds?: readonly number[]; canSend?: boolean } = {},
): Promise<AccountId> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ accountId: AccountId }>`
      insert into accounts (workspace_id, messenger, status, is_default, name, whatsapp_number, whatsapp_digits)
      values (${owner.workspaceId}, 'sandbox', 'connected', false, ${`Account ${++accounts}`}, ${`+${accounts}`}, ${String(accounts)})
      returning account_id as "accountId"`.execute(trx);
    const accountId = rows[0]?.accountId ?? (Number.NaN as AccountId);
    await sql`
      insert into lanes (account_id, messenger) values (${accountId}, 'sandbox')`.execute(trx);
    await addWays(trx, owner.accountId, owner.groupIds, true);
    await addWays(trx, accountId, groupIds, canSend);
    await shareRuns(trx, owner.workspaceId);
    return accountId;
  });
}

/** Makes an account a member of groups. */
export async function addWays(
  db: Database,
  accountId: AccountId,
  groupIds: readonly number[],
  canSend: boolean,
): Promise<void> {
  await sql`
    insert into group_accounts (group_id, account_id, can_send)
    select group_id, ${accountId}::bigint, ${canSend}::boolean from unnest(${[...groupIds]}::bigint[]) g (group_id)
    on conflict do nothing`.execute(db);
}

/** Sets who sends: to a group, or to all groups of the workspace. */
export async function setSenders(
  db: Database,
  owner: Owner,
  accountIds: readonly AccountId[],
  groupId: number | null = null,
): Promise<void> {
  await sql`
    update senders set replaced_at = campanile_now()
    where workspace_id = ${owner.workspaceId} and group_id is not distinct from ${groupId}::bigint and group_list_id is null
      and replaced_at is null`.execute(db);
  await sql`
    insert into senders (workspace_id, group_id, account_ids, set_by)
    values (${owner.workspaceId}, ${groupId}::bigint, ${[...accountIds]}::bigint[], ${owner.userId})`.execute(db);
}

/**
 * Records a ban by WhatsApp as the session of the account does, and holds the lane as after an attempt that found the account offline. The
 * sandbox itself bans nobody. Nothing of the account may be in hand.
 */
export async function banAccount(db: Database, accountId: AccountId): Promise<void> {
  const { rows } = await sql<{ workerId: number }>`
    select worker_id as "workerId" from shards where shard = campanile_shard(${accountId})`.execute(db);
  const state = { status: 'logged_out', reason: 'WhatsApp has banned this number' } as const;
  await recordState(db, { accountId, workerId: rows[0]?.workerId ?? 0, state });
  const { numAffectedRows } = await sql`
    update lanes set held_until = campanile_now() + interval '1 day'
    where account_id = ${accountId} and in_hand_run_id is null`.execute(db);
  if (numAffectedRows !== 1n) throw new Error('the account has a turn in hand');
}
