import { execute, readColumn, readRows, sql } from '../../platform/database/statements.ts';
import { SHARDS, type Leases } from '../leases/leases.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Database, Connection } from '../../platform/database/statements.ts';
import { isolateEach } from '../../platform/database/isolate-failures.ts';
import { readQuarantined } from '../../platform/database/quarantine.ts';
import type { Notifications } from '../../platform/database/listen.ts';
import { startPolledLoop, type PolledLoopDeps } from '../../platform/database/work-poll.ts';
import type { Messenger } from '../../messengers/messenger.ts';
import type { AccountId, UserId, WorkspaceId } from '../../platform/database/schema.ts';

const USERS_PER_STEP = 100;
const ACCOUNTS_PER_STEP = 100;
const POLL_MS = 5_000;

export interface ErasureOptions extends PolledLoopDeps {
  db: Database;
  notifications: Notifications;
  leases: Pick<Leases, 'shards'>;
  sessions: Pick<Sessions, 'closeUnless'>;
  /** By name. */
  messengers: ReadonlyMap<string, Messenger>;
}

/**
 * Sees to the users who have deleted their account, of those this worker serves: closes their sessions, removes what is theirs
 * from the ledger and has the messengers forget them, until stopped. A worker that dies in between is followed by another, which
 * goes on with what is left. One whose messenger cannot be reached is tried again, and delays no other; neither does one whose rows cannot be
 * removed, who is put into quarantine. Accounts that were removed from a workspace are seen to in the same way.
 */
export function eraseDeletedUsers(options: ErasureOptions): { stop(): Promise<void> } {
  const { db, log, leases, sessions } = options;

  async function step(restMs: number): Promise<number> {
    const shards = new Set(leases.shards());
    const { held } = await readQuarantined(db, 'erasure');
    const found = await findDeletedUsers(db, USERS_PER_STEP, [...held]);
    const removed = await readColumn<AccountId>(db)`
      select account_id from accounts where removed_at is not null order by random() limit ${ACCOUNTS_PER_STEP}`;
    const accounts = new Set([...removed, ...found.flatMap(({ accountIds }) => accountIds)]);
    // Also the accounts of users that another worker erases: that worker may not serve the account of their test workspace.
    if (accounts.size > 0) await sessions.closeUnless((accountId) => !accounts.has(accountId));
    const mine = found.filter(({ accountIds: [first], userId }) => shards.has((first ?? userId) % SHARDS));
    const { results } = await isolateEach({ db, log }, 'erasure', mine, {
      idOf: ({ userId }) => userId,
      run: eraseSome,
    });
    const isLeft: boolean[] = [];
    for (const accountId of removed.filter((id) => shards.has(id % SHARDS))) isLeft.push(await eraseAccount(accountId));
    return [...results, ...isLeft].some(Boolean) ? 0 : restMs;
  }

  /** True when there may be more to do for this user at once. */
  async function eraseSome(user: DeletedUser): Promise<boolean> {
    if (await eraseNext(db, user)) return true;
    try {
      if (await forgetOne(user.accountIds, options.messengers)) return true;
    } catch (error) {
      log.warn({ err: error, userId: user.userId }, 'a messenger could not forget a deleted user yet');
      return false;
    }
    await endErasure(db, user);
    return false;
  }

  /** True when there may be more to do for this account at once. */
  async function eraseAccount(accountId: AccountId): Promise<boolean> {
    try {
      // What it sent is in the ledger, and stays.
      if (await eraseRows(db, { user_id: [], workspace_id: [], account_id: [accountId] })) return true;
      if (await forgetOne([accountId], options.messengers)) return true;
      await execute(db)`delete from accounts where account_id = ${accountId} and removed_at is not null`;
    } catch (error) {
      log.warn({ err: error, accountId }, 'a removed account could not be forgotten yet');
    }
    return false;
  }

  const isDue = () => sql<boolean>`(
    exists (
      select from users
      where deleted_at is not null
        and (erased_at is null or deleted_at <= campanile_now() - ${COOLING_MINUTES} * interval '1 minute'))
    or exists (select from accounts where removed_at is not null))`;
  const loop = startPolledLoop(options, { name: 'erasure', isDue, pollMs: POLL_MS, atMostEveryMs: POLL_MS, step });
  options.notifications.on('campanile_erasures', () => loop.wake());
  return loop;
}

