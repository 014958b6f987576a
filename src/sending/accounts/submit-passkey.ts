import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { AppError } from '../../platform/errors/errors.ts';
import type { PasskeyAssertion } from '../../messengers/messenger.ts';
import { readAccountStatus, type AccountState } from './account-status.ts';
import { runCommand } from './commands.ts';
import type { AccountDeps } from './connect-account.ts';
import { findOwnAccount } from './store.ts';
import type { AccountId } from '../../platform/database/schema.ts';

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
