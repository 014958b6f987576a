/** Changes of the members of a workspace. All take effect in this process at once, and in all others within a second. */
import type { Transaction } from 'kysely';
import { diffValues } from '../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { InvitedRole, Schema, UserId, WorkspaceId, Role } from '../../platform/database/schema.ts';
import { AppError, fieldError } from '../../platform/errors/errors.ts';
import { isDisabled } from '../account-flags-store.ts';
import type { UserDependencies } from '../dependencies.ts';
import { countAttempts } from '../sign-in/brute-force-limit.ts';
import { lockUser } from '../store.ts';
import { assertMayOwnMore, createWorkspaceOf, mayOwnAny } from './create-workspace.ts';
import { countMemberships, findRole, lockWorkspaceOf, writeName } from './member-store.ts';
import { execute, readCount, sql, type Connection } from '../../platform/database/statements.ts';
import { notifyAfterCommit } from '../../platform/database/notify-after-commit.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

export type MemberDeps = Pick<
  UserDependencies,
  'db' | 'dropCached' | 'ownedWorkspaces' | 'onWorkspaceCreated' | 'onHandedOver'
>;

/** Gives a member another role. Throws `not_found` for a person who is no member, `conflict` for the owner. */
export async function setMemberRole(
  deps: MemberDeps,
  actor: Actor,
  { userId, role }: { userId: UserId; role: InvitedRole },
): Promise<void> {
  await changeMembers(deps, actor, [userId], async (trx) => {
    const present = await requireMember(trx, actor.workspaceId, userId);
    if (present === 'owner') throw handOverFirst('The role of the owner changes by handing the workspace over');
    if (present === role) return;
    await writeRole(trx, actor.workspaceId, userId, role);
    const subject = String(userId);
    await recordAudit(trx, { ...actor, action: 'member.role_changed', subject, givenRole: role, formerRole: present });
  });
}

/**
 * Removes a member: their tokens and keys no longer reach the workspace. What they made stays, but for their links to reports, unless
 * `keepReportLinks`: a removed person still has those. Throws `not_found` for a person who is no member, `conflict` for the owner.
 */
export async function removeMember(
  deps: MemberDeps,
  actor: Actor,
  { userId, keepReportLinks }: { userId: UserId; keepReportLinks: boolean },
): Promise<void> {
  const ownerRefusal = 'The owner cannot be removed: hand the workspace over first';
  await endMember(deps, actor, { userId, keepReportLinks, action: 'member.removed', ownerRefusal });
}

/** Ends the actor's own membership, and their links to reports. Throws `conflict` for the owner. */
export async function leaveWorkspace(deps: MemberDeps, actor: Actor): Promise<void> {
  const ownerRefusal = 'The owner cannot leave: hand the workspace over first';
  await endMember(deps, actor, { userId: actor.userId, keepReportLinks: false, action: 'member.left', ownerRefusal });
}

interface Leaving {
  userId: UserId;
  keepReportLinks: boolean;
  action: 'member.removed' | 'member.left';
  ownerRefusal: string;
}

async function endMember(deps: MemberDeps, actor: Actor, leaving: Leaving): Promise<void> {
  const { workspaceId } = actor;
  const { userId, keepReportLinks, action, ownerRefusal } = leaving;
  await changeMembers(deps, actor, [userId], async (trx) => {
    if ((await requireMember(trx, workspaceId, userId)) === 'owner') throw handOverFirst(ownerRefusal);
    // Also those in the test workspace.
    const areLinks = sql`
      created_by = ${userId}
      and workspace_id in (select workspace_id from workspaces where ${workspaceId} in (workspace_id, test_of))`;
    const links = await readCount(trx)`
      select count(*) from report_links where ${areLinks} and expires_at > campanile_now()`;
    await execute(trx)`delete from calendar_links where ${areLinks}`;
    if (!keepReportLinks) await execute(trx)`delete from report_links where ${areLinks}`;
    await endMembership(deps, trx, workspaceId, userId);
    const [before, after] = keepReportLinks
      ? [{}, { report_links_kept: links }]
      : [{ report_links: links }, { report_links: 0 }];
    const changes = links === 0 ? [] : diffValues(before, after);
    await recordAudit(trx, { ...actor, action, subject: String(userId), changes });
  });
}