/** Has a messenger forget something of one of these accounts; false when nothing was left. */
async function forgetOne(accountIds: readonly AccountId[], messengers: ErasureOptions['messengers']): Promise<boolean> {
  // All messengers: an account may have been linked to another one before.
  for (const accountId of accountIds)
    for (const messenger of messengers.values()) if (await messenger.forget(accountId)) return true;
  return false;
}

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
  { table: 'delivery_values', owner: 'workspace_id', chunk: 5_000 },
  { table: 'deliveries', owner: 'workspace_id', chunk: 5_000 },
  { table: 'runs', owner: 'workspace_id', chunk: 5_000 },
  { table: 'campaigns', owner: 'workspace_id', chunk: 50 },
  { table: 'report_links', owner: 'workspace_id', chunk: 100 },
  { table: 'calendar_links', owner: 'workspace_id', chunk: 100 },
  { table: 'approvals', owner: 'workspace_id', chunk: 20 },
  { table: 'drafts', owner: 'workspace_id', chunk: 50 },
  { table: 'media', owner: 'workspace_id', chunk: 5 },
  { table: 'account_commands', owner: 'account_id', chunk: 1_000 },
  { table: 'group_lists', owner: 'workspace_id', chunk: 100 },
  { table: 'group_sizes', owner: 'workspace_id', chunk: 5_000 },
  { table: 'senders', owner: 'workspace_id', chunk: 5_000 },
  { table: 'group_accounts', owner: 'account_id', chunk: 5_000 },
  { table: 'group_values', owner: 'workspace_id', chunk: 5_000 },
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

/** Deleted users with something left to remove, a few of them, without `skipped` ones. */
export async function findDeletedUsers(db: Connection, limit: number, skipped: readonly number[] = []) {
  return readRows<DeletedUser>(db)`
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
    order by random() limit ${limit}`;
}

/**
 * Removes the next rows of a deleted user from the ledger; false when there was nothing left. Each step is a transaction of its own, and may be
 * the last before a crash.
 */
export async function eraseNext(db: Connection, { userId, workspaceIds, accountIds }: DeletedUser): Promise<boolean> {
  const ids = { user_id: [userId], workspace_id: workspaceIds, account_id: accountIds };
  return (await eraseRows(db, ids)) || scrubAuditLog(db, userId, workspaceIds);
}

/** Removes the next rows of these owners; false when there was nothing left. */
export async function eraseRows(db: Connection, ids: Readonly<Record<Part['owner'], readonly number[]>>) {
  for (const { table, owner, chunk } of PARTS)
    for (const id of ids[owner]) {
      const affected = await execute(db)`
        delete from ${sql.table(table)} where ctid = any(array(
          select ctid from ${sql.table(table)} where ${sql.ref(owner)} = ${id} limit ${chunk}))`;
      if (affected > 0) return true;
    }
  return false;
}

/** Rows of the audit log that lose their address in one step. */
const SCRUB_CHUNK = 5_000;

/** The history of a workspace outlives a member who was deleted: what they did there stays, by their id, without name, address and number. */
async function scrubAuditLog(db: Connection, userId: UserId, workspaceIds: readonly WorkspaceId[]): Promise<boolean> {
  const affected = await execute(db)`
    update audit_log set address = '', subject = case when action like 'user.%' or action = 'account.number_changed' then '' else subject end
    where entry_id = any(array(
      select entry_id from audit_log
      where user_id = ${userId} and address <> '' and workspace_id <> all(${[...workspaceIds]}::bigint[]) limit ${SCRUB_CHUNK}))`;
  return affected > 0;
}

/** Call it when nothing is left but the husk: remembers that, and removes the husk once it has cooled. */
export async function endErasure(db: Connection, { userId, workspaceIds, isCold }: DeletedUser): Promise<void> {
  if (isCold)
    await execute(db)`
      with husk as (delete from users where user_id = ${userId} and deleted_at is not null returning user_id)
      delete from workspaces where workspace_id = any(${workspaceIds}::bigint[]) and exists (select from husk)`;
  else await execute(db)`update users set erased_at = campanile_now() where user_id = ${userId}`;
}
