import type { InferResult } from 'kysely';
import { execute, hasRow, readColumn, readRow, sql, type RawBuilder } from '../../platform/database/statements.ts';
import type { Connection, Database } from '../../platform/database/statements.ts';
import type { AccountId, AccountStatus, WorkspaceId } from '../../platform/database/schema.ts';
import { notifyAfterCommit } from '../../platform/database/notify-after-commit.ts';
import { AppError, fieldError } from '../../platform/errors/errors.ts';
import { spellingsOf } from '../../platform/phone/phone-number.ts';
import type { PasskeyStep } from '../../messengers/messenger.ts';
import { hasOwnData, type OwnData } from './own-data.ts';

/** An account of a workspace whose owner is there. */
export type Account = InferResult<ReturnType<typeof selectAccounts>>[number];

/** How an account stands that a phone has vouched for. */
export const LINKED: ReadonlySet<AccountStatus> = new Set(['connected', 'reconnecting', 'paused']);

/** True where an account has the phone with these digits linked. */
export const isLinkedHere = (digits: string | null): RawBuilder<boolean> => sql`exists (
  select from accounts o where o.linked_number = any(${digits === null ? [] : spellingsOf(digits)}::text[]) and o.status = any(${[...LINKED]}::account_status[]))`;

/**
 * Returns an account of a workspace: the default one, which every workspace has from its creation on, or the one with this id. Throws
 * `unauthenticated` when its owner is gone, and 404, which names `field`, for an account that the workspace does not have.
 */
export async function findOwnAccount(
  db: Connection,
  workspaceId: WorkspaceId,
  accountId?: AccountId,
  field = 'account_id',
): Promise<Account> {
  const own = selectAccounts(db).where('accounts.workspace_id', '=', workspaceId);
  if (accountId === undefined) {
    const row = await own.where('accounts.is_default', '=', true).executeTakeFirst();
    if (!row) throw userGoneError();
    return row;
  }
  const row = await own.where(sql<boolean>`accounts.account_id = ${accountId}::bigint`).executeTakeFirst();
  if (!row) throw accountNotFoundError(field);
  return row;
}

/** Returns the accounts of a workspace that match a filter, the default one first. Throws `unauthenticated` when its owner is gone. */
export async function findOwnAccounts(db: Connection, workspaceId: WorkspaceId, filter?: OwnData): Promise<Account[]> {
  const rows = await findAccountsOf(db, [workspaceId], filter);
  if (rows.length === 0) await findOwnAccount(db, workspaceId);
  return rows;
}

/** Returns the accounts of workspaces, the default one of each first. A workspace whose owner is gone has none. */
export async function findAccountsOf(
  db: Connection,
  workspaceIds: readonly WorkspaceId[],
  filter: OwnData = {},
): Promise<Account[]> {
  return selectAccounts(db)
    .where(hasOwnData(filter))
    .where(sql<boolean>`accounts.workspace_id = any(${[...workspaceIds]}::bigint[])`)
    .orderBy('accounts.is_default', 'desc')
    .orderBy('accounts.account_id')
    .execute();
}

/** The accounts of a workspace and of its test workspace, in the order in which lanes are locked. */
export async function findAccountsOfOwner(db: Connection, workspaceId: WorkspaceId): Promise<AccountId[]> {
  return readColumn<AccountId>(db)`
    select a.account_id as "accountId" from workspaces w join accounts a using (workspace_id)
    where w.workspace_id = ${workspaceId} or w.test_of = ${workspaceId} order by a.account_id`;
}

/** Accounts by their own ids, for the worker that serves them, in their order; undefined where the user is gone. */
export async function findAccounts(
  db: Connection,
  accountIds: readonly AccountId[],
): Promise<Array<Account | undefined>> {
  const rows = await db
    .selectFrom(
      sql<{ account_id: AccountId }>`unnest(${[...accountIds]}::bigint[])`.as<'wanted'>(sql`wanted (account_id)`),
    )
    // A lookup for each, where the planner would rather read the table from end to end.
    .innerJoinLateral(
      selectAccounts(db)
        .where(sql<boolean>`accounts.account_id = wanted.account_id`)
        .limit(1)
        .as('account'),
      (join) => join.onTrue(),
    )
    .selectAll('account')
    .execute();
  const byId = new Map(rows.map((row) => [row.accountId, row]));
  return accountIds.map((accountId) => byId.get(accountId));
}

