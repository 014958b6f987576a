import type { Transaction } from 'kysely';
import type { Actor } from '../workspaces/audit/record-audit.ts';
import type { Schema, UserId, WorkspaceId } from '../platform/database/schema.ts';
import { AppError } from '../platform/errors/errors.ts';
import { confirmPassword } from './passwords/confirm-password.ts';
import type { UserDependencies } from './dependencies.ts';
import { endMembership, handOverFirst } from './members/manage-members.ts';
import { countMembers, lockWorkspace, selectMembers, selectOwnedWorkspaces } from './members/member-store.ts';
import { deleteFactors } from './factors/factor-store.ts';
import { forgetPerson } from './forget-person.ts';
import type { UserWithSecrets } from './store.ts';
import type { TokenIdentity } from './sessions/token.ts';
import { execute, hasRow, type Connection } from '../platform/database/statements.ts';
import { notifyAfterCommit } from '../platform/database/notify-after-commit.ts';

type DeleteDeps = Pick<UserDependencies, 'db' | 'dropCached' | 'onUserDeleted' | 'onWorkspaceCreated'>;

/**
 * Deletes a user, and with them the workspaces that they alone own (contract §4). When this resolves, durably and in one short transaction:
 * - nothing more is sent but what is in a worker's hand, for the right to send is gone (`onUserDeleted`);
 * - tokens and API keys are refused, here at once and in all other processes within a second;
 * - names, addresses, numbers, password and keys are gone, and the user name and the e-mail address are free again.
 *
 * A worker then closes the session and removes everything else, which may be millions of rows, in small steps that a crash only
 * interrupts (`erasure/erase-deleted-users.ts`); until then the rest belongs to a user who cannot sign in.
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
  { db, dropCached, onUserDeleted, onWorkspaceCreated }: DeleteDeps,
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
        if (userId !== user.userId) await endMembership({ onWorkspaceCreated }, trx, workspaceId, userId);
    // Anonymised. Optimistic locking: nothing changes if the password or the tokens are others by now.
    const isDeleted = await hasRow(trx)`
      with deleted as (
        update users
        set deleted_at = campanile_now(), first_name = '', last_name = '', user_name = '', email = '', phone_number = '',
            whatsapp_number = '', whatsapp_digits = '', password_hash = '', time_zone = null, language = null, kept_token_id = null, is_admin = false,
            token_generation = token_generation + 1, first_signed_in_at = null, email_verified_at = null, disabled_at = null
        where user_id = ${user.userId} and deleted_at is null and password_hash = ${user.passwordHash}
          and token_generation = ${user.tokenGeneration}
        returning user_id
      ), logins as (
        delete from user_logins l using deleted d where l.user_id = d.user_id
      ), keys as (
        delete from api_keys k using deleted d where k.user_id = d.user_id
      )
      select from deleted`;
    if (!isDeleted)
      throw new AppError('changed_meanwhile', 'The password or the tokens changed at the same moment. Try again.');
    await notifyAfterCommit(trx, 'campanile_tokens', String(user.userId));
    await notifyAfterCommit(trx, 'campanile_erasures');
    await assertOwns(trx, user.userId, owned);
    await execute(trx)`delete from report_links where created_by = ${user.userId}`;
    await execute(trx)`delete from calendar_links where created_by = ${user.userId}`;
    await execute(trx)`delete from memberships where user_id = ${user.userId} and role <> 'owner'`;
    // Their number for approvals in the workspaces that they own.
    await execute(trx)`
      update memberships set review_number = null where user_id = ${user.userId} and review_number is not null`;
    await deleteFactors(trx, user.userId);
    await forgetPerson(trx, user);
    await also(trx);
  });
  dropCached(user.userId);
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
