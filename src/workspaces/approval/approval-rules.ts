/** When posts of a workspace need an approval (contract §4, approval). */
import {
  execute,
  readColumn,
  readRow,
  readRows,
  type Connection,
  type Database,
} from '../../platform/database/statements.ts';
import type { ApprovalRule, UserId, WorkspaceId } from '../../platform/database/schema.ts';
import { AppError, invalid, fieldError } from '../../platform/errors/errors.ts';
import { canonicalDigits } from '../../platform/phone/phone-number.ts';
import { diffValues } from '../audit/diff-values.ts';
import { recordAudit, type Actor } from '../audit/record-audit.ts';

export interface ApprovalRules {
  /** `authors`: authors may ask. `all`: nobody sends to more than `overGroups` groups without an approval. */
  approval: ApprovalRule;
  overGroups: number;
  /** How many other people approve a post: 1 or 2. */
  approvers: number;
  /** Where posts that wait are shown; null: in the dashboard alone. */
  reviewGroupId: number | null;
  /** Its present name; null: there is none, or it is gone. */
  reviewGroupName: string | null;
}

/** A member who may approve in the review group, if their role allows it. */
export interface PhoneApprover {
  userId: UserId;
  /** Digits, as the owner gave them. The number in the member's own profile proves nothing. */
  number: string;
}

/** Values that are undefined stay as they are. */
export type RulesChange = {
  [Name in Exclude<keyof ApprovalRules, 'reviewGroupName'>]: ApprovalRules[Name] | undefined;
} & {
  /** All of them. */
  phoneApprovers?: readonly PhoneApprover[] | undefined;
};

export async function readApprovalRules(db: Connection, workspaceId: WorkspaceId): Promise<ApprovalRules> {
  const row = await readRow<ApprovalRules>(db)`
    select approval, approval_over_groups as "overGroups", approvers_needed as approvers, review_group_id as "reviewGroupId",
           (select name from groups where group_id = review_group_id) as "reviewGroupName"
    from workspaces where workspace_id = ${workspaceId}`;
  return row ?? { approval: 'never', overGroups: 0, approvers: 1, reviewGroupId: null, reviewGroupName: null };
}

/** Returns the listed members in the order in which they joined. */
export async function readPhoneApprovers(db: Connection, workspaceId: WorkspaceId): Promise<PhoneApprover[]> {
  return readRows<PhoneApprover>(db)`
    select user_id as "userId", review_number as number from memberships
    where workspace_id = ${workspaceId} and review_number is not null order by joined_at, user_id`;
}

/** Throws 403 unless the owner lists the actor with this number. */
export async function requireListed(
  trx: Connection,
  { workspaceId, userId }: Pick<Actor, 'workspaceId' | 'userId'>,
  number: string,
): Promise<void> {
  const listed = await readPhoneApprovers(trx, workspaceId);
  if (!listed.some((one) => one.userId === userId && one.number === number))
    throw new AppError('role_missing', 'The owner of the workspace does not list this number');
}

/**
 * Changes what is given, and returns the rules. Posts that were accepted before are sent as they were accepted. Throws 404 for a group
 * of another workspace, and 400 for a group that cannot be a review group and for people who are no members.
 */
export function changeApprovalRules(
  { db }: { db: Database },
  actor: Actor,
  change: RulesChange,
): Promise<ApprovalRules> {
  return db.transaction().execute(async (trx) => {
    await execute(trx)`select from workspaces where workspace_id = ${actor.workspaceId} for no key update`;
    const before = await readApprovalRules(trx, actor.workspaceId);
    const rules = {
      approval: change.approval ?? before.approval,
      overGroups: change.overGroups ?? before.overGroups,
      approvers: change.approvers ?? before.approvers,
      reviewGroupId: change.reviewGroupId === undefined ? before.reviewGroupId : change.reviewGroupId,
    };
    if (change.reviewGroupId != null) await requireReviewGroup(trx, actor.workspaceId, change.reviewGroupId);
    const listed = change.phoneApprovers && (await listPhoneApprovers(trx, actor.workspaceId, change.phoneApprovers));
    await execute(trx)`
      update workspaces
      set approval = ${rules.approval}, approval_over_groups = ${rules.overGroups}, approvers_needed = ${rules.approvers},
          review_group_id = ${rules.reviewGroupId}::bigint
      where workspace_id = ${actor.workspaceId}`;
    const after = await readApprovalRules(trx, actor.workspaceId);
    const changes = diffValues(
      { ...toFields(before), phone_approvers: listed?.before },
      { ...toFields(after), phone_approvers: listed?.after },
    );
    await recordAudit(trx, { ...actor, action: 'approval.rules_changed', subject: after.approval, changes });
    return after;
  });
}