const COLUMNS = [
  /** null: its number stands for it. */
  'accounts.name',
  'accounts.is_default as isDefault',
  /** Since when it cannot send; null: it can. */
  'accounts.down_since as downSince',
  /** While linking: how, and what there is to show. */
  'accounts.link_method as linkMethod',
  'accounts.qr',
  'accounts.pairing_code as pairingCode',
  'accounts.code_expires_at as codeExpiresAt',
  'accounts.paused_until as pausedUntil',
  /** One sentence on how the account stands. */
  'accounts.status_reason as reason',
  /** Set: nothing is sent until the account is connected again, and this sentence says why. */
  'accounts.stop_reason as stopReason',
  /** Set: nothing is sent until an administrator enables the owner. */
  'accounts.disabled_at as disabledAt',
  'accounts.pause_cause as pauseCause',
  /** Set: the messaging application restricts the account in a way that does not concern posts; one sentence. */
  'accounts.warning as warningReason',
  'accounts.warned_until as warnedUntil',
  'accounts.account_id as accountId',
  'accounts.workspace_id as workspaceId',
  'accounts.messenger',
  'accounts.status',
  /** Digits, of the phone that agreed to the last link; null: none has yet. */
  'accounts.linked_number as linkedNumber',
  /** Digits, of a phone that was refused since it has another number, and whose number may be taken over. */
  'accounts.scanned_number as scannedNumber',
  'accounts.groups_synced_at as groupsSyncedAt',
  'accounts.channels_unread_since as channelsUnreadSince',
  'accounts.external_id as externalId',
] as const;

function selectAccounts(db: Connection) {
  return db
    .selectFrom('accounts')
    .innerJoin('workspaces as w', 'w.workspace_id', 'accounts.workspace_id')
    .innerJoin('memberships as owner', (join) =>
      join.on(sql<boolean>`owner.workspace_id = coalesce(w.test_of, w.workspace_id)`).on('owner.role', '=', 'owner'),
    )
    .innerJoin('users', 'users.user_id', 'owner.user_id')
    .where('users.deleted_at', 'is', null)
    .where('accounts.removed_at', 'is', null)
    .select(COLUMNS)
    .select([
      sql<Record<string, string>>`accounts.metadata`.as('metadata'),
      // A process of the previous version leaves an old one beside a new code.
      sql<PasskeyStep | null>`case when accounts.qr is null and accounts.pairing_code is null then accounts.passkey end`.as(
        'passkey',
      ),
      /** Set: nothing is sent of any account. */
      sql<Date | null>`(select held_since from ledger)`.as('heldSince'),
      /** A worker was alive within the last minute: without one, nothing is sent of any account. */
      sql<boolean>`exists (select from workers where beat_at > campanile_now() - interval '1 minute')`.as('hasWorker'),
      /** It has quiet hours, a daily cap, a warm-up or a rest after a new link, which may keep it from sending now. */
      sql<boolean>`coalesce(accounts.quiet_from, accounts.daily_cap::text, accounts.warm_up_from::text, accounts.rests_until::text) is not null`.as(
        'hasRules',
      ),
      /** Set: until then an ended link may be tried once more. */
      sql<Date | null>`case when accounts.status in ('unlinked', 'logged_out') and accounts.retry_until > campanile_now()
        then accounts.retry_until end`.as('retryUntil'),
      /** How long the warning holds yet, in milliseconds; 0: there is none. */
      sql<number>`greatest(0, coalesce(extract(epoch from accounts.warned_until - campanile_now()) * 1000, 0))::float8`.as(
        'warningLeftMs',
      ),
      /** How long it is paused yet, in milliseconds; 0: it is not. */
      sql<number>`case when accounts.status = 'paused'
        then greatest(0, coalesce(extract(epoch from accounts.paused_until - campanile_now()) * 1000, 0)) else 0 end::float8`.as(
        'pauseLeftMs',
      ),
      /** How many pauses have followed each other within a day. */
      sql<number>`case when accounts.paused_at > campanile_now() - interval '1 day' then accounts.pauses else 0 end`.as(
        'pauses',
      ),
      /** Whether the code, or the request for a passkey, has not expired. */
      sql<boolean>`coalesce(accounts.status = 'linking' and accounts.code_expires_at > campanile_now(), false)`.as(
        'isCodeGood',
      ),
      /** The account of a test workspace stays on the sandbox. */
      sql<boolean>`w.test_of is not null`.as('isTest'),
      /** Its own, or the owner's, as it was written. */
      sql<string>`coalesce(accounts.whatsapp_number, users.whatsapp_number)`.as('whatsappNumber'),
      /** The same, digits only. */
      sql<string>`coalesce(accounts.whatsapp_digits, users.whatsapp_digits)`.as('phoneNumber'),
    ]);
}

/**
 * Locks the ledger of a workspace until the transaction ends, and counts a change on it for live progress. Every transaction that changes
 * what a workspace sends, or its outcomes, does this first, before it locks a lane. Such transactions follow each other, and rows that are
 * read after the lock are current. False when the owner is deleted: then nothing of the workspace may change.
 */
export async function lockLedger(trx: Connection, workspaceId: WorkspaceId): Promise<boolean> {
  return hasRow(trx)`
    update workspace_ledgers set changes = changes + 1 where workspace_id = ${workspaceId} returning 1`;
}

