/** Changes of the members of a workspace. All take effect in this process at once, and in all others within a second. */
import type { Transaction } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import { diffValues } from '../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { InvitedRole, Schema, UserId, WorkspaceId } from '../../platform/database/schema.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { fieldError } from '../../platform/errors/issues.ts';
import { isDisabled, readAccountFlags } from '../account-flags-store.ts';
import type { UserDependencies } from '../dependencies.ts';
import { countAttempts } from '../sign-in/brute-force-limit.ts';
import { insertWorkspace, lockUser } from '../store.ts';
import {
  countMemberships,
  countReportLinks,
  deleteMember,
  deleteReportLinks,
  findRole,
  lockWorkspaceOf,
  selectOwnedWorkspaces,
  writeName,
  writeRole,
} from './member-store.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

export type MemberDeps = Pick<
  UserDependencies,
  'db' | 'tokenStates' | 'apiKeyStates' | 'ownedWorkspaces' | 'onUserCreated' | 'onHandedOver'
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
    await writeRole(trx, { workspaceId: actor.workspaceId, userId, role });
    const subject = String(userId);
    await recordAudit(trx, { ...actor, action: 'member.role_changed', subject, givenRole: role, formerRole: present });
  });
}

/**
 * Removes a member: their tokens and keys no longer reach the workspace. What they made stays, but for their links to reports, unless
 * `keepsReportLinks`: a removed person still has those. Throws `not_found` for a person who is no member, `conflict` for the owner.
 */
export async function removeMember(
  deps: MemberDeps,
  actor: Actor,
  { userId, keepsReportLinks }: { userId: UserId; keepsReportLinks: boolean },
): Promise<void> {
  await changeMembers(deps, actor, [userId], async (trx) => {
    const present = await requireMember(trx, actor.workspaceId, userId);
    if (present === 'owner') throw handOverFirst('The owner cannot be removed: hand the workspace over first');
    const links = await countReportLinks(trx, actor.workspaceId, userId);
    if (!keepsReportLinks) await deleteReportLinks(trx, actor.workspaceId, userId);
    await endMembership(deps, trx, actor.workspaceId, userId);
    const changes = links === 0 ? [] : keepsReportLinks ? diffValues({}, { report_links_kept: links }) : revoked(links);
    await recordAudit(trx, { ...actor, action: 'member.removed', subject: String(userId), changes });
  });
}

const revoked = (links: number) => diffValues({ report_links: links }, { report_links: 0 });

/** Ends the actor's own membership, and their links to reports. Throws `conflict` for the owner. */
export async function leaveWorkspace(deps: MemberDeps, actor: Actor): Promise<void> {
  const { workspaceId, userId } = actor;
  await changeMembers(deps, actor, [userId], async (trx) => {
    const present = await requireMember(trx, workspaceId, userId);
    if (present === 'owner') throw handOverFirst('The owner cannot leave: hand the workspace over first');
    const links = await countReportLinks(trx, workspaceId, userId);
    await deleteReportLinks(trx, workspaceId, userId);
    const changes = links === 0 ? [] : revoked(links);
    await recordAudit(trx, { ...actor, action: 'member.left', subject: String(userId), changes });
    await endMembership(deps, trx, workspaceId, userId);
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
  const mayHaveAny = async (db: Connection, who: UserId) => max === Infinity || isAdmin(db, who);
  if (!(await mayHaveAny(db, actor.userId)))
    await countAttempts(db, [{ limit: { name: 'hand-overs', max, windowMs: DAY_MS }, key: String(actor.userId) }]);
  await changeMembers(deps, actor, [userId, actor.userId], async (trx) => {
    await requireMember(trx, workspaceId, userId);
    if (userId === actor.userId) throw new AppError('not_for_oneself', 'You are the owner of this workspace already');
    await deps.onHandedOver(trx, workspaceId);
    // Locked, so that a user who is being deleted or disabled does not become the owner: lanes before users.
    if (!(await lockUser(trx, userId))) throw memberNotFound();
    if (await isDisabled(trx, userId))
      throw new AppError('member_disabled', 'An administrator has disabled this user, who cannot own a workspace now');
    if (!(await mayHaveAny(trx, userId)) && (await selectOwnedWorkspaces(trx, userId)).length >= max)
      throw new AppError(
        'owner_limit_reached',
        `This member owns ${max} workspaces, the most that a person may own. An administrator of this service can own more.`,
        { limit: max },
      );
    // In this order: a workspace has one owner.
    await writeRole(trx, { workspaceId, userId: actor.userId, role: 'manager' });
    await writeRole(trx, { workspaceId, userId, role: 'owner' });
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
  { db, tokenStates, apiKeyStates }: MemberDeps,
  actor: Actor,
  people: readonly UserId[],
  change: (trx: Transaction<Schema>) => Promise<void>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockWorkspaceOf(trx, actor);
    await change(trx);
  });
  for (const userId of people) {
    tokenStates.drop(userId);
    apiKeyStates.drop(userId);
  }
}

async function isAdmin(db: Connection, userId: UserId): Promise<boolean> {
  return (await readAccountFlags(db, userId))?.isAdmin ?? false;
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
  { onUserCreated }: Pick<MemberDeps, 'onUserCreated'>,
  trx: Transaction<Schema>,
  workspaceId: WorkspaceId,
  userId: UserId,
): Promise<void> {
  // Locked, so that of two removals at once the second sees the first.
  const isThere = await lockUser(trx, userId);
  await deleteMember(trx, workspaceId, userId);
  if (!isThere || (await countMemberships(trx, userId)) > 0) return;
  await onUserCreated(trx, await insertWorkspace(trx, userId));
}

/** The workspace needs its owner. */
export function handOverFirst(message: string): AppError {
  return new AppError('hand_over_first', message);
}
