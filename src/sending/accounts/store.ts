import { sql, type RawBuilder } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { AccountStatus, PauseCause, WorkspaceId } from '../../platform/database/schema.ts';
import { notifyAfterCommit } from '../../platform/database/notify-after-commit.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { fieldError } from '../../platform/errors/issues.ts';
import type { PasskeyStep } from '../../messengers/messenger.ts';

export interface Account {
  accountId: number;
  workspaceId: WorkspaceId;
  /** The default account of the workspace, in whose ledger it sends: itself for the default account. */
  ledgerId: number;
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
export async function findOwnAccount(db: Connection, workspaceId: WorkspaceId, accountId?: number): Promise<Account> {
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
  const rows = await selectAccounts(db)
    .where('accounts.workspace_id', '=', workspaceId)
    .orderBy('accounts.is_default', 'desc')
    .orderBy('accounts.account_id')
    .execute();
  if (rows.length === 0) throw userGoneError();
  return rows;
}

/** Returns the default accounts of workspaces. A workspace whose owner is gone has none. */
export async function findDefaultAccounts(db: Connection, workspaceIds: readonly WorkspaceId[]): Promise<Account[]> {
  return selectAccounts(db)
    .where(sql<boolean>`accounts.workspace_id = any(${[...workspaceIds]}::bigint[])`)
    .where('accounts.is_default', '=', true)
    .execute();
}

/** The accounts of a workspace and of its test workspace, in the order in which lanes are locked. */
export async function findAccountsOfOwner(db: Connection, workspaceId: WorkspaceId): Promise<number[]> {
  const { rows } = await sql<{ accountId: number }>`
    select a.account_id as "accountId" from workspaces w join accounts a using (workspace_id)
    where w.workspace_id = ${workspaceId} or w.test_of = ${workspaceId} order by a.account_id`.execute(db);
  return rows.map(({ accountId }) => accountId);
}

/** Accounts by their own ids, for the worker that serves them, in their order; undefined where the user is gone. */
export async function findAccounts(db: Connection, accountIds: readonly number[]): Promise<Array<Account | undefined>> {
  const rows = await db
    .selectFrom(
      sql<{ account_id: number }>`unnest(${[...accountIds]}::bigint[])`.as<'wanted'>(sql`wanted (account_id)`),
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
      sql<number>`case when accounts.is_default then accounts.account_id else (
        select d.account_id from accounts d where d.workspace_id = accounts.workspace_id and d.is_default) end`.as(
        'ledgerId',
      ),
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
 * Locks the account's lane until the transaction ends, and counts a change on it for live progress. Every transaction that changes the
 * sending of an account, or its outcomes, does this first. Such transactions follow each other, and rows that are read after the lock are
 * current. False when the user is deleted: then nothing of the account may change.
 */
export async function lockLane(trx: Connection, accountId: number): Promise<boolean> {
  const { rows } =
    await sql`update lanes set changes = changes + 1 where account_id = ${accountId} returning 1`.execute(trx);
  return rows.length > 0;
}

/**
 * `lockLane` for the ledger in which the account sends: its own, or the one of the default account of its workspace. Returns the id of that
 * account; undefined when the user is deleted.
 */
export async function lockLedger(trx: Connection, accountId: number): Promise<number | undefined> {
  const { rows } = await sql<{ ledgerId: number }>`
    update lanes set changes = changes + 1 where account_id = (select ledger_id from lanes where account_id = ${accountId})
    returning account_id as "ledgerId"`.execute(trx);
  return rows[0]?.ledgerId;
}

/** Returns the ledgers in which these accounts send, each once. */
export async function findLedgers(db: Connection, accountIds: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ ledgerId: number }>`
    select distinct ledger_id as "ledgerId" from lanes where account_id = any(${[...accountIds]}::bigint[]) order by 1`.execute(
    db,
  );
  return rows.map(({ ledgerId }) => ledgerId);
}

/**
 * `lockLane` for several accounts, in the order of their ids. Lanes that another transaction has locked are left out.
 */
export async function lockFreeLanes(trx: Connection, accountIds: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ account_id: number }>`
    with locked as materialized (
      select account_id from lanes where account_id = any(${[...accountIds]}::bigint[])
      order by account_id for no key update skip locked
    )
    update lanes l set changes = l.changes + 1 from locked where l.account_id = locked.account_id
    returning l.account_id`.execute(trx);
  return rows.map((row) => row.account_id);
}

/**
 * `lockLane` for a request of the user. Throws `user_gone` when the user is deleted; `account_not_found` for an account beside the default
 * one, `ledgerId`, that was removed since it was read.
 */
export async function lockOwnLane(trx: Connection, accountId: number, ledgerId = accountId): Promise<void> {
  if (!(await lockLane(trx, accountId))) throw goneError(accountId === ledgerId);
}

/** `lockOwnLane` for the lane of an account and the ledger in which it sends, in the order of their ids. */
export async function lockLaneAndLedger(trx: Connection, { accountId, ledgerId }: LedgerAccount): Promise<void> {
  for (const id of [...new Set([ledgerId, accountId])].toSorted((one, other) => one - other))
    await lockOwnLane(trx, id, ledgerId);
}

type LedgerAccount = Pick<Account, 'accountId' | 'ledgerId'>;

/** How an account is called in the audit log. */
export function nameAccount({ name, messenger }: Pick<Account, 'name' | 'messenger'>): string {
  return name ?? messenger;
}

/** A request can outlive its user by a moment. */
export function userGoneError(): AppError {
  return new AppError('user_gone', 'This user no longer exists');
}

/** Of an account that is gone: the default account goes with its user alone. */
export function goneError(isDefault: boolean): AppError {
  return isDefault ? userGoneError() : accountNotFoundError('account_id');
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
export async function wakeLane(trx: Connection, accountId: number): Promise<void> {
  await sql`
    update lanes set work_at = campanile_now()
    where account_id = ${accountId} and in_hand_run_id is null`.execute(trx);
  await notifyAfterCommit(trx, 'campanile_lanes');
}

/**
 * `wakeLane` for all lanes that send in a ledger, which must be locked: its posts may be those of any account of the workspace. A lane without
 * anything to send falls asleep at its next claim.
 */
export async function wakeLanes(trx: Connection, ledgerId: number): Promise<void> {
  await sql`
    update lanes set work_at = campanile_now() where ledger_id = ${ledgerId} and in_hand_run_id is null`.execute(trx);
  await notifyAfterCommit(trx, 'campanile_lanes');
}
