import { choicesOf } from '../../content/post/fill-post.ts';
import { type Connection, type Database } from '../../platform/database/statements.ts';
import type { UserId } from '../../platform/database/schema.ts';
import {
  readApprovalRules,
  readPhoneApprovers,
  type ApprovalRules,
  type PhoneApprover,
} from '../../workspaces/approval/approval-rules.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { readFiles, type ShownFile } from '../../content/post/post-files.ts';
import { resolveLists } from '../campaigns/accept/resolve-lists.ts';
import { copyPost, type CampaignCopy } from '../campaigns/accept/duplicate-campaign.ts';
import { scheduleOf } from '../campaigns/store.ts';
import { selectNamedGroups, type NamedGroup } from '../groups/store.ts';
import {
  countGroupsOfLists,
  findApproval,
  selectApprovals,
  selectApprovers,
  selectEntries,
  selectNames,
  findJudges,
  whoseTurn,
  type Approval,
  type ApprovalHead,
  type Entry,
  type Turn,
} from './approval-store.ts';
import { findReview } from './review-post.ts';
import type { MemberName } from '../../workspaces/members/person-name.ts';

/** What a request says of its own state. */
export interface ApprovalStanding extends Omit<Turn, 'judges'> {
  askedBy: MemberName;
  writtenBy: MemberName[];
  /** The people who have to act next. */
  waitsFor: MemberName[];
  /** Whether the caller may decide on it at the moment. */
  mayDecide: boolean;
  /** Of a post to lists those that they have now. */
  groupCount: number;
}

export interface FullApproval extends ApprovalStanding {
  approval: Approval;
  entries: Entry[];
  /** As a request has it. */
  copy: CampaignCopy;
  /** Those of the library that are still known. */
  files: ShownFile[];
  groups: NamedGroup[];
  /** Groups that the version before had, and this one has not. */
  removedGroups: NamedGroup[];
  /** The public id of the post of this version in the review group; null: it has none. */
  reviewCampaignId: string | null;
}

export interface ApprovalList {
  rules: ApprovalRules;
  /** For the owner alone: they are phone numbers. */
  phoneApprovers: PhoneApprover[] | undefined;
  approvals: Array<ApprovalHead & { standing: ApprovalStanding }>;
}

/** Returns the requests for approval of a workspace, each with who has to act next, and the rules (contract §4, list-approvals). */
export async function listApprovals(
  { db }: { db: Database },
  actor: Actor,
  { withClosed }: { withClosed: boolean },
): Promise<ApprovalList> {
  const heads = await selectApprovals(db, actor.workspaceId, withClosed);
  const { rules, standingOf } = await readStandings(db, actor, heads);
  const phoneApprovers = actor.role === 'owner' ? await readPhoneApprovers(db, actor.workspaceId) : undefined;
  return { rules, phoneApprovers, approvals: heads.map((head) => ({ ...head, standing: standingOf(head) })) };
}

export async function readStanding(db: Connection, actor: Actor, head: ApprovalHead): Promise<ApprovalStanding> {
  return (await readStandings(db, actor, [head])).standingOf(head);
}

async function readStandings(db: Connection, { workspaceId, userId }: Actor, heads: readonly ApprovalHead[]) {
  const rules = await readApprovalRules(db, workspaceId);
  const approvers = await selectApprovers(db, workspaceId);
  const names = await selectNames(db, workspaceId);
  const approvalIds = heads.map(({ approvalId }) => approvalId);
  const counts = await countGroupsOfLists(db, workspaceId, approvalIds);
  const personOf = (id: UserId): MemberName => ({ userId: id, userName: null, name: null, ...names.get(id) });
  const standingOf = (head: ApprovalHead): ApprovalStanding => {
    const turn = findJudges(head, approvers, rules);
    const { approvals, approvalsNeeded, judges } = turn;
    const waitsFor = whoseTurn(head, turn).map(personOf);
    const mayDecide = head.state === 'waiting' && judges.some((judge) => judge.userId === userId);
    return {
      approvals,
      approvalsNeeded,
      askedBy: personOf(head.askedBy),
      writtenBy: head.writtenBy.map(personOf),
      waitsFor,
      mayDecide,
      groupCount: counts.get(head.approvalId) ?? head.groupCount,
    };
  };
  return { rules, standingOf };
}

/** Returns a request with its post, the groups that it has now, and its thread (contract §4, get-approval). Throws 404. */
export async function readApproval({ db }: { db: Database }, actor: Actor, approvalId: string): Promise<FullApproval> {
  const { workspaceId } = actor;
  const asked = await findApproval(db, workspaceId, approvalId);
  const resolved = await resolveLists(db, workspaceId, asked.post);
  const { groupIds } = resolved;
  const approval = { ...asked, post: { ...asked.post, groupIds } };
  const { post, judged } = approval;
  const { name, description, html, isChannelCampaign, externalId, metadata = {}, tags = [], plan } = post;
  const removedIds = [...new Set(judged?.groupIds).difference(new Set(groupIds))];
  return {
    ...(await readStanding(db, actor, approval)),
    approval,
    entries: await selectEntries(db, workspaceId, approvalId),
    copy: {
      name,
      description,
      html,
      ...choicesOf(post.template),
      ...(await copyPost(db, workspaceId, resolved)),
      groupIds,
      isChannelCampaign,
      externalId,
      metadata,
      tags,
      scheduleTime: plan.scheduleTime,
      schedule: scheduleOf(plan) ?? null,
    },
    files: await readFiles(db, post.extras.files ?? []),
    groups: await selectNamedGroups(db, workspaceId, groupIds, { withGone: true }),
    removedGroups: await selectNamedGroups(db, workspaceId, removedIds, { withGone: true }),
    reviewCampaignId: await findReview(db, workspaceId, approval),
  };
}
