/** Removes the workspaces of a deleted user, in small steps: each is a transaction of its own, and may be the last before a crash. */
import { sql, type RawBuilder } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { AccountId, UserId, WorkspaceId } from '../../platform/database/schema.ts';

/** A user who has been deleted, and is not yet wholly gone. */
export interface DeletedUser {
  userId: UserId;
  /** The workspace that they owned, and its test workspace. */
  workspaceIds: WorkspaceId[];
  /** Of these workspaces, in the order of workspaces, then of ids. */
  accountIds: AccountId[];
  /** Deleted so long ago that no request of theirs can be under way: the husk goes too. */
  isCold: boolean;
}

/** Longer than any request takes. Until then whatever is under way finds the rows that its foreign keys refer to. */
const COOLING_MINUTES = 10;

interface Part {
  table: string;
  owner: 'account_id' | 'workspace_id' | 'user_id';
  /** Rows a step, so that none holds locks for long: few where a row is large, or others go with it. */
  chunk: number;
}

/**
 * The data to remove, in this order: first rows without foreign keys, which would be left behind, then rows that others refer to. All
 * other data is deleted by cascade with the user's row; add a table here if it can have many rows.
 */
const PARTS: readonly Part[] = [
  { table: 'receipts', owner: 'workspace_id', chunk: 5_000 },
  { table: 'votes', owner: 'workspace_id', chunk: 5_000 },
  { table: 'provisional_receipts', owner: 'workspace_id', chunk: 5_000 },
  { table: 'run_minutes', owner: 'workspace_id', chunk: 5_000 },
  { table: 'poll_results', owner: 'workspace_id', chunk: 5_000 },
  { table: 'poll_hours', owner: 'workspace_id', chunk: 5_000 },
  { table: 'group_sums', owner: 'workspace_id', chunk: 5_000 },
  { table: 'group_activity', owner: 'workspace_id', chunk: 5_000 },
  { table: 'time_sums', owner: 'workspace_id', chunk: 5_000 },
  { table: 'revisions', owner: 'workspace_id', chunk: 5_000 },
  { table: 'pins', owner: 'workspace_id', chunk: 5_000 },
  { table: 'everyone_mentions', owner: 'workspace_id', chunk: 5_000 },
  { table: 'members_without_devices', owner: 'workspace_id', chunk: 5_000 },
  { table: 'deliveries', owner: 'workspace_id', chunk: 5_000 },
  { table: 'runs', owner: 'workspace_id', chunk: 5_000 },
  { table: 'campaigns', owner: 'workspace_id', chunk: 50 },
  { table: 'report_links', owner: 'workspace_id', chunk: 100 },
  { table: 'approvals', owner: 'workspace_id', chunk: 20 },
  { table: 'drafts', owner: 'workspace_id', chunk: 50 },
  { table: 'media', owner: 'workspace_id', chunk: 5 },
  { table: 'account_commands', owner: 'account_id', chunk: 1_000 },
  { table: 'group_lists', owner: 'workspace_id', chunk: 100 },
  { table: 'group_sizes', owner: 'workspace_id', chunk: 5_000 },
  { table: 'senders', owner: 'workspace_id', chunk: 5_000 },
  { table: 'group_accounts', owner: 'account_id', chunk: 5_000 },
  { table: 'groups', owner: 'workspace_id', chunk: 5_000 },
  { table: 'whatsapp_sent', owner: 'account_id', chunk: 5_000 },
  { table: 'whatsapp_uploads', owner: 'account_id', chunk: 5_000 },
  { table: 'whatsapp_posts', owner: 'account_id', chunk: 500 },
  { table: 'whatsapp_numbers', owner: 'workspace_id', chunk: 100 },
  { table: 'message_secret_keys', owner: 'workspace_id', chunk: 1 },
  { table: 'webhook_attempts', owner: 'workspace_id', chunk: 5_000 },
  { table: 'webhooks', owner: 'workspace_id', chunk: 20 },
  { table: 'events', owner: 'workspace_id', chunk: 5_000 },
  { table: 'idempotency_keys', owner: 'workspace_id', chunk: 5_000 },
  { table: 'api_keys', owner: 'workspace_id', chunk: 5_000 },
  { table: 'audit_log', owner: 'workspace_id', chunk: 5_000 },
  { table: 'signed_out_tokens', owner: 'user_id', chunk: 5_000 },
  { table: 'sessions', owner: 'user_id', chunk: 5_000 },
  { table: 'sign_in_networks', owner: 'user_id', chunk: 5_000 },
  { table: 'mails', owner: 'user_id', chunk: 5_000 },
  { table: 'push_subscriptions', owner: 'user_id', chunk: 100 },
  { table: 'notice_turns', owner: 'user_id', chunk: 5_000 },
  { table: 'notice_choices', owner: 'user_id', chunk: 5_000 },
  { table: 'notices', owner: 'user_id', chunk: 5_000 },
  { table: 'account_states', owner: 'account_id', chunk: 5_000 },
  { table: 'sent_slots', owner: 'account_id', chunk: 5_000 },
];

