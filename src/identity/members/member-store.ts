/** The SQL of workspaces and their members. Every change of members locks the workspace first, so that no two decide by the same members. */
import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import { notifyAfterCommit } from '../../platform/database/notify-after-commit.ts';
import type { Role, UserId, WorkspaceId } from '../../platform/database/schema.ts';
import { AppError } from '../../platform/errors/errors.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { DEFAULT_FIRST } from '../../workspaces/members/default-membership.ts';
import { userGoneError } from '../get-profile.ts';

export interface Member {
  userId: UserId;
  userName: string;
  firstName: string;
  lastName: string;
  email: string;
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
  await sql`select from workspaces where workspace_id = ${workspaceId} for no key update`.execute(trx);
  // A statement of its own: one that has waited for a lock still reads other tables as they were when it began.
  const { rows } = await sql<{ name: string }>`
    select ${WORKSPACE_NAME} as name from workspaces w
    where w.workspace_id = ${workspaceId} and exists (
      select from memberships o join users u using (user_id)
      where o.workspace_id = w.workspace_id and o.role = 'owner' and u.deleted_at is null)`.execute(trx);
  return rows[0];
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
  const { rows } = await sql<Member>`
    select u.user_id as "userId", u.user_name as "userName", u.first_name as "firstName", u.last_name as "lastName", u.email, m.role,
           m.joined_at as "joinedAt"
    from memberships m join users u using (user_id)
    where m.workspace_id = ${workspaceId} and u.deleted_at is null
    order by m.role = 'owner' desc, m.joined_at, u.user_id`.execute(db);
  return rows;
}

/** Undefined for a person who is no member. */
export async function findRole(db: Connection, workspaceId: WorkspaceId, userId: UserId): Promise<Role | undefined> {
  const { rows } = await sql<{ role: Role }>`
    select m.role from memberships m join users u using (user_id)
    where m.workspace_id = ${workspaceId} and m.user_id = ${userId} and u.deleted_at is null`.execute(db);
  return rows[0]?.role;
}

export async function countMembers(db: Connection, workspaceId: WorkspaceId): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from memberships where workspace_id = ${workspaceId}`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function countMemberships(db: Connection, userId: UserId): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from memberships where user_id = ${userId}`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function insertMember(
  trx: Connection,
  { workspaceId, userId, role }: { workspaceId: WorkspaceId; userId: UserId; role: Role },
): Promise<void> {
  await trx.insertInto('memberships').values({ workspace_id: workspaceId, user_id: userId, role }).execute();
  await notifyAfterCommit(trx, 'campanile_tokens', String(userId));
}

/**
 * Ends a user's memberships in other people's workspaces with their links to reports, and removes their number for approvals from the
 * workspaces they own.
 */
export async function deleteMemberships(trx: Connection, userId: UserId): Promise<void> {
  await sql`delete from report_links where created_by = ${userId}`.execute(trx);
  await sql`delete from memberships where user_id = ${userId} and role <> 'owner'`.execute(trx);
  await sql`update memberships set review_number = null where user_id = ${userId} and review_number is not null`.execute(
    trx,
  );
}

/** Ends a membership, and with it the keys that the member made and their notices of the workspace. Notifies all processes. */
export async function deleteMember(trx: Connection, workspaceId: WorkspaceId, userId: UserId): Promise<void> {
  await sql`delete from memberships where workspace_id = ${workspaceId} and user_id = ${userId}`.execute(trx);
  await sql`delete from notices where user_id = ${userId} and workspace_id = ${workspaceId}`.execute(trx);
  await notifyAfterCommit(trx, 'campanile_tokens', String(userId));
}

/** The links to reports that a member has made in a workspace and in its test workspace. */
const linksOf = (workspaceId: WorkspaceId, userId: UserId) => sql`
  created_by = ${userId}
  and workspace_id in (select workspace_id from workspaces where ${workspaceId} in (workspace_id, test_of))`;

export async function countReportLinks(db: Connection, workspaceId: WorkspaceId, userId: UserId): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from report_links
    where ${linksOf(workspaceId, userId)} and expires_at > campanile_now()`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function deleteReportLinks(trx: Connection, workspaceId: WorkspaceId, userId: UserId): Promise<void> {
  await sql`delete from report_links where ${linksOf(workspaceId, userId)}`.execute(trx);
}

export async function writeRole(
  trx: Connection,
  { workspaceId, userId, role }: { workspaceId: WorkspaceId; userId: UserId; role: Role },
): Promise<void> {
  await sql`
    update memberships set role = ${role} where workspace_id = ${workspaceId} and user_id = ${userId}`.execute(trx);
  await notifyAfterCommit(trx, 'campanile_tokens', String(userId));
}

/** Returns the name before; null: it had none of its own. */
export async function writeName(trx: Connection, workspaceId: WorkspaceId, name: string): Promise<string | null> {
  const { rows } = await sql<{ before: string | null }>`
    update workspaces w set name = ${name} from workspaces o
    where w.workspace_id = ${workspaceId} and o.workspace_id = w.workspace_id returning o.name as before`.execute(trx);
  return rows[0]?.before ?? null;
}

/** The default workspace first. */
export async function selectOwnWorkspaces(db: Connection, userId: UserId): Promise<OwnWorkspace[]> {
  const { rows } = await sql<OwnWorkspace>`
    select w.workspace_id as "workspaceId", ${WORKSPACE_NAME} as name, d.role,
           (select count(*)::int from memberships a where a.workspace_id = w.workspace_id) as members,
           w.failover_minutes as "failoverMinutes", w.fails_back as "failsBack"
    from memberships d join workspaces w using (workspace_id)
    where d.user_id = ${userId} order by ${DEFAULT_FIRST}`.execute(db);
  return rows;
}

/** The workspaces of many users, by user, each list as `selectOwnWorkspaces` has it. */
export async function selectWorkspacesOf(
  db: Connection,
  userIds: readonly UserId[],
): Promise<Map<UserId, Array<Pick<OwnWorkspace, 'workspaceId' | 'name' | 'role'>>>> {
  const { rows } = await sql<Pick<OwnWorkspace, 'workspaceId' | 'name' | 'role'> & { userId: UserId }>`
    select d.user_id as "userId", w.workspace_id as "workspaceId", ${WORKSPACE_NAME} as name, d.role
    from memberships d join workspaces w using (workspace_id)
    where d.user_id = any(${[...userIds]}::bigint[]) order by d.user_id, ${DEFAULT_FIRST}`.execute(db);
  return Map.groupBy(rows, ({ userId }) => userId);
}

/** The workspaces that a user owns, in the order in which they are locked. */
export async function selectOwnedWorkspaces(db: Connection, userId: UserId): Promise<WorkspaceId[]> {
  const { rows } = await sql<{ workspaceId: WorkspaceId }>`
    select workspace_id as "workspaceId" from memberships
    where user_id = ${userId} and role = 'owner' order by workspace_id`.execute(db);
  return rows.map(({ workspaceId }) => workspaceId);
}
