import { execute, hasRow, readRows, sql, type Connection, type Database } from '../../platform/database/statements.ts';
import { diffValues } from '../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { canonicalDigits, FICTITIOUS } from '../../platform/phone/phone-number.ts';
import type { LinkMethod, MessengersCapabilities, PasskeyAssertion } from '../../messengers/messenger.ts';
import { assertNumberOwnership, assertNumberUnused } from './assert-number.ts';
import { readAccountStatus, type AccountState } from './account-status.ts';
import { runCommand, type CommandWaiters } from './commands.ts';
import { ownerDisabledError } from './disable-accounts.ts';
import { endWays } from './group-accounts.ts';
import { hasWaiting } from './is-waited-for.ts';
import {
  findOwnAccount,
  LINKED,
  lockLedgerAndLane,
  nameAccount,
  lockOwnLane,
  inLedger,
  wakeLanes,
  type Account,
} from './store.ts';
import { writeRules } from './update-account.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';
import { STOPPED } from './quarantine-account.ts';

export interface AccountDeps {
  db: Database;
  /** IANA zone of users who chose none. */
  timeZone: string;
  waiters: CommandWaiters;
  messengers: MessengersCapabilities;
}

export interface ConnectDeps extends AccountDeps {
  /** Counts a pairing code for the number with these digits, over all who ask for it. Throws `rate_limited` when it has had its codes. */
  countPairingCode(digits: string): Promise<void>;
}

interface Connecting {
  accountId?: AccountId | undefined;
  messenger: string | undefined;
  method: LinkMethod | 'retry';
  warmUp?: boolean | undefined;
}

/**
 * Links an account of the workspace, by default its default account, to a messaging application, by default its present one (contract §4,
 * connect-account). Resolves to the state of the account: connected, or linking with a code for the user's phone. A quarantined account is
 * resumed; a linked one stays as it is. The accounts of a test workspace stay on the sandbox, so that a program for live runs unchanged. The
 * method `retry` tries an ended link once more. `warmUp` as in `update-account.ts`. Throws `account_not_found`, `conflict` when another
 * messenger is requested while the present one is linked or has something to send, `number_missing` for an owner without one, `number_taken`
 * when another account of the workspace has the number, `owner_disabled`, `unavailable` when there is no code, and for a pairing code the
 * errors of `assertNumberOwnership` and `countPairingCode`.
 */
export async function connectAccount(
  deps: ConnectDeps,
  actor: Actor,
  { method, warmUp, ...given }: Connecting,
): Promise<AccountState> {
  const { db } = deps;
  const found = await findOwnAccount(db, actor.workspaceId, given.accountId);
  const messenger = found.isTest ? undefined : given.messenger;
  const { accountId } = found;
  if (found.disabledAt) throw ownerDisabledError();
  if (found.stopReason !== null) await resumeAccount(db, actor, found);
  const needsNumber = deps.messengers.get(messenger ?? found.messenger)?.linksAtOnce !== true;
  if (needsNumber && (found.phoneNumber === '' || found.phoneNumber.startsWith(FICTITIOUS)))
    throw new AppError(
      'number_missing',
      'The account has no WhatsApp number yet. Its owner enters it with update_profile; a further account gets it at add-account.',
    );
  if (method === 'pairing_code') await allowPairingCode(deps, found, messenger ?? found.messenger);
  const isLinked = await db.transaction().execute(async (trx) => {
    await lockLedgerAndLane(trx, found);
    const account = await findOwnAccount(trx, actor.workspaceId, accountId);
    const moves = messenger !== undefined && messenger !== account.messenger;
    if (method === 'retry' && (moves || (account.retryUntil === null && !LINKED.has(account.status))))
      throw new AppError(
        'link_not_kept',
        'There is no ended link that could be tried once more: link the account again',
      );
    const needsPhone = deps.messengers.get(messenger ?? account.messenger)?.linksAtOnce !== true;
    if (needsPhone && (moves || !LINKED.has(account.status))) await assertNumberUnused(trx, account);
    if (moves) {
      const leavesAtOnce = deps.messengers.get(account.messenger)?.linksAtOnce ?? false;
      await changeMessenger(trx, account, { messenger, leavesAtOnce });
    }
    if (warmUp !== undefined) await writeRules(trx, account, { warmUp });
    if (!moves && LINKED.has(account.status)) {
      const changes = diffValues({}, { warm_up: warmUp });
      if (changes.length > 0)
        await recordAudit(trx, { ...actor, action: 'account.changed', subject: nameAccount(account), changes });
      return true;
    }
    const now = messenger ?? account.messenger;
    const subject = nameAccount({ ...account, messenger: now });
    const changes = diffValues({ messenger: account.messenger }, { messenger: now });
    await recordAudit(trx, { ...actor, action: 'account.linking', subject, changes });
    return false;
  });
  if (!isLinked) await runCommand(deps, accountId, 'connect', { method });
  return readAccountStatus(deps, actor, accountId);
}

async function allowPairingCode(deps: ConnectDeps, account: Account, messenger: string): Promise<void> {
  const isLinked = messenger === account.messenger && LINKED.has(account.status);
  const isShown = account.isCodeGood && account.linkMethod === 'pairing_code';
  if (isLinked || isShown || deps.messengers.get(messenger)?.linksAtOnce === true) return;
  await assertNumberOwnership(deps.db, account);
  await deps.countPairingCode(canonicalDigits(account.phoneNumber));
}

/**
 * What belongs to the old messenger is kept, but can be posted to no more, and a warm-up there is over. The ledger and the lane of the account must be
 * locked.
 */
