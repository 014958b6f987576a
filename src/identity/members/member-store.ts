/** The SQL of workspaces and their members. Every change of members locks the workspace first, so that no two decide by the same members. */
import {
  execute,
  readColumn,
  readRow,
  readRows,
  readValue,
  sql,
  readCount,
  type Connection,
} from '../../platform/database/statements.ts';
import type { Role, UserId, WorkspaceId } from '../../platform/database/schema.ts';
import { AppError } from '../../platform/errors/errors.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { DEFAULT_FIRST } from '../../workspaces/members/default-membership.ts';
import { userGoneError } from '../get-profile.ts';
import type { User } from '../store.ts';

export interface Member extends Pick<User, 'userId' | 'userName' | 'firstName' | 'lastName' | 'email'> {
  role: Role;
  joinedAt: Date;
}

export interface OwnWorkspace {
  workspaceId: WorkspaceId;
  name: string;
  role: Role;
  /** Members, the person included. */
  members: number;
  /** As in `FailoverRules`. */
  failoverMinutes: number | null;
  failsBack: boolean;
}

/** The name of the workspace `w`. Without one the user name of its owner stands for it. */
export const WORKSPACE_NAME = sql<string>`coalesce(w.name, (
  select u.user_name from memberships o join users u using (user_id) where o.workspace_id = w.workspace_id and o.role = 'owner'), '')`;

/** Locks a workspace until the transaction ends. Returns its name; undefined when it is gone, or its owner was deleted. */
export async function lockWorkspace(trx: Connection, workspaceId: WorkspaceId): Promise<{ name: string } | undefined> {
  await execute(trx)`select from workspaces where workspace_id = ${workspaceId} for no key update`;
  // A statement of its own: one that has waited for a lock still reads other tables as they were when it began.
  return readRow<{ name: string }>(trx)`
    select ${WORKSPACE_NAME} as name from workspaces w
    where w.workspace_id = ${workspaceId} and exists (
      select from memberships o join users u using (user_id)
      where o.workspace_id = w.workspace_id and o.role = 'owner' and u.deleted_at is null)`;
}

/**
 * Locks the workspace of the actor. Returns its name. Throws `unauthenticated` when it is gone, and `conflict` when the actor has left it or
 * no longer owns it: that can have happened since the request was let in.
 */
export async function lockWorkspaceOf(trx: Connection, actor: Actor): Promise<{ name: string }> {
  const workspace = await lockWorkspace(trx, actor.workspaceId);
  if (!workspace) throw userGoneError();
  const present = await findRole(trx, actor.workspaceId, actor.userId);
  if (present === undefined || (actor.role === 'owner' && present !== 'owner'))
    throw new AppError(
      'changed_meanwhile',
      'Your role in the workspace changed at the same moment. Reload, then try again.',
    );
  return workspace;
}

/** The owner first, then as they joined. */
export async function selectMembers(db: Connection, workspaceId: WorkspaceId): Promise<Member[]> {
  return readRows<Member>(db)`
    select u.user_id as "userId", u.user_name as "userName", u.first_name as "firstName", u.last_name as "lastName", u.email, m.role,
           m.joined_at as "joinedAt"
    from memberships m join users u using (user_id)
    where m.workspace_id = ${workspaceId} and u.deleted_at is null
    order by m.role = 'owner' desc, m.joined_at, u.user_id`;
}

/** Undefined for a person who is no member. */
export async function findRole(db: Connection, workspaceId: WorkspaceId, userId: UserId): Promise<Role | undefined> {
  return readValue<Role>(db)`
    select m.role from memberships m join users u using (user_id)
    where m.workspace_id = ${workspaceId} and m.user_id = ${userId} and u.deleted_at is null`;
}

export function countMembers(db: Connection, workspaceId: WorkspaceId): Promise<number> {
  return readCount(db)`select count(*) from memberships where workspace_id = ${workspaceId}`;
}

export function countMemberships(db: Connection, userId: UserId): Promise<number> {
  return readCount(db)`select count(*) from memberships where user_id = ${userId}`;
}

/** Workspaces of a person: the list is read with nearly every request. */
export const MEMBERSHIPS_LIMIT = 50;

/** Throws `workspace_limit_reached` for a person with as many workspaces as a person may have. Call it with the user locked. */
export async function assertMayBeMember(trx: Connection, userId: UserId): Promise<void> {
  if ((await countMemberships(trx, userId)) < MEMBERSHIPS_LIMIT) return;
  throw new AppError(
    'workspace_limit_reached',
    `You are a member of ${MEMBERSHIPS_LIMIT} workspaces, the most there can be. Leave one first.`,
    { limit: MEMBERSHIPS_LIMIT },
  );
}

/** Returns the name before; null: it had none of its own. */
export async function writeName(trx: Connection, workspaceId: WorkspaceId, name: string): Promise<string | null> {
  const before = await readValue<string | null>(trx)`
    update workspaces w set name = ${name} from workspaces o
    where w.workspace_id = ${workspaceId} and o.workspace_id = w.workspace_id returning o.name as before`;
  return before ?? null;
}

/** Records that a member has opened the workspace in the dashboard. */
export async function writeOpened(db: Connection, workspaceId: WorkspaceId, userId: UserId): Promise<void> {
  await execute(db)`
    update memberships set opened_at = campanile_now()
    where workspace_id = ${workspaceId} and user_id = ${userId}`;
}

/** Returns the workspace that a user opened last, else the default one. */
export async function findLastOpened(db: Connection, userId: UserId): Promise<WorkspaceId | undefined> {
  return readValue<WorkspaceId>(db)`
    select d.workspace_id as "workspaceId" from memberships d
    where d.user_id = ${userId} order by d.opened_at desc nulls last, ${DEFAULT_FIRST} limit 1`;
}

/** The default workspace first. */
export async function selectOwnWorkspaces(db: Connection, userId: UserId): Promise<OwnWorkspace[]> {
  return readRows<OwnWorkspace>(db)`
    select w.workspace_id as "workspaceId", ${WORKSPACE_NAME} as name, d.role,
           (select count(*)::int from memberships a where a.workspace_id = w.workspace_id) as members,
           w.failover_minutes as "failoverMinutes", w.fails_back as "failsBack"
    from memberships d join workspaces w using (workspace_id)
    where d.user_id = ${userId} order by ${DEFAULT_FIRST}`;
}

/** The workspaces of many users, by user, each list as `selectOwnWorkspaces` has it. */
export async function selectWorkspacesOf(
  db: Connection,
  userIds: readonly UserId[],
): Promise<Map<UserId, Array<Pick<OwnWorkspace, 'workspaceId' | 'name' | 'role'>>>> {
  const rows = await readRows<Pick<OwnWorkspace, 'workspaceId' | 'name' | 'role'> & { userId: UserId }>(db)`
    select d.user_id as "userId", w.workspace_id as "workspaceId", ${WORKSPACE_NAME} as name, d.role
    from memberships d join workspaces w using (workspace_id)
    where d.user_id = any(${[...userIds]}::bigint[]) order by d.user_id, ${DEFAULT_FIRST}`;
  return Map.groupBy(rows, ({ userId }) => userId);
}

/** The workspaces that a user owns, in the order in which they are locked. */
export async function selectOwnedWorkspaces(db: Connection, userId: UserId): Promise<WorkspaceId[]> {
  return readColumn<WorkspaceId>(db)`
    select workspace_id as "workspaceId" from memberships
    where user_id = ${userId} and role = 'owner' order by workspace_id`;
}
