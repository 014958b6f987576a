import { z } from 'zod';
import type { Approval, ApprovalHead } from '../../sending/approvals/approval-store.ts';
import type { AskedPost } from '../../sending/approvals/asked-post.ts';
import { choicesOf } from '../../content/post/fill-post.ts';
import { showTranslations } from '../../content/post/translations.ts';
import { approve, refuse, withdraw } from '../../sending/approvals/decide-approval.ts';
import { diffPosts } from '../../sending/approvals/diff-posts.ts';
import {
  listApprovals,
  readApproval,
  readStanding,
  type ApprovalStanding,
  type FullApproval,
} from '../../sending/approvals/read-approvals.ts';
import { requestApproval } from '../../sending/approvals/request-approval.ts';
import { writeRemark } from '../../sending/approvals/write-remark.ts';
import { requirePhoneDigits } from '../../platform/phone/phone-number.ts';
import {
  changeApprovalRules,
  readPhoneApprovers,
  type ApprovalRules,
  type PhoneApprover,
} from '../../workspaces/approval/approval-rules.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import type { approvals } from '../contract/approvals.ts';
import { copiedExtras } from '../contract/post-extras.ts';
import type { Handlers } from '../operation.ts';
import { toWire } from '../wire.ts';
import { describeCopy, findProblemsOfPost, toCampaignDraft, type CampaignDeps } from './campaigns.ts';
import { nameGroup } from './groups.ts';
import { copyExtras } from './post-extras.ts';
import { describeFiles } from './post-files.ts';

export const approvalHandlers: Handlers<typeof approvals, CampaignDeps> = {
  requestApproval: {
    validateSemantics: findProblemsOfPost,
    async handle(deps, { body, actor, warn }) {
      const asking = { approvalId: body.approvalId, draft: toCampaignDraft(body), remark: body.remark };
      const { approval, warnings } = await requestApproval(deps, actor, asking);
      warn(warnings);
      return answer(deps, actor, approval);
    },
  },

  async listApprovals(deps, { body, actor }) {
    const { rules, phoneApprovers, approvals } = await listApprovals(deps, actor, body);
    return {
      rules: describeRules(rules, phoneApprovers),
      approvals: approvals.map((one) => describeApproval(one, one.standing)),
    };
  },

  async getApproval(deps, { body, actor }) {
    const full = await readApproval(deps, actor, body.approvalId);
    return {
      ...describeApproval(full.approval, full),
      text: full.approval.post.text,
      post: describeCopy(full.copy),
      files: describeFiles(full.files),
      groups: full.groups.map(nameGroup),
      difference: describeDifference(full),
      reviewCampaignId: full.reviewCampaignId,
      thread: full.entries.map((entry) => ({ ...entry, by: entry })),
    };
  },

  async decideApproval(deps, { body, actor }) {
    const { approvalId, remark } = body;
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

  remarkApproval: async (deps, { body, actor }) => answer(deps, actor, await writeRemark(deps, actor, body)),

  withdrawApproval: async (deps, { body, actor }) => answer(deps, actor, await withdraw(deps, actor, body.approvalId)),

  async setApprovalRules(deps, { body, actor }) {
    const phoneApprovers = body.phoneApprovers?.map(({ userId, whatsappNumber }, index) => ({
      userId,
      number: requirePhoneDigits(`phone_approvers.${index}.whatsapp_number`, whatsappNumber),
    }));
    const reviewGroupId = body.reviewGroupId === 'none' ? null : body.reviewGroupId;
    const rules = await changeApprovalRules(deps, actor, { ...body, reviewGroupId, phoneApprovers });
    return describeRules(rules, await readPhoneApprovers(deps.db, actor.workspaceId));
  },
};

async function answer({ db }: Pick<CampaignDeps, 'db'>, actor: Actor, approval: Approval) {
  return describeApproval(approval, await readStanding(db, actor, approval));
}

function describeApproval(head: ApprovalHead, standing: ApprovalStanding) {
  const state = head.state === 'accepted' ? (head.isSchedule ? 'scheduled' : 'sending') : head.state;
  const reason = head.isTimePassed ? 'time_passed' : null;
  const sha256 = head.hash.toString('hex');
  return { ...head, ...standing, state, reason, sha256 } as const;
}

function describeDifference({ approval: { post, judged }, removedGroups }: FullApproval) {
  if (!judged) return null;
  const before = new Set(judged.groupIds);
  return {
    fields: diffPosts(toComparable(judged), toComparable(post)),
    groupsAdded: post.groupIds.filter((id) => !before.has(id)),
    groupsRemoved: removedGroups.map(nameGroup),
  };
}

const extrasSchema = z.object(copiedExtras);

/** What of a post can differ, but for its groups, by the names of requests. */
function toComparable({ plan, sha256s, ...post }: AskedPost) {
  return {
    name: post.name,
    desc: post.description,
    tags: post.tags?.join('; '),
    text: post.text,
    translations: showTranslations(post.template?.translations),
    with_fields: choicesOf(post.template).withFields,
    image: post.mediaId === null ? null : sha256s[0],
    ...toWire(extrasSchema, copyExtras(post.extras)),
    is_schedule: plan.isSchedule,
    start_date: plan.startDate,
    end_date: plan.endDate,
    schedule_time: plan.scheduleTime,
    time_zone: plan.timeZone,
    weekdays: plan.weekdays,
    skip_dates: plan.skipDates,
    recurrence: plan.recurrence,
  };
}

function describeRules(rules: ApprovalRules, phoneApprovers: readonly PhoneApprover[] | undefined) {
  return {
    ...rules,
    phoneApprovers: phoneApprovers?.map(({ userId, number: whatsappNumber }) => ({ userId, whatsappNumber })),
  };
}
