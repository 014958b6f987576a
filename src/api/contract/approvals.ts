/** Approval of posts (contract §4). */
import { z } from 'zod';
import { ADDING_ERRORS, campaignId, duplicateCampaignData, eitherCampaignBody, POST_LIMIT_BYTES } from './campaigns.ts';
import { defineOperations } from './define-operations.ts';
import { count, instant, label, optional, person, text, userId, withDefault, named, objects, list } from './fields.ts';
import { pickedGroups } from './drafts.ts';
import { shownFiles } from './post-files.ts';
import { phone } from './users.ts';

const approvalId = z.guid().meta({ format: 'uuid', examples: ['7d0e7a0c-6c0e-4f0a-9c55-2d1d1c3a7f10'] });
const approvalBody = named('OneApproval', { approval_id: approvalId });
const remark = text(0, 2_000).describe('For the thread.');
const sha256 = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, { error: 'must be 64 hexadecimal digits' })
  .describe('The `sha256` of the version that you have read.');

const rule = z.enum(['never', 'authors', 'all']).meta({
  id: 'ApprovalRule',
  description: '`authors`: authors may ask. `all`: also posts of managers and the owner need an approval.',
});
const rulesData = named('ApprovalRules', {
  approval: rule,
  over_groups: count.describe('With `all`: managers and the owner send to so many groups without one.'),
  approvers: count.describe('1 or 2.'),
  review_group_id: count.nullable(),
  review_group_name: z.string().nullable(),
  phone_approvers: objects({ user_id: count, whatsapp_number: z.string() }).optional().describe('For the owner.'),
});

const approvalFields = {
  approval_id: approvalId,
  state: z.enum(['waiting', 'changes_requested', 'rejected', 'withdrawn', 'scheduled', 'sending']).meta({
    id: 'ApprovalState',
    description: '`scheduled`, `sending`: approved; `campaign_id` has states of its own.',
  }),
  reason: z.enum(['time_passed']).nullable().describe('Its first time passed before it was approved.'),
  version: count.describe('Rises with each change.'),
  sha256: z.string().describe('Of content, groups and plan.'),
  name: z.string(),
  text_start: z.string().describe('500 characters.'),
  group_count: count,
  is_schedule: z.boolean(),
  first_due_at: instant.nullable().describe('`null`: it is sent once it is approved.'),
  asked_by: person,
  written_by: z
    .array(person)
    .describe('Who asked for a version of it, or wrote its draft before. They do not decide while another member can.'),
  asked_at: instant,
  updated_at: instant,
  approvals: count.describe('Members who have approved this version.'),
  approvals_needed: count,
  waits_for: z
    .array(person)
    .describe('Who has to act next: those who may decide and have not approved, or the person who asked.'),
  may_decide: z.boolean().describe('Whether you may.'),
  campaign_id: campaignId.nullable(),
};
const approval = z.object(approvalFields).meta({ id: 'Approval' });

const difference = z.object({
  fields: objects({
    field: z.string().describe('As in a request; `text` is the text that groups get.'),
    pieces: objects({ change: z.enum(['same', 'removed', 'added']), text: z.string() }),
  }),
  groups_added: z.array(count),
  groups_removed: pickedGroups,
});

const fullApproval = z.object({
  ...approvalFields,
  text: z.string().describe('The exact text that is sent.'),
  post: duplicateCampaignData.describe('A body for `request-approval`.'),
  files: shownFiles.describe('The files of `media`.'),
  groups: pickedGroups,
  difference: difference.nullable().describe('To the version that was decided on last.'),
  review_campaign_id: campaignId.nullable().describe('The review post of this version.'),
  thread: objects({
    kind: z.enum(['asked', 'approved', 'changes_requested', 'rejected', 'withdrawn', 'remark']),
    by: person,
    version: count,
    remark: z.string(),
    at: instant,
    on_phone: z.boolean().describe('It was an answer in the review group.'),
  }),
});

