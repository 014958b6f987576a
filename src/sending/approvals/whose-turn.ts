import type { UserId } from '../../platform/database/schema.ts';
import type { ApprovalRules } from '../../workspaces/approval/approval-rules.ts';
import type { ApprovalHead, Approver } from './approval-store.ts';

export interface Turn {
  /** The members who may decide on the post. */
  judges: Approver[];
  /** How many of them have approved this version. */
  approvals: number;
  /** How many have to. */
  needed: number;
}

/**
 * Returns who decides on a post. Nobody decides on a post that they wrote a part of, whoever asked last. Where everybody did, those decide
 * who did not ask for this version; a person decides on their own only where nobody else in the workspace could. Two approvals become one
 * where only one other person could give them.
 */
export function findJudges(
  { askedBy, writtenBy, approvedBy }: Pick<ApprovalHead, 'askedBy' | 'writtenBy' | 'approvedBy'>,
  approvers: readonly Approver[],
  { approvers: wanted }: Pick<ApprovalRules, 'approvers'>,
): Turn {
  const others = approvers.filter(({ userId }) => userId !== askedBy);
  const readers = others.filter(({ userId }) => !writtenBy.includes(userId));
  const judges = [readers, others].find((people) => people.length > 0) ?? [...approvers];
  const approvals = judges.filter(({ userId }) => approvedBy.includes(userId)).length;
  return { judges, approvals, needed: Math.max(1, Math.min(wanted, judges.length)) };
}

/** Returns the ids of the people who have to act next: judges who have not approved, or the person who asked. */
export function whoseTurn({ state, askedBy, approvedBy }: ApprovalHead, { judges }: Turn): UserId[] {
  if (state === 'waiting') return judges.map(({ userId }) => userId).filter((userId) => !approvedBy.includes(userId));
  return state === 'changes_requested' ? [askedBy] : [];
}
