import { sql, type RawBuilder } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { AccountId, AccountStatus, PauseCause, WorkspaceId } from '../../platform/database/schema.ts';
import { notifyAfterCommit } from '../../platform/database/notify-after-commit.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { fieldError } from '../../platform/errors/issues.ts';
import type { PasskeyStep } from '../../messengers/messenger.ts';

export interface Account {
  accountId: AccountId;
  workspaceId: WorkspaceId;
  isDefault: boolean;
  /** null: its number stands for it. */
  name: string | null;
  /** Since when it cannot send; null: it can. */
  downSince: Date | null;
  messenger: string;
  status: AccountStatus;
  /** Its own, or the owner's, as it was written. */
  whatsappNumber: string;
  /** The same, digits only. */
  phoneNumber: string;
  /** Digits, of the phone that agreed to the last link; null: none has yet. */
  linkedNumber: string | null;
  /** Digits, of a phone that was refused since it has another number, and whose number may be taken over. */
  scannedNumber: string | null;
  groupsSyncedAt: Date | null;
  channelsUnreadSince: Date | null;
  /** While linking: how, and what there is to show. */
  linkMethod: 'qr' | 'pairing_code' | null;
  qr: string | null;
  pairingCode: string | null;
  passkey: PasskeyStep | null;
  codeExpiresAt: Date | null;
  /** Whether the code, or the request for a passkey, has not expired. */
  isCodeGood: boolean;
  pausedUntil: Date | null;
  pauseCause: PauseCause | null;
  /** How long it is paused yet, in milliseconds; 0: it is not. */
  pauseLeftMs: number;
  /** How many pauses have followed each other within a day. */
  pauses: number;
  /** One sentence on how the account stands. */
  reason: string | null;
  /** Set: until then an ended link may be tried once more. */
  retryUntil: Date | null;
  /** Set: the messaging application restricts the account in a way that does not concern posts; one sentence. */
  warningReason: string | null;
  warnedUntil: Date | null;
  /** How long the warning holds yet, in milliseconds; 0: there is none. */
  warningLeftMs: number;
  /** Set: nothing is sent until the account is connected again, and this sentence says why. */
  stopReason: string | null;
  /** Set: nothing is sent of any account. */
  heldSince: Date | null;
  /** The account of a test workspace stays on the sandbox. */
  isTest: boolean;
}

/** How an account stands that a phone has vouched for. */
export const LINKED: ReadonlySet<AccountStatus> = new Set(['connected', 'reconnecting', 'paused']);

/** True where an account has the phone with these digits linked. */
export const isLinkedHere = (digits: string | null): RawBuilder<boolean> => sql`exists (
  select from accounts o where o.linked_number = ${digits}::text and o.status = any(${[...LINKED]}::account_status[]))`;

/**
 * Returns an account of a workspace: the default one, which every workspace has from its creation on, or the one with this id. Throws
 * `unauthenticated` when its owner is gone, and 404 for an account that the workspace does not have.
 */
export async function findOwnAccount(
  db: Connection,
  workspaceId: WorkspaceId,
  accountId?: AccountId,
): Promise<Account> {
  const own = selectAccounts(db).where('accounts.workspace_id', '=', workspaceId);
  if (accountId === undefined) {
    const row = await own.where('accounts.is_default', '=', true).executeTakeFirst();
    if (!row) throw userGoneError();
    return row;
  }
  const row = await own.where(sql<boolean>`accounts.account_id = ${accountId}::bigint`).executeTakeFirst();
  if (!row) throw accountNotFoundError('account_id');
  return row;
}

/** Returns all accounts of a workspace, the default one first. Throws `unauthenticated` when its owner is gone. */
export async function findOwnAccounts(db: Connection, workspaceId: WorkspaceId): Promise<Account[]> {
  const rows = await findAccountsOf(db, [workspaceId]);
  if (rows.length === 0) throw userGoneError();
  return rows;
}

/** Returns the accounts of workspaces, the default one of each first. A workspace whose owner is gone has none. */
export async function findAccountsOf(db: Connection, workspaceIds: readonly WorkspaceId[]): Promise<Account[]> {
  return selectAccounts(db)
    .where(sql<boolean>`accounts.workspace_id = any(${[...workspaceIds]}::bigint[])`)
    .orderBy('accounts.is_default', 'desc')
    .orderBy('accounts.account_id')
    .execute();
}