/** As requests name them. */
function toFields({ approval, overGroups, approvers, reviewGroupName }: ApprovalRules) {
  return { approval, over_groups: overGroups, approvers, review_group_id: reviewGroupName };
}

/** Channels tell no names, so that a 👍 there is nobody's. */
async function requireReviewGroup(trx: Connection, workspaceId: WorkspaceId, groupId: number): Promise<void> {
  const group = await readRow<{ isFit: boolean }>(trx)`
    select g.can_send and g.kind <> 'channel' as "isFit" from groups g
    where g.group_id = ${groupId} and g.removed_at is null and g.workspace_id = ${workspaceId}`;
  if (!group)
    throw new AppError('group_not_found', 'You have no group with this id', {
      details: [fieldError('review_group_id', 'unknown_id', { of: 'groups' })],
    });
  if (!group.isFit) throw invalid([fieldError('review_group_id', 'no_review_group')]);
}

/** Lists these members and no others. Returns the ids of those who were listed before and are now, for the audit log: numbers are no history. */
async function listPhoneApprovers(trx: Connection, workspaceId: WorkspaceId, approvers: readonly PhoneApprover[]) {
  const [userIds, numbers] = [approvers.map(({ userId }) => userId), approvers.map(({ number }) => number)];
  if (new Set(userIds).size < userIds.length || new Set(numbers.map(canonicalDigits)).size < numbers.length)
    throw invalid([fieldError('phone_approvers', 'not_distinct')]);
  const before = await readPhoneApprovers(trx, workspaceId);
  await execute(trx)`
    update memberships set review_number = null
    where workspace_id = ${workspaceId} and review_number is not null`;
  const listed = await readColumn<UserId>(trx)`
    update memberships m set review_number = l.number
    from unnest(${userIds}::bigint[], ${numbers}::text[]) l (user_id, number)
    where m.workspace_id = ${workspaceId} and m.user_id = l.user_id
    returning m.user_id`;
  const unknown = userIds.flatMap((userId, index) =>
    listed.includes(userId) ? [] : [fieldError(`phone_approvers.${index}.user_id`, 'unknown_id', { of: 'members' })],
  );
  if (unknown.length > 0) throw invalid(unknown);
  return { before: before.map(({ userId }) => userId), after: userIds };
}

/**
 * Throws 409 where a post to so many groups needs an approval, whoever sends it. Call it in the transaction of everything that decides what
 * groups get to see, or when: of what an approval binds (contract §4).
 */
export async function requireNoApproval(trx: Connection, workspaceId: WorkspaceId, groups: number): Promise<void> {
  const rules = await readRow<Pick<ApprovalRules, 'approval' | 'overGroups'>>(trx)`
    select approval, approval_over_groups as "overGroups" from workspaces where workspace_id = ${workspaceId}`;
  const { approval, overGroups } = rules ?? { approval: 'never', overGroups: 0 };
  if (approval !== 'all' || groups <= overGroups) return;
  const which = overGroups === 0 ? 'every post' : `a post to more than ${overGroups} groups`;
  throw new AppError(
    'approval_required',
    `In this workspace ${which} needs the approval of another member: ask for it with request-approval. To change an accepted campaign, cancel it and ask for approval of a copy.`,
  );
}
