import type { Transaction } from 'kysely';
import type { Actor } from '../workspaces/audit/record-audit.ts';
import type { Connection } from '../platform/database/connect.ts';
import type { Schema, UserId, WorkspaceId } from '../platform/database/schema.ts';
import { AppError } from '../platform/errors/errors.ts';
import { confirmPassword } from './passwords/confirm-password.ts';
import type { UserDependencies } from './dependencies.ts';
import { endMembership, handOverFirst } from './members/manage-members.ts';
import {
  countMembers,
  deleteMemberships,
  lockWorkspace,
  selectMembers,
  selectOwnedWorkspaces,
} from './members/member-store.ts';
import { deleteFactors } from './factors/factor-store.ts';
import { forgetPerson } from './forget-person.ts';
import { setUserDeleted, type UserWithSecrets } from './store.ts';
import type { TokenIdentity } from './sessions/token.ts';

type DeleteDeps = Pick<UserDependencies, 'db' | 'tokenStates' | 'apiKeyStates' | 'onUserDeleted' | 'onUserCreated'>;

/**
 * Deletes a user, and with them the workspaces that they alone own (contract §4). When this resolves, durably and in one short transaction:
 * - nothing more is sent but what is in a worker's hand, for the right to send is gone (`onUserDeleted`);
 * - tokens and API keys are refused, here at once and in all other processes within a second;
 * - names, addresses, numbers, password and keys are gone, and the user name and the e-mail address are free again.
 *
 * A worker then closes the session and removes everything else, which may be millions of rows, in small steps that a crash only
 * interrupts (`erasure/erase-user.ts`); until then the rest belongs to a user who cannot sign in.
 *
 * Their memberships in workspaces of others end, and what they did there stays, without their name (`forget-person.ts`).
 *
 * Throws what `confirmPassword` throws, on `password`, `conflict` for the owner of a workspace with other members, and `conflict` when password or tokens were changed at the same moment.
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
 * Deletes a user without a password: the caller has verified the request. `also` runs in the same transaction. With `removesMembers` the
 * user's workspaces go even if they have other members, who get a new one each if it was their only one. Throws the `conflict` of
 * `deleteAccount`.
 */
export async function endUser(
  { db, tokenStates, apiKeyStates, onUserDeleted, onUserCreated }: DeleteDeps,
  user: UserWithSecrets,
  also: (trx: Transaction<Schema>) => Promise<void> = async () => {},
  { removesMembers = false }: { removesMembers?: boolean } = {},
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Lock order: workspaces before lanes, since a campaign stores its file first, and lanes before users.
    const owned = await selectOwnedWorkspaces(trx, user.userId);
    for (const workspaceId of owned)
      await (removesMembers ? lockWorkspace(trx, workspaceId) : assertNotShared(trx, workspaceId));
    for (const workspaceId of owned) await onUserDeleted(trx, workspaceId);
    for (const workspaceId of owned)
      for (const { userId } of await selectMembers(trx, workspaceId))
        if (userId !== user.userId) await endMembership({ onUserCreated }, trx, workspaceId, userId);
    if (!(await setUserDeleted(trx, user)))
      throw new AppError('changed_meanwhile', 'The password or the tokens changed at the same moment. Try again.');
    await assertOwns(trx, user.userId, owned);
    await deleteMemberships(trx, user.userId);
    await deleteFactors(trx, user.userId);
    await forgetPerson(trx, user);
    await also(trx);
  });
  tokenStates.drop(user.userId);
  apiKeyStates.drop(user.userId);
}

/**
 * Throws `conflict` when a workspace was handed over to or by the user since `owned` was read. Call it with the user locked: what
 * concerns the owner of a workspace must be done for all of them.
 */
export async function assertOwns(trx: Connection, userId: UserId, owned: readonly WorkspaceId[]): Promise<void> {
  const present = await selectOwnedWorkspaces(trx, userId);
  if (present.join() !== owned.join())
    throw new AppError('changed_meanwhile', 'A workspace of the user was handed over at the same moment. Try again.');
}

/** Nobody can join while the workspace is locked. */
async function assertNotShared(trx: Transaction<Schema>, workspaceId: WorkspaceId): Promise<void> {
  const workspace = await lockWorkspace(trx, workspaceId);
  if (!workspace || (await countMembers(trx, workspaceId)) === 1) return;
  throw handOverFirst(
    `The workspace ${workspace.name} has other members: hand it over to one of them, or remove them, before its owner is deleted`,
  );
}
