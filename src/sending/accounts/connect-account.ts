import { sql } from 'kysely';
import { diffValues } from '../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { Connection, Database } from '../../platform/database/connect.ts';
import { AppError } from '../../platform/errors/errors.ts';
import type { LinkMethod, MessengersCapabilities } from '../../messengers/messenger.ts';
import { assertNumberOwnership } from './allow-pairing-code.ts';
import { assertNumberUnused } from './assert-number-unused.ts';
import { readAccountStatus, type AccountState } from './account-status.ts';
import { runCommand, type CommandWaiters } from './commands.ts';
import { endWays } from './group-accounts.ts';
import { hasWaiting } from './has-waiting.ts';
import { resumeAccount } from './resume-account.ts';
import { findOwnAccount, LINKED, lockLedgerAndLane, nameAccount, type Account } from './store.ts';
import { writeRules } from './update-account.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

export interface AccountDeps {
  db: Database;
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
 * messenger is requested while the present one is linked or has something to send, `number_taken` when another account of the workspace has
 * the number, `unavailable` when there is no code, and for a pairing code the errors of `assertNumberOwnership` and `countPairingCode`.
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
  if (found.stopReason !== null) await resumeAccount(db, actor, found);
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
  await deps.countPairingCode(account.phoneNumber);
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
  const { accountId, status } = account;
  const isFree = leavesAtOnce || status === 'unlinked' || status === 'logged_out';
  if (!isFree) throw new AppError('account_linked', 'Your account is linked. Disconnect it first.');
  if ((await isOnly(trx, account)) ? await hasOpenRuns(trx, account.workspaceId) : await hasWaiting(trx, account))
    throw new AppError('account_busy', 'Campaigns are planned or under way. Wait for their end, or cancel them first.');
  await endWays(trx, account);
  await sql`
    update accounts
    set messenger = ${messenger}, status = 'unlinked', status_reason = null, scanned_number = null, groups_synced_at = null, groups_sync_at = null, warm_up_from = null,
        warning = null, warned_until = null, retry_until = null, channels_unread_since = null, rests_until = null
    where account_id = ${accountId}`.execute(trx);
  await sql`update lanes set messenger = ${messenger} where account_id = ${accountId}`.execute(trx);
}

/** Whether no other account of the workspace can send its posts. */
async function isOnly(trx: Connection, { accountId, workspaceId }: Account): Promise<boolean> {
  const { rows } = await sql`
    select from lanes where workspace_id = ${workspaceId} and account_id <> ${accountId} limit 1`.execute(trx);
  return rows.length === 0;
}

async function hasOpenRuns(trx: Connection, workspaceId: WorkspaceId): Promise<boolean> {
  const { rows } = await sql`
    select from runs where workspace_id = ${workspaceId} and status in ('planned', 'running') limit 1`.execute(trx);
  return rows.length > 0;
}
