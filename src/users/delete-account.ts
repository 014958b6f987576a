import type { Actor } from '../audit/record-audit.ts';
import { AppError } from '../lib/errors.ts';
import { confirmPassword } from './confirm-password.ts';
import type { UserDependencies } from './dependencies.ts';
import { markDeleted } from './store.ts';
import type { TokenIdentity } from './token.ts';

/**
 * Deletes a user, and with them the workspace that they alone own (contract §4). When this resolves, durably and in one short transaction:
 * - nothing more is sent but what is in a worker's hand, for the right to send is gone (`diesWithUser`);
 * - tokens and API keys are refused, here at once and in all other processes within a second;
 * - names, addresses, numbers, password and keys are gone, and the user name and the e-mail address are free again.
 *
 * A worker then closes the session and removes everything else, which may be millions of rows, in small steps that a crash only
 * interrupts (`erasure/erase-user.ts`); what is left meanwhile belongs to nobody who could sign in.
 *
 * Throws what `confirmPassword` throws, on `password`, and `conflict` when password or tokens were changed at the same moment.
 */
export async function deleteAccount(
  {
    db,
    tokenStates,
    apiKeyStates,
    diesWithUser,
  }: Pick<UserDependencies, 'db' | 'tokenStates' | 'apiKeyStates' | 'diesWithUser'>,
  { userId, workspaceId }: Actor,
  token: TokenIdentity,
  password: string,
): Promise<void> {
  const user = await confirmPassword(db, { userId, token }, { field: 'password', password });
  await db.transaction().execute(async (trx) => {
    // Before the user: whoever locks lanes locks them first.
    await diesWithUser(trx, workspaceId);
    if (!(await markDeleted(trx, user)))
      throw new AppError('conflict', 'The password or the tokens were changed at the same moment: try again');
  });
  tokenStates.drop(userId);
  apiKeyStates.drop(userId);
}
