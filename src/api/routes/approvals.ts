import type { Approval, ApprovalHead } from '../../sending/approvals/approval-store.ts';
import type { AskedPost } from '../../sending/approvals/asked-post.ts';
import { approve, refuse, withdraw } from '../../sending/approvals/decide-approval.ts';
import { diffPosts } from '../../sending/approvals/diff-posts.ts';
import {
  listApprovals,
  readApproval,
  readStanding,
  type ApprovalStanding,
  type FullApproval,
  type Person,
} from '../../sending/approvals/read-approvals.ts';
import { requestApproval } from '../../sending/approvals/request-approval.ts';
import { writeRemark } from '../../sending/approvals/write-remark.ts';
import { requirePhoneDigits } from '../../identity/phone-number.ts';
import type { UserId } from '../../platform/database/schema.ts';
import {
  changeApprovalRules,
  readPhoneApprovers,
  type ApprovalRules,
  type PhoneApprover,
} from '../../workspaces/approval/approval-rules.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import type { approvals } from '../contract/approvals.ts';
import type { Handlers } from '../operation.ts';
import { findProblemsOfPost, toCampaignDraft, toWireCopy, type CampaignDeps } from './campaigns.ts';
import { toCopiedExtras } from './post-extras.ts';
import { toShownFiles } from './post-files.ts';

export const approvalHandlers: Handlers<typeof approvals, CampaignDeps> = {
  requestApproval: {
    validateSemantics: findProblemsOfPost,
    async handle(deps, { body, actor, warn }) {
      const asking = { approvalId: body.approval_id, draft: toCampaignDraft(body), remark: body.remark };
      const { approval, warnings } = await requestApproval(deps, actor, asking);
      warn(warnings);
      return answer(deps, actor, approval);
    },
  },

  async listApprovals(deps, { body, actor }) {
    const { rules, phoneApprovers, approvals } = await listApprovals(deps, actor, { withClosed: body.with_closed });
    return { rules: toWireRules(rules, phoneApprovers), approvals: approvals.map((one) => toWire(one, one.standing)) };
  },

  async getApproval(deps, { body, actor }) {
    const full = await readApproval(deps, actor, body.approval_id);
    return {
      ...toWire(full.approval, full),
      text: full.approval.post.text,
      post: toWireCopy(full.copy),
      files: toShownFiles(full.files),
      groups: full.groups.map(toWireGroup),
      difference: toWireDifference(full),
      review_campaign_id: full.reviewCampaignId,
      thread: full.entries.map(({ kind, userId, userName, version, remark, at, onPhone }) => ({
        kind,
        by: toWirePerson({ userId, userName }),
        version,
        remark,
        at: at.toISOString(),
        on_phone: onPhone,
      })),
    };
  },

  async decideApproval(deps, { body, actor }) {
    const { approval_id: approvalId, remark } = body;
    const decision = { approvalId, hash: Buffer.from(body.sha256, 'hex'), remark };
    const approval =
      body.decision === 'approve'
        ? await approve(deps, actor, decision)
        : await refuse(deps, actor, {
            ...decision,
            state: body.decision === 'reject' ? 'rejected' : 'changes_requested',
          });
    return answer(deps, actor, approval);
  },

  async remarkApproval(deps, { body, actor }) {
    return answer(deps, actor, await writeRemark(deps, actor, { approvalId: body.approval_id, remark: body.remark }));
  },

  async withdrawApproval(deps, { body, actor }) {
    return answer(deps, actor, await withdraw(deps, actor, body.approval_id));
  },

  async setApprovalRules(deps, { body, actor }) {
    const { approval, over_groups: overGroups, approvers, review_group_id: groupId } = body;
    const phoneApprovers = body.phone_approvers?.map(({ user_id: userId, whatsapp_number: number }, index) => ({
      userId: userId as UserId,
      number: requirePhoneDigits(`phone_approvers.${index}.whatsapp_number`, number),
    }));
    const reviewGroupId = groupId === 'none' ? null : groupId;
    const change = { approval, overGroups, approvers, reviewGroupId, phoneApprovers };
    const rules = await changeApprovalRules(deps, actor, change);
    return toWireRules(rules, await readPhoneApprovers(deps.db, actor.workspaceId));
  },
};

async function answer({ db }: Pick<CampaignDeps, 'db'>, actor: Actor, approval: Approval) {
  return toWire(approval, await readStanding(db, actor, approval));
}

function toWire(head: ApprovalHead, standing: ApprovalStanding) {
  return {
    approval_id: head.approvalId,
    state: head.state === 'accepted' ? (head.isSchedule ? ('scheduled' as const) : ('sending' as const)) : head.state,
    reason: head.isTimePassed ? ('time_passed' as const) : null,
    version: head.version,
    sha256: head.hash.toString('hex'),
    name: head.name,
    text_start: head.textStart,
    group_count: head.groupCount,
    is_schedule: head.isSchedule,
    first_due_at: head.firstDueAt?.toISOString() ?? null,
    asked_by: toWirePerson(standing.askedBy),
    written_by: standing.writtenBy.map(toWirePerson),
    asked_at: head.askedAt.toISOString(),
    updated_at: head.updatedAt.toISOString(),
    approvals: standing.approvals,
    approvals_needed: standing.needed,
    waits_for: standing.waitsFor.map(toWirePerson),
    may_decide: standing.mayDecide,
    campaign_id: head.campaignId,
  };
}

function toWirePerson({ userId, userName }: Person) {
  return { user_id: userId, user_name: userName };
}

function toWireGroup({ groupId, name, kind, participants }: FullApproval['groups'][number]) {
  return { group_metadata_id: groupId, group_name: name, kind, participants };
}

function toWireDifference({ approval: { post, judged }, removedGroups }: FullApproval) {
  if (!judged) return null;
  const before = new Set(judged.groupIds);
  return {
    fields: diffPosts(toComparable(judged), toComparable(post)),
    groups_added: post.groupIds.filter((id) => !before.has(id)),
    groups_removed: removedGroups.map(toWireGroup),
  };
}

/** What of a post can differ, but for its groups, by the names of requests. */
function toComparable({ plan, sha256s, ...post }: AskedPost) {
  return {
    name: post.name,
    desc: post.description,
    text: post.text,
    image: post.mediaId === null ? null : sha256s[0],
    ...toCopiedExtras(post.extras),
    is_schedule: plan.isSchedule,
    start_date: plan.startDate,
    end_date: plan.endDate,
    schedule_time: plan.scheduleTime,
    time_zone: plan.timeZone,
    weekdays: plan.weekdays,
    skip_dates: plan.skipDates,
  };
}

function toWireRules(
  { approval, overGroups, approvers, reviewGroupId, reviewGroupName }: ApprovalRules,
  phoneApprovers: readonly PhoneApprover[] | undefined,
) {
  return {
    approval,
    over_groups: overGroups,
    approvers,
    review_group_id: reviewGroupId,
    review_group_name: reviewGroupName,
    ...(phoneApprovers && {
      phone_approvers: phoneApprovers.map(({ userId, number }) => ({ user_id: userId, whatsapp_number: number })),
    }),
  };
}