/** Runs `work` with the ledger of a workspace locked. Undefined when its owner is deleted. */
export function inLedger<Result>(db: Database, workspaceId: WorkspaceId, work: (trx: Connection) => Promise<Result>) {
  return db.transaction().execute(async (trx) => ((await lockLedger(trx, workspaceId)) ? work(trx) : undefined));
}

export interface LockedLedger {
  workspaceId: WorkspaceId;
  /** Goes into the hashes of participants, in which it never changes. */
  hashSeed: number;
}

/** `lockLedger` for the workspace of an account. Undefined when the account was removed or the owner is deleted. */
export async function lockLedgerOf(trx: Connection, accountId: AccountId): Promise<LockedLedger | undefined> {
  return readRow<LockedLedger>(trx)`
    update workspace_ledgers set changes = changes + 1
    where workspace_id = (select workspace_id from lanes where account_id = ${accountId})
    returning workspace_id as "workspaceId", coalesce(legacy_account_id, workspace_id) as "hashSeed"`;
}

/** `lockLedger` for several workspaces, in the order of their ids. Ledgers that another transaction has locked are left out. */
export async function lockFreeLedgers(trx: Connection, workspaceIds: readonly WorkspaceId[]): Promise<WorkspaceId[]> {
  return readColumn<WorkspaceId>(trx)`
    with locked as materialized (
      select workspace_id from workspace_ledgers where workspace_id = any(${[...workspaceIds]}::bigint[])
      order by workspace_id for no key update skip locked
    )
    update workspace_ledgers k set changes = k.changes + 1 from locked where k.workspace_id = locked.workspace_id
    returning k.workspace_id`;
}

/** `lockLedger` for a request of the user. Throws `user_gone` when the owner is deleted. */
export async function lockOwnLedger(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  if (!(await lockLedger(trx, workspaceId))) throw userGoneError();
}

/**
 * Locks the lane of an account until the transaction ends: its pace, its link and its turn in hand. A transaction that changes deliveries,
 * too, locks their ledger before. False when the account was removed or its owner is deleted.
 */
export async function lockLane(trx: Connection, accountId: AccountId): Promise<boolean> {
  return hasRow(trx)`
    select from lanes where account_id = ${accountId} for no key update`;
}

/** `lockLane` for a request of the user. Throws `account_not_found` for an account that was removed since it was read. */
export async function lockOwnLane(trx: Connection, accountId: AccountId): Promise<void> {
  if (!(await lockLane(trx, accountId))) throw accountNotFoundError('account_id');
}

/** `lockOwnLane` after the ledger of the workspace. */
export async function lockLedgerAndLane(
  trx: Connection,
  { accountId, workspaceId }: Pick<Account, 'accountId' | 'workspaceId'>,
): Promise<void> {
  await lockOwnLedger(trx, workspaceId);
  await lockOwnLane(trx, accountId);
}

/** How an account is called in the audit log. */
export function nameAccount({ name, messenger }: Pick<Account, 'name' | 'messenger'>): string {
  return name ?? messenger;
}

/** A request can outlive its user by a moment. */
export function userGoneError(): AppError {
  return new AppError('user_gone', 'This user no longer exists');
}

/** An account that is not the workspace's, in this field of a request. */
export function accountNotFoundError(...fields: readonly string[]): AppError {
  return new AppError('account_not_found', 'You have no account with this id', {
    details: fields.map((field) => fieldError(field, 'unknown_id', { of: 'accounts' })),
  });
}

/**
 * Lets a lane claim turns again as soon as its pace allows. The lane must be locked; a lane with a turn in hand wakes by itself.
 */
export async function wakeLane(trx: Connection, accountId: AccountId): Promise<void> {
  await execute(trx)`
    update lanes set work_at = campanile_now()
    where account_id = ${accountId} and in_hand_run_id is null`;
  await notifyAfterCommit(trx, 'campanile_lanes');
}

/**
 * `wakeLane` for all lanes of a workspace, whose ledger must be locked: its posts may be those of any of its accounts. A lane without
 * anything to send falls asleep at its next claim.
 */
export async function wakeLanes(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  await execute(trx)`
    update lanes set work_at = campanile_now() where workspace_id = ${workspaceId} and in_hand_run_id is null`;
  await notifyAfterCommit(trx, 'campanile_lanes');
}

/** Makes the running runs of a workspace, whose ledger must be locked, ones that all of its accounts send. */
export async function shareRuns(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  await execute(trx)`
    with shared as (
      update runs set is_shared = true where workspace_id = ${workspaceId} and status = 'running' and not is_shared
      returning workspace_id, run_id, next_position
    )
    insert into run_senders (workspace_id, run_id, account_id, next_position)
    select s.workspace_id, s.run_id, l.account_id, s.next_position from shared s join lanes l on l.workspace_id = s.workspace_id
    on conflict do nothing`;
}
