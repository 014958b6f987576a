import { sql, type RawBuilder } from 'kysely';
import { findOwnAccount } from '../../src/sending/accounts/store.ts';
import type { Actor } from '../../src/workspaces/audit/record-audit.ts';
import type { Database } from '../../src/platform/database/statements.ts';
import type { AccountId, UserId, WorkspaceId } from '../../src/platform/database/schema.ts';

/** Returns the workspace of a user, for SQL in tests: the API does not expose it. */
export function workspaceOf({ userId }: { userId: UserId }): RawBuilder<WorkspaceId> {
  return sql`(select workspace_id from memberships where user_id = ${userId})`;
}

/** A user as passed to use cases. */
export async function actorOf(db: Database, { userId }: { userId: UserId }): Promise<Actor> {
  const { workspace_id: workspaceId, role } = await db
    .selectFrom('memberships')
    .select(['workspace_id', 'role'])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return { userId, workspaceId, role, address: '192.0.2.1' };
}

/** The same, with the account. */
export async function ownerOf(db: Database, who: { userId: UserId }): Promise<Actor & { accountId: AccountId }> {
  const actor = await actorOf(db, who);
  return { ...actor, accountId: (await findOwnAccount(db, actor.workspaceId)).accountId };
}