/** The condition that something of a deleted user is left. */
export function hasDeletedUsers(): RawBuilder<boolean> {
  return sql`exists (
    select from users
    where deleted_at is not null
      and (erased_at is null or deleted_at <= campanile_now() - ${COOLING_MINUTES} * interval '1 minute'))`;
}

/** Deleted users with something left to remove, a few of them, without `skipped` ones. */
export async function findDeletedUsers(
  db: Connection,
  limit: number,
  skipped: readonly number[] = [],
): Promise<DeletedUser[]> {
  const { rows } = await sql<DeletedUser>`
    with deleted as materialized (
      select user_id, erased_at, deleted_at <= campanile_now() - ${COOLING_MINUTES} * interval '1 minute' as cold
      from users where deleted_at is not null
    )
    select d.user_id as "userId", d.cold as "isCold", o.workspaces as "workspaceIds", o.accounts as "accountIds"
    from deleted d
    cross join lateral (
      select coalesce(array_agg(distinct w.workspace_id), '{}') as workspaces,
             coalesce(array_agg(a.account_id order by w.workspace_id, a.account_id) filter (where a.account_id is not null), '{}') as accounts
      from memberships m
      join workspaces w on w.workspace_id = m.workspace_id or w.test_of = m.workspace_id
      left join accounts a on a.workspace_id = w.workspace_id
      where m.user_id = d.user_id and m.role = 'owner'
    ) o
    where (d.erased_at is null or d.cold) and d.user_id <> all(${[...skipped]}::bigint[])
    order by random() limit ${limit}`.execute(db);
  return rows;
}

/** Removes the next rows of a deleted user from the ledger; false when there was nothing left. */
export async function eraseNext(db: Connection, { userId, workspaceIds, accountIds }: DeletedUser): Promise<boolean> {
  const ids = { user_id: [userId], workspace_id: workspaceIds, account_id: accountIds };
  return (await eraseRows(db, ids)) || scrubAuditLog(db, userId, workspaceIds);
}

/** Removes the next rows of these owners; false when there was nothing left. */
export async function eraseRows(
  db: Connection,
  ids: Readonly<Record<Part['owner'], readonly number[]>>,
): Promise<boolean> {
  for (const { table, owner, chunk } of PARTS)
    for (const id of ids[owner]) {
      const { numAffectedRows = 0n } = await sql`
        delete from ${sql.table(table)} where ctid = any(array(
          select ctid from ${sql.table(table)} where ${sql.ref(owner)} = ${id} limit ${chunk}))`.execute(db);
      if (numAffectedRows > 0n) return true;
    }
  return false;
}

/** Rows of the audit log that lose their address in one step. */
const SCRUB_CHUNK = 5_000;

/** The history of a workspace outlives a member who was deleted: what they did there stays, by their id, without name, address and number. */
async function scrubAuditLog(db: Connection, userId: UserId, workspaceIds: readonly WorkspaceId[]): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update audit_log set address = '', subject = case when action like 'user.%' or action = 'account.number_changed' then '' else subject end
    where entry_id = any(array(
      select entry_id from audit_log
      where user_id = ${userId} and address <> '' and workspace_id <> all(${[...workspaceIds]}::bigint[]) limit ${SCRUB_CHUNK}))`.execute(
    db,
  );
  return numAffectedRows > 0n;
}

/** Call it when nothing is left but the husk: remembers that, and removes the husk once it has cooled. */
export async function endErasure(db: Connection, { userId, workspaceIds, isCold }: DeletedUser): Promise<void> {
  if (isCold)
    await sql`
      with husk as (delete from users where user_id = ${userId} and deleted_at is not null returning user_id)
      delete from workspaces where workspace_id = any(${workspaceIds}::bigint[]) and exists (select from husk)`.execute(
      db,
    );
  else await sql`update users set erased_at = campanile_now() where user_id = ${userId}`.execute(db);
}