export const approvals = defineOperations('Campaigns', {
  requestApproval: {
    path: '/api/v1/venom/request-approval',
    access: 'write',
    idempotency: 'always',
    summary: 'Ask for the approval of a post',
    description:
      'Takes the body of either operation that adds a campaign. The post is stored as it would be sent. A changed post with the same `approval_id` is a further version, without approvals.',
    body: eitherCampaignBody({
      approval_id: approvalId.describe('A random UUID that the client generates, such as the id of a draft.'),
      remark: withDefault(remark, ''),
    }),
    data: approval,
    errors: [
      ...ADDING_ERRORS.filter(
        (code) => !['approval_required', 'campaign_limit_reached', 'mention_cap_reached'].includes(code),
      ),
      'approval_not_used',
      'approval_decided',
      'approval_limit_reached',
    ],
    bodyLimitBytes: POST_LIMIT_BYTES,
    requiresDiskSpace: true,
  },
  listApprovals: {
    path: '/api/v1/venom/list-approvals',
    access: 'read',
    summary: 'List the posts that wait for an approval',
    description: 'Open requests first, the most recently changed before the others; then closed ones.',
    body: z.object({
      with_closed: withDefault(z.boolean(), false).describe('Adds the newest closed requests.'),
    }),
    data: z.object({ rules: rulesData, approvals: z.array(approval) }),
    longAnswer: 'pieces',
  },
  getApproval: {
    path: '/api/v1/venom/get-approval',
    access: 'read',
    summary: 'Read a post that waits for an approval',
    description: '`check-campaign` takes `post`, and says what would stand in its way.',
    body: approvalBody,
    data: fullApproval,
    errors: ['approval_not_found'],
    longAnswer: 'pieces',
  },
  decideApproval: {
    path: '/api/v1/venom/decide-approval',
    access: 'token',
    role: 'manager',
    idempotency: 'always',
    summary: 'Approve a post, send it back, or reject it',
    description:
      'The last approval that is needed accepts the post as a campaign, once. If that fails, the answer says why, and nothing is recorded. Nobody decides on a post that they wrote a part of, unless nobody else could.',
    body: named('DecideApproval', {
      approval_id: approvalId,
      decision: z.enum(['approve', 'request_changes', 'reject']).describe('Rejecting is final.'),
      sha256,
      remark: withDefault(remark, ''),
    }),
    data: approval,
    errors: [
      ...ADDING_ERRORS.filter((code) => !['approval_required', 'media_busy', 'storage_full'].includes(code)),
      'approval_not_found',
      'approval_own',
      'approval_changed',
      'approval_decided',
      'approval_time_passed',
    ],
  },
  remarkApproval: {
    path: '/api/v1/venom/remark-approval',
    access: 'write',
    summary: 'Add a remark to a request for approval',
    description: 'Limited to 200 entries a request.',
    body: approvalBody.extend({ remark: label(2_000) }),
    data: approval,
    errors: ['approval_not_found', 'approval_limit_reached'],
  },
  withdrawApproval: {
    path: '/api/v1/venom/withdraw-approval',
    access: 'write',
    idempotency: 'always',
    summary: 'Withdraw a request for approval',
    description: 'For the person who asked, and for managers and the owner.',
    body: approvalBody,
    data: approval,
    errors: ['approval_not_found', 'approval_decided'],
  },
  setApprovalRules: {
    path: '/api/v1/workspace/set-approval-rules',
    access: 'token',
    role: 'owner',
    idempotency: 'always',
    summary: 'Change which posts need an approval',
    description: 'Fields that are omitted keep their values. Campaigns that were accepted before are sent as they are.',
    body: named('SetApprovalRules', {
      approval: optional(rule),
      over_groups: optional(z.int().min(0).max(10_000)),
      approvers: optional(z.int().min(1).max(2)),
      review_group_id: optional(z.union([z.int(), z.literal('none')])).describe(
        'A group or community of the account that it may post to, no channel. `none` removes it.',
      ),
      phone_approvers: optional(list(z.object({ user_id: userId, whatsapp_number: phone }), 100)).describe(
        'All whose 👍 in the review group approves.',
      ),
    }),
    data: rulesData,
    errors: ['group_not_found'],
  },
});
