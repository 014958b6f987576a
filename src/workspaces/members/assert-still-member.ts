import { execute, readRow, type Connection } from '../../platform/database/statements.ts';
import type { Role, UserId, WorkspaceId } from '../../platform/database/schema.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { includesRole } from './roles.ts';

/** Lets changes of members wait until the transaction ends, of a test workspace those of the live one. */
export async function lockMembers(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  await execute(trx)`
    select from workspaces
    where workspace_id = (select coalesce(test_of, workspace_id) from workspaces where workspace_id = ${workspaceId})
    for no key update`;
}

/**
 * Throws `workspace_not_found` or `role_missing` when the actor was removed, or lost the role, since the request was let in: for requests
 * that take long. In a test workspace the membership of the live one counts.
 */
export async function assertStillMember(
  trx: Connection,
  { workspaceId, userId }: { workspaceId: WorkspaceId; userId: UserId },
  needed: Role,
): Promise<void> {
  const member = await readRow<{ role: Role }>(trx)`
    select m.role from workspaces w join memberships m on m.workspace_id = coalesce(w.test_of, w.workspace_id)
    where w.workspace_id = ${workspaceId} and m.user_id = ${userId}`;
  if (!member)
    throw new AppError('workspace_not_found', 'You were removed from the workspace before the request was complete');
  if (!includesRole(member.role, needed))
    throw new AppError(
      'role_missing',
      `This operation needs the role ${needed}, which you lost before the request was complete`,
    );
}
