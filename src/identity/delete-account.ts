import type { Transaction } from 'kysely';
import type { Actor } from '../workspaces/audit/record-audit.ts';
import type { Schema } from '../platform/database/schema.ts';
import { AppError } from '../platform/errors/errors.ts';
import { confirmPassword } from './passwords/confirm-password.ts';
import type { UserDependencies } from './dependencies.ts';
import { deleteFactors } from './factors/factor-store.ts';
import { setUserDeleted, type UserWithSecrets } from './store.ts';
import type { TokenIdentity } from './sessions/token.ts';

type DeleteDeps = Pick<UserDependencies, 'db' | 'tokenStates' | 'apiKeyStates' | 'onUserDeleted'>;

/**
 * Deletes a user, and with them the workspace that they alone own (contract §4). When this resolves, durably and in one short transaction:
 * - nothing more is sent but what is in a worker's hand, for the right to send is gone (`onUserDeleted`);
 * - tokens and API keys are refused, here at once and in all other processes within a second;
 * - names, addresses, numbers, password and keys are gone, and the user name and the e-mail address are free again.
 *
 * A worker then closes the session and removes everything else, which may be millions of rows, in small steps that a crash only
 * interrupts (`erasure/erase-user.ts`); until then the rest belongs to a user who cannot sign in.
 *
 * Throws what `confirmPassword` throws, on `password`, and `conflict` when password or tokens were changed at the same moment.
 */
export async function deleteAccount(
  deps: DeleteDeps,
  { userId }: Actor,
  token: TokenIdentity,
  password: string,
): Promise<void> {
  await endUser(deps, await confirmPassword(deps.db, { userId, token }, { field: 'password', password }));
}

/**
 * Deletes a user without a password: the caller has verified the request. `also` runs in the same transaction. Throws the `conflict` of
 * `deleteAccount`.
 */
export async function endUser(
  { db, tokenStates, apiKeyStates, onUserDeleted }: DeleteDeps,
  user: UserWithSecrets,
  also: (trx: Transaction<Schema>) => Promise<void> = async () => {},
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Lock order: lanes before users.
    await onUserDeleted(trx, user.workspaceId);
    if (!(await setUserDeleted(trx, user)))
      throw new AppError('changed_meanwhile', 'The password or the tokens changed at the same moment. Try again.');
    await deleteFactors(trx, user.userId);
    await also(trx);
  });
  tokenStates.drop(user.userId);
  apiKeyStates.drop(user.userId);
}
