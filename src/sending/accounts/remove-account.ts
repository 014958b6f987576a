import { execute, type Connection, type Database } from '../../platform/database/statements.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { notifyAfterCommit } from '../../platform/database/notify-after-commit.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { endWays } from './group-accounts.ts';
import { hasWaiting } from './is-waited-for.ts';
import { findOwnAccount, LINKED, lockLedgerAndLane, nameAccount, type Account } from './store.ts';
import type { AccountId } from '../../platform/database/schema.ts';

/**
 * Removes an account of the workspace for good (contract §4, remove-account): it loses its lane, and with it the right to send, and its
 * ways to groups. A worker then closes its session and has the messengers forget it (`erase-deleted-users.ts`). Its posts stay in the
 * workspace's figures. Throws `account_not_found`; `account_is_default`; `account_linked` while it is linked or being linked;
 * `account_busy` while something waits for it.
 */
export async function removeAccount({ db }: { db: Database }, actor: Actor, accountId: AccountId): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const found = await findOwnAccount(trx, actor.workspaceId, accountId);
    await lockLedgerAndLane(trx, found);
    const account = await findOwnAccount(trx, actor.workspaceId, accountId);
    if (account.isDefault)
      throw new AppError(
        'account_is_default',
        'The default account of a workspace cannot be removed. Make another account the default one first.',
      );
    if (LINKED.has(account.status) || account.status === 'linking')
      throw new AppError('account_linked', 'This account is linked. Disconnect it first.');
    if (await hasWaiting(trx, account))
      throw new AppError(
        'account_busy',
        'Posts, corrections, recalls or pins wait for this account. Hand its posts over, wait for the others, or cancel the campaigns first.',
      );
    await endAccount(trx, account);
    await recordAudit(trx, { ...actor, action: 'account.removed', subject: nameAccount(account) });
  });
}

async function endAccount(trx: Connection, account: Account): Promise<void> {
  const { accountId } = account;
  await endWays(trx, account);
  await clearLink(trx, [accountId]);
  // The changes that live progress counts on the lane stay counted.
  await execute(trx)`
    with gone as (delete from lanes where account_id = ${accountId} returning workspace_id, turn)
    update workspace_ledgers k set changes = k.changes + 2 * gone.turn + 2 from gone where k.workspace_id = gone.workspace_id`;
  await execute(trx)`update accounts set removed_at = campanile_now() where account_id = ${accountId}`;
  await notifyAfterCommit(trx, 'campanile_erasures');
}

/** Forgets what is shown of a link, and that there is one. */
export async function clearLink(trx: Connection, accountIds: readonly AccountId[]): Promise<void> {
  await execute(trx)`
    update accounts set status = 'unlinked', qr = null, pairing_code = null, passkey = null, status_reason = null, status_code = null, linked_number = null,
      scanned_number = null, warning = null, warned_until = null, retry_until = null
    where account_id = any(${[...accountIds]}::bigint[])`;
}