async function changeMessenger(
  trx: Connection,
  account: Account,
  { messenger, leavesAtOnce }: { messenger: string; leavesAtOnce: boolean },
): Promise<void> {
  const { accountId, workspaceId, status } = account;
  const isFree = leavesAtOnce || status === 'unlinked' || status === 'logged_out';
  if (!isFree) throw new AppError('account_linked', 'Your account is linked. Disconnect it first.');
  // Other accounts of the workspace can send its posts.
  const hasOthers = await hasRow(trx)`
    select from lanes where workspace_id = ${workspaceId} and account_id <> ${accountId} limit 1`;
  const isBusy = hasOthers
    ? await hasWaiting(trx, account)
    : await hasRow(
        trx,
      )`select from runs where workspace_id = ${workspaceId} and status in ('planned', 'running') limit 1`;
  if (isBusy)
    throw new AppError('account_busy', 'Campaigns are planned or under way. Wait for their end, or cancel them first.');
  await endWays(trx, account);
  await execute(trx)`
    update accounts
    set messenger = ${messenger}, status = 'unlinked', status_reason = null, status_code = null, scanned_number = null, groups_synced_at = null, groups_sync_at = null, warm_up_from = null,
        warning = null, warned_until = null, retry_until = null, channels_unread_since = null, rests_until = null
    where account_id = ${accountId}`;
  await execute(trx)`update lanes set messenger = ${messenger} where account_id = ${accountId}`;
}

/**
 * Unlinks an account of the workspace, by default its default account, here and at the messaging application (contract §4,
 * disconnect-account). Queued posts wait until it is linked again. If the messaging application cannot be reached, the status says what is
 * left to do. Throws `account_not_found`, and `unavailable` when it did not confirm.
 */
export async function disconnectAccount(deps: AccountDeps, actor: Actor, wanted?: AccountId): Promise<AccountState> {
  const { accountId } = await findOwnAccount(deps.db, actor.workspaceId, wanted);
  const isLinked = await deps.db.transaction().execute(async (trx) => {
    await lockOwnLane(trx, accountId);
    const account = await findOwnAccount(trx, actor.workspaceId, accountId);
    if (account.status === 'unlinked') return false;
    await recordAudit(trx, { ...actor, action: 'account.unlinked', subject: nameAccount(account) });
    return true;
  });
  if (isLinked) await runCommand(deps, accountId, 'disconnect', {});
  return readAccountStatus(deps, actor, accountId);
}

/**
 * Answers the messaging application's request for the passkey of the number that is being linked (contract §4, submit-passkey). Resolves to
 * the state after the assertion was accepted. Throws `passkey_not_requested` when there is no request, `assertion_rejected` when the
 * assertion is not for it or is rejected, which can be repeated, and `unavailable`.
 */
export async function submitPasskey(
  deps: AccountDeps,
  actor: Actor,
  { accountId: wanted, assertion }: { accountId?: AccountId | undefined; assertion: PasskeyAssertion },
): Promise<AccountState> {
  const { accountId, isCodeGood, passkey } = await findOwnAccount(deps.db, actor.workspaceId, wanted);
  if (!isCodeGood || !passkey?.requestOptions)
    throw new AppError('passkey_not_requested', 'No passkey is asked for at the moment: connect the account again');
  await runCommand(deps, accountId, 'submit_passkey', { assertion });
  return readAccountStatus(deps, actor, accountId);
}

/**
 * Resumes a quarantined account (`quarantine-account.ts`) after its runs were recounted from their deliveries, each run in a transaction
 * of its own: a request that is interrupted and repeated goes on. They are the runs of its workspace, and all accounts that were stopped for them go on. Runs whose deliveries can no longer change are skipped.
 */
export async function resumeAccount(db: Database, actor: Actor, account: Account): Promise<void> {
  const { accountId, workspaceId } = account;
  const rows = await readRows<{ run_id: number }>(db)`
    select r.run_id from runs r join campaigns c on c.campaign_id = r.campaign_id and c.folded_at is null and c.deleted_at is null
    where r.workspace_id = ${workspaceId} and r.started_at is not null and not r.receipts_dropped
    order by r.run_id`;
  for (const { run_id: runId } of rows) await inLedger(db, workspaceId, (trx) => recount(trx, workspaceId, runId));
  await db.transaction().execute(async (trx) => {
    await lockLedgerAndLane(trx, account);
    await execute(trx)`
      update campaigns c
      set open_runs = (c.planned_until is not null)::int
                      + (select count(*) from runs r where r.campaign_id = c.campaign_id and r.status in ('planned', 'running'))
      where workspace_id = ${workspaceId} and status in ('scheduled', 'running', 'paused')`;
    const isResumed = sql`a.workspace_id = ${workspaceId} and (a.account_id = ${accountId} or a.stop_reason = ${STOPPED})`;
    await execute(trx)`
      update lanes l set held_until = '-infinity' from accounts a where a.account_id = l.account_id and a.disabled_at is null and ${isResumed}`;
    await execute(trx)`update accounts a set stop_reason = null where ${isResumed}`;
    await wakeLanes(trx, workspaceId);
    await recordAudit(trx, { ...actor, action: 'account.resumed', subject: nameAccount(account) });
  });
}

/** The ledger must be locked. */
async function recount(trx: Connection, workspaceId: WorkspaceId, runId: number): Promise<void> {
  await execute(trx)`select recount_run(${workspaceId}, ${runId})`;
  await execute(trx)`select settle_runs(array[${workspaceId}::bigint], array[${runId}::bigint])`;
}
