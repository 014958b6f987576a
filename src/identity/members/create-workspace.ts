import type { Transaction } from 'kysely';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { Connection } from '../../platform/database/statements.ts';
import type { Schema, UserId, WorkspaceId } from '../../platform/database/schema.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { readAccountFlags } from '../account-flags-store.ts';
import type { UserDependencies } from '../dependencies.ts';
import { userGoneError } from '../get-profile.ts';
import { insertWorkspace, lockUser } from '../store.ts';
import { assertMayBeMember, selectOwnedWorkspaces, writeName } from './member-store.ts';

type OwnerDeps = Pick<UserDependencies, 'ownedWorkspaces'>;
type CreateDeps = OwnerDeps & Pick<UserDependencies, 'db' | 'dropCached' | 'onWorkspaceCreated'>;

/**
 * Creates a workspace that the actor owns. Throws `conflict` for a person who owns as many as a person may, or is a member of as many.
 */
export async function createWorkspace(deps: CreateDeps, actor: Actor, name: string): Promise<WorkspaceId> {
  const { userId } = actor;
  const workspaceId = await deps.db.transaction().execute(async (trx) => {
    // Locked, so that of two at once the second counts the first.
    if (!(await lockUser(trx, userId))) throw userGoneError();
    await assertMayOwnMore(deps, trx, userId);
    await assertMayBeMember(trx, userId);
    const made = await createWorkspaceOf(deps, trx, userId);
    await writeName(trx, made, name);
    await recordAudit(trx, { ...actor, workspaceId: made, action: 'workspace.created', subject: name });
    return made;
  });
  deps.dropCached(userId);
  return workspaceId;
}

/** Makes a workspace that a user owns, with its initial rows. */
export async function createWorkspaceOf(
  { onWorkspaceCreated }: Pick<UserDependencies, 'onWorkspaceCreated'>,
  trx: Transaction<Schema>,
  userId: UserId,
): Promise<WorkspaceId> {
  const workspaceId = await insertWorkspace(trx, userId);
  await onWorkspaceCreated(trx, workspaceId);
  return workspaceId;
}

/** Throws `owner_limit_reached` for a person who owns as many workspaces as a person may. Call it with the user locked. */
export async function assertMayOwnMore(deps: OwnerDeps, trx: Connection, userId: UserId): Promise<void> {
  const { ownedWorkspaces: max } = deps;
  if ((await mayOwnAny(deps, trx, userId)) || (await selectOwnedWorkspaces(trx, userId)).length < max) return;
  throw new AppError(
    'owner_limit_reached',
    `This person owns ${max} workspaces, the most that a person may own. An administrator of this service can own more.`,
    { limit: max },
  );
}

/** Whether a person may own any number of workspaces: administrators do. */
export async function mayOwnAny({ ownedWorkspaces: max }: OwnerDeps, db: Connection, userId: UserId): Promise<boolean> {
  return max === Infinity || ((await readAccountFlags(db, userId))?.isAdmin ?? false);
}
