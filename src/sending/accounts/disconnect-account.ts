import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { readAccountStatus, type AccountState } from './account-status.ts';
import { runCommand } from './commands.ts';
import type { AccountDeps } from './connect-account.ts';
import { findOwnAccount, lockOwnLane, nameAccount } from './store.ts';
import type { AccountId } from '../../platform/database/schema.ts';

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