/**
 * Makes another member the owner, and the actor a manager. A linked account keeps its number. Throws `not_found` for a person who is no
 * member, `conflict` for oneself, for a disabled user, and for one who owns as many workspaces as a person may. Administrators may own any
 * number.
 *
 * Quotas: whoever hands the last workspace over and leaves gets a new one. So the hand-overs of a day are limited to that number, too
 * (`rate_limited`): a person can otherwise make any number of workspaces.
 */
export async function handOverWorkspace(deps: MemberDeps, actor: Actor, userId: UserId): Promise<void> {
  const { workspaceId } = actor;
  const { db, ownedWorkspaces: max } = deps;
  if (!(await mayOwnAny(deps, db, actor.userId)))
    await countAttempts(db, [{ limit: { name: 'hand-overs', max, windowMs: DAY_MS }, key: String(actor.userId) }]);
  await changeMembers(deps, actor, [userId, actor.userId], async (trx) => {
    await requireMember(trx, workspaceId, userId);
    if (userId === actor.userId) throw new AppError('not_for_oneself', 'You are the owner of this workspace already');
    await deps.onHandedOver(trx, workspaceId);
    // Locked, so that a user who is being deleted or disabled does not become the owner: lanes before users.
    if (!(await lockUser(trx, userId))) throw memberNotFound();
    if (await isDisabled(trx, userId))
      throw new AppError('member_disabled', 'An administrator has disabled this user, who cannot own a workspace now');
    await assertMayOwnMore(deps, trx, userId);
    // In this order: a workspace has one owner.
    await writeRole(trx, workspaceId, actor.userId, 'manager');
    await writeRole(trx, workspaceId, userId, 'owner');
    await recordAudit(trx, { ...actor, action: 'workspace.handed_over', subject: String(userId) });
  });
}

export async function renameWorkspace({ db }: MemberDeps, actor: Actor, name: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockWorkspaceOf(trx, actor);
    const before = await writeName(trx, actor.workspaceId, name);
    const changes = diffValues({ name: before }, { name });
    await recordAudit(trx, { ...actor, action: 'workspace.renamed', subject: name, changes });
  });
}

/** Runs a change with the workspace locked and the actor's role read again, then drops what is cached of the people it concerns. */
async function changeMembers(
  { db, dropCached }: MemberDeps,
  actor: Actor,
  people: readonly UserId[],
  change: (trx: Transaction<Schema>) => Promise<void>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockWorkspaceOf(trx, actor);
    await change(trx);
  });
  for (const userId of people) dropCached(userId);
}

async function writeRole(trx: Connection, workspaceId: WorkspaceId, userId: UserId, role: Role): Promise<void> {
  await execute(trx)`
    update memberships set role = ${role} where workspace_id = ${workspaceId} and user_id = ${userId}`;
  await notifyAfterCommit(trx, 'campanile_tokens', String(userId));
}

async function requireMember(trx: Transaction<Schema>, workspaceId: WorkspaceId, userId: UserId) {
  const role = await findRole(trx, workspaceId, userId);
  if (!role) throw memberNotFound();
  return role;
}

function memberNotFound(): AppError {
  return new AppError('member_not_found', 'The workspace has no member with this id', {
    details: [fieldError('user_id', 'unknown_id', { of: 'members' })],
  });
}

/** A person without any workspace gets a new one: everybody can sign in, and has a place of their own. */
export async function endMembership(
  deps: Pick<MemberDeps, 'onWorkspaceCreated'>,
  trx: Transaction<Schema>,
  workspaceId: WorkspaceId,
  userId: UserId,
): Promise<void> {
  // Locked, so that of two removals at once the second sees the first.
  const isThere = await lockUser(trx, userId);
  // With it go the keys that the member has made.
  await execute(trx)`delete from memberships where workspace_id = ${workspaceId} and user_id = ${userId}`;
  await execute(trx)`delete from notices where user_id = ${userId} and workspace_id = ${workspaceId}`;
  await notifyAfterCommit(trx, 'campanile_tokens', String(userId));
  if (!isThere || (await countMemberships(trx, userId)) > 0) return;
  await createWorkspaceOf(deps, trx, userId);
}

/** The workspace needs its owner. */
export function handOverFirst(message: string): AppError {
  return new AppError('hand_over_first', message);
}