/** The accounts of a workspace and of its test workspace, in the order in which lanes are locked. */
export async function findAccountsOfOwner(db: Connection, workspaceId: WorkspaceId): Promise<AccountId[]> {
  const { rows } = await sql<{ accountId: AccountId }>`
    select a.account_id as "accountId" from workspaces w join accounts a using (workspace_id)
    where w.workspace_id = ${workspaceId} or w.test_of = ${workspaceId} order by a.account_id`.execute(db);
  return rows.map(({ accountId }) => accountId);
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
    .select([
      'accounts.name as name',
      'accounts.is_default as isDefault',
      'accounts.down_since as downSince',
      'accounts.link_method as linkMethod',
      'accounts.qr as qr',
      'accounts.pairing_code as pairingCode',
      // A process of the previous version leaves an old one beside a new code.
      sql<PasskeyStep | null>`case when accounts.qr is null and accounts.pairing_code is null then accounts.passkey end`.as(
        'passkey',
      ),
      'accounts.code_expires_at as codeExpiresAt',
      'accounts.paused_until as pausedUntil',
      'accounts.status_reason as reason',
      'accounts.stop_reason as stopReason',
      sql<Date | null>`(select held_since from ledger)`.as('heldSince'),
      'accounts.pause_cause as pauseCause',
      'accounts.warning as warningReason',
      'accounts.warned_until as warnedUntil',
      sql<Date | null>`case when accounts.status in ('unlinked', 'logged_out') and accounts.retry_until > campanile_now()
        then accounts.retry_until end`.as('retryUntil'),
      sql<number>`greatest(0, coalesce(extract(epoch from accounts.warned_until - campanile_now()) * 1000, 0))::float8`.as(
        'warningLeftMs',
      ),
      sql<number>`case when accounts.status = 'paused'
        then greatest(0, coalesce(extract(epoch from accounts.paused_until - campanile_now()) * 1000, 0)) else 0 end::float8`.as(
        'pauseLeftMs',
      ),
      sql<number>`case when accounts.paused_at > campanile_now() - interval '1 day' then accounts.pauses else 0 end`.as(
        'pauses',
      ),
      sql<boolean>`coalesce(accounts.status = 'linking' and accounts.code_expires_at > campanile_now(), false)`.as(
        'isCodeGood',
      ),
      sql<boolean>`w.test_of is not null`.as('isTest'),
      'accounts.account_id as accountId',
      'accounts.workspace_id as workspaceId',
      'accounts.messenger as messenger',
      'accounts.status as status',
      'accounts.linked_number as linkedNumber',
      'accounts.scanned_number as scannedNumber',
      'accounts.groups_synced_at as groupsSyncedAt',
      'accounts.channels_unread_since as channelsUnreadSince',
      sql<string>`coalesce(accounts.whatsapp_number, users.whatsapp_number)`.as('whatsappNumber'),
      sql<string>`coalesce(accounts.whatsapp_digits, users.whatsapp_digits)`.as('phoneNumber'),
    ]);
}

/**
 * Locks the ledger of a workspace until the transaction ends, and counts a change on it for live progress. Every transaction that changes
 * what a workspace sends, or its outcomes, does this first, before it locks a lane. Such transactions follow each other, and rows that are
 * read after the lock are current. False when the owner is deleted: then nothing of the workspace may change.
 */
export async function lockLedger(trx: Connection, workspaceId: WorkspaceId): Promise<boolean> {
  const { rows } = await sql`
    update workspace_ledgers set changes = changes + 1 where workspace_id = ${workspaceId} returning 1`.execute(trx);
  return rows.length > 0;
}

/** A ledger that is locked. */
export interface LockedLedger {
  workspaceId: WorkspaceId;
  /** Goes into the hashes of participants, in which it never changes. */
  hashSeed: number;
}

/** `lockLedger` for the workspace of an account. Undefined when the account was removed or the owner is deleted. */
export async function lockLedgerOf(trx: Connection, accountId: AccountId): Promise<LockedLedger | undefined> {
  const { rows } = await sql<LockedLedger>`
    update workspace_ledgers set changes = changes + 1
    where workspace_id = (select workspace_id from lanes where account_id = ${accountId})
    returning workspace_id as "workspaceId", coalesce(legacy_account_id, workspace_id) as "hashSeed"`.execute(trx);
  return rows[0];
}

/** `lockLedger` for several workspaces, in the order of their ids. Ledgers that another transaction has locked are left out. */
export async function lockFreeLedgers(trx: Connection, workspaceIds: readonly WorkspaceId[]): Promise<WorkspaceId[]> {
  const { rows } = await sql<{ workspace_id: WorkspaceId }>`
    with locked as materialized (
      select workspace_id from workspace_ledgers where workspace_id = any(${[...workspaceIds]}::bigint[])
      order by workspace_id for no key update skip locked
    )
    update workspace_ledgers k set changes = k.changes + 1 from locked where k.workspace_id = locked.workspace_id
    returning k.workspace_id`.execute(trx);
  return rows.map((row) => row.workspace_id);
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
  const { rows } = await sql`
    select from lanes where account_id = ${accountId} for no key update`.execute(trx);
  return rows.length > 0;
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
  await sql`
    update lanes set work_at = campanile_now()
    where account_id = ${accountId} and in_hand_run_id is null`.execute(trx);
  await notifyAfterCommit(trx, 'campanile_lanes');
}

/**
 * `wakeLane` for all lanes of a workspace, whose ledger must be locked: its posts may be those of any of its accounts. A lane without
 * anything to send falls asleep at its next claim.
 */
export async function wakeLanes(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  await sql`
    update lanes set work_at = campanile_now() where workspace_id = ${workspaceId} and in_hand_run_id is null`.execute(
    trx,
  );
  await notifyAfterCommit(trx, 'campanile_lanes');
}
