/** Reading campaigns, their runs and their files (contract §4). */
import { z } from 'zod';
import { accountWait } from './accounts.ts';
import { campaignId, campaignStatus, date, runStatus, warnings } from './campaigns.ts';
import { defineOperations } from './define-operations.ts';
import {
  count,
  cursor,
  descending,
  groupMetadataIds,
  listedOwnData,
  instant,
  newOwnData,
  nextCursor,
  optional,
  ownData,
  ownDataFilter,
  pageLimit,
  search,
  storedFile,
  tagFilter,
  tags,
  text,
  withDefault,
  named,
  bytes,
} from './fields.ts';
import { pinFor, postExtrasData, postFieldsData, saidInGroup } from './post-extras.ts';
import { shownFiles } from './post-files.ts';
import { groupListId } from './group-lists.ts';
import { groupKind } from './group-rules.ts';

export const postKind = z.enum(['text', 'file', 'files', 'poll', 'event']);

const listCampaignsBody = z.object({
  status: optional(campaignStatus).describe('Only campaigns with this status.'),
  search: search.describe(
    'Words of the name and of the present post in all its languages, or parts of them, in any order; case and accents do not matter.',
  ),
  post_kind: optional(postKind).describe('Only posts of this kind.'),
  ...ownDataFilter,
  tag: tagFilter,
  created_from: optional(date).describe('Only campaigns created on or after this day, in your time zone.'),
  created_to: optional(date).describe('Only campaigns created on or before this day.'),
  sort_by: optional(z.enum(['created_at', 'name', 'next_run_at'])).describe(
    'Default: newest first. Campaigns without a next run come last in either order.',
  ),
  descending,
  with_totals: withDefault(z.boolean(), false).describe('Adds `totals` of all campaigns found.'),
  limit: pageLimit(200, 50),
  with_reads: withDefault(z.boolean(), false).describe(
    'Adds `recalled`, and `delivered`, `read` and `read_rate` to `progress`.',
  ),
  with_tags: withDefault(z.boolean(), false).describe('Adds `tags`.'),
  with_tests: withDefault(z.boolean(), false).describe('Also campaigns that were added with `is_test`.'),
  with_post: withDefault(z.boolean(), false).describe('Adds `group_count`, `media_mime`, `post_kind` and `excerpt`.'),
  cursor,
});

const isFollowUp = z
  .literal(true)
  .optional()
  .meta({ id: 'IsFollowUp', description: 'The post has `follow_up`. Absent for all others.' });

const listedCampaign = z.object({
  campaign_id: campaignId,
  name: z.string(),
  ...listedOwnData,
  tags,
  status: campaignStatus,
  is_schedule: z.boolean(),
  is_follow_up: isFollowUp,
  created_at: instant,
  next_run_at: instant.nullable(),
  recalled: z
    .boolean()
    .optional()
    .describe('With `with_reads`: whether all its sent posts were requested to be deleted for everyone.'),
  group_count: count.optional().describe('With `with_post`.'),
  media_mime: z.string().nullable().optional().describe('With `with_post`. `null`: no file.'),
  post_kind: postKind.optional().describe('With `with_post`. `files`: several.'),
  excerpt: z
    .string()
    .nullable()
    .optional()
    .describe('With `with_post`: the first 100 characters of the text, or what it asks. `null`: it has no text.'),
  progress: z.object({
    deliveries: count,
    sent: count,
    failed: count,
    delivered: count.optional().describe('With `with_reads`. Without channels, which do not report it.'),
    read: count.optional().describe('With `with_reads`.'),
    read_rate: z
      .number()
      .nullable()
      .optional()
      .describe("With `with_reads`: the rate of the campaign's analytics. `null` without recipients."),
  }),
});

export const skipped = count.meta({
  id: 'Skipped',
  description: 'Of the cancelled: groups that a follow-up left out. Absent without any.',
});

export const run = named('Run', {
  run_id: count,
  due_at: instant,
  moved_from: instant
    .optional()
    .describe('When the schedule has it. Absent unless it was moved, or the zone changed after it had begun.'),
  started_at: instant.nullable(),
  finished_at: instant.nullable(),
  status: runStatus,
  queued: count,
  sent: count,
  failed: count,
  cancelled: count,
  skipped: skipped.optional(),
  reason: z.literal('lists_empty').optional().describe('Nobody was in its lists.'),
});

export const campaignHead = {
  campaign_id: campaignId,
  name: z.string(),
  desc: z.string(),
  ...ownData,
  tags,
  status: campaignStatus,
  pause_reason: z
    .string()
    .optional()
    .describe('Why the service paused it, and what to do. Absent if a user paused it.'),
  is_channel_campaign: z.boolean(),
  is_schedule: z.boolean(),
  start_date: z.string().nullable(),
  end_date: z.string().nullable(),
  schedule_time: z.string().nullable(),
  recurrence: z.string().nullable().describe('RFC 5545. `null`: none, so that it runs every day.'),
  time_zone: z.string().nullable(),
  created_at: instant,
  finished_at: instant.nullable(),
  folded_at: instant
    .optional()
    .describe('When its single posts were rolled up into sums. Absent before. The sums stay.'),
};

const listRunsBody = z.object({
  start_date: date.describe('In your time zone.'),
  end_date: date.meta({ description: 'Inclusive. At most 100 days in all.', examples: ['2026-12-05'] }),
  kind: optional(groupKind).describe('Only runs to at least one group of this kind.'),
  group_list_id: optional(groupListId).describe('Only runs to at least one group of this saved list.'),
  group_metadata_ids: optional(groupMetadataIds).describe('Only runs to at least one of these groups.'),
  with_counts: withDefault(z.boolean(), false).describe('Adds `group_count`, `queued`, `sent` and `failed`.'),
  with_warnings: optional(z.boolean()).describe('Adds `warnings`.'),
  with_post: withDefault(z.boolean(), false).describe('Adds `post` and `group_list_id`.'),
  limit: pageLimit(1_000, 500),
  cursor,
});

const listedRun = z.object({
  run_id: count,
  campaign_id: campaignId,
  name: z.string(),
  campaign_status: campaignStatus,
  due_at: instant,
  status: runStatus,
  group_count: count.optional().describe('With `with_counts`, like the following fields.'),
  queued: count.optional().describe('0 until the run begins.'),
  sent: count.optional(),
  failed: count.optional(),
  left_out: z
    .literal(true)
    .optional()
    .describe('It was missed or ended with failures, and `skip-run` has left it out.'),
  is_follow_up: isFollowUp,
  warnings: warnings
    .optional()
    .describe(
      'Of a planned run that brings groups a second post within an hour, or more than `weekly_posts` in seven days.',
    ),
  group_list_id: count
    .optional()
    .describe(
      'The smallest saved list with all its groups, if any; of equal ones the oldest. Lists count as they are now.',
    ),
  post: z
    .object({
      kind: postKind.describe('`files`: several.'),
      event_start_at: instant.nullable().describe('When its event begins. `null`: it is no event.'),
      mention_all: z.boolean(),
      pin_for: pinFor.nullable(),
      is_reply: z.boolean(),
    })
    .optional()
    .describe('With `with_post`.'),
});

export const getCampaignBody = z
  .object({
    campaign_id: optional(campaignId),
    external_id: newOwnData.external_id.describe('Instead of `campaign_id`: your own id of it.'),
    idempotency_key: optional(text(1, 255)).describe(
      'Instead of `campaign_id`: the `Idempotency-Key` of the request that added the campaign, within 24 hours after it.',
    ),
    group_metadata_id: optional(z.int()).describe('Adds `in_group`.'),
    run_id: optional(z.int()).describe('With `group_metadata_id`. Default: the last run that has begun.'),
  })
  .refine(
    (body) => [body.campaign_id, body.external_id, body.idempotency_key].filter((id) => id !== undefined).length === 1,
    {
      path: ['campaign_id'],
      error: 'is required, or external_id or idempotency_key instead of it',
    },
  );

const shared = { tag: 'Campaigns', access: 'read' } as const;

export const campaignReads = defineOperations(shared, {
  listCampaigns: {
    path: '/api/v1/venom/list-campaigns',
    summary: 'List your campaigns',
    body: listCampaignsBody,
    data: z.object({
      campaigns: z.array(listedCampaign),
      totals: z
        .object({ campaigns: count })
        .optional()
        .describe('With `with_totals`: of all campaigns found, on any page.'),
      tags: tags.optional().describe('With `with_tags`: those in use, the first 500.'),
      next_cursor: nextCursor,
    }),
  },
  getCampaign: {
    path: '/api/v1/venom/get-campaign',
    summary: 'Get a campaign with its content, groups and runs',
    description: 'By its id, by yours, or by the `Idempotency-Key` that it was added with.',
    body: getCampaignBody,
    data: z.object({
      ...campaignHead,
      weekdays: z.array(count).nullable(),
      skip_dates: z.array(z.string()),
      html: z.string(),
      text: z.string(),
      ...postFieldsData,
      in_group: z
        .object({
          run_id: count,
          text: z.string().nullable().describe('`null`: its values did not fit, so it got no post.'),
          language: z.string().optional().describe('Of its text. Absent: the main text.'),
          ...saidInGroup,
          values: z.record(z.string(), z.string().nullable()).describe('As the run began.'),
        })
        .optional()
        .describe('What a post with fields or translations says to the group.'),
      media: storedFile.nullable(),
      ...postExtrasData,
      files: shownFiles.describe('All files, in their order. `media` is the first.'),
      group_metadata_ids: z.array(count),
      own_group_metadata_ids: z.array(count).optional().describe('With `group_list_ids`.'),
      runs: z.array(run).describe('By due time: the last 2,500.'),
      earlier_runs: count.optional().describe('How many runs are before these: `list-runs` has them. Absent: none.'),
      waits_for: z
        .object({
          account_id: count.describe(
            'The account that they wait for. Of several it is the one that waits longest. A run that has not begun waits until any account can send.',
          ),
          ...accountWait.shape,
        })
        .optional()
        .describe(
          'Why posts that are due do not leave. With `warm_up` and without `until` they leave slowly. Absent: they leave.',
        ),
    }),
    errors: ['campaign_not_found', 'group_not_found', 'run_not_found'],
    longAnswer: 'pieces',
  },
  listRuns: {
    path: '/api/v1/venom/list-runs',
    summary: 'List the runs of a date range',
    description:
      'Runs of all campaigns, in the order of acceptance. A campaign sent at once has one run, due when it was accepted.',
    body: listRunsBody,
    data: z.object({ runs: z.array(listedRun), next_cursor: nextCursor }),
    errors: ['group_list_not_found', 'group_not_found'],
    longAnswer: 'pieces',
  },
  getMedia: {
    path: '/api/v1/venom/get-media',
    summary: 'Download a file of a campaign',
    description: 'Returns the bytes with the recognised media type. They never change, so they may be cached.',
    body: z.object({
      sha256: z
        .string()
        .regex(/^[0-9a-f]{64}$/i, { error: 'must be 64 hexadecimal digits' })
        .meta({
          description: 'The hash of the file, from `media` in the answers of other operations.',
          examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
        }),
      still: withDefault(z.boolean(), false).describe('The still of a film instead: a JPEG.'),
    }),
    data: bytes,
    errors: ['media_not_found'],
    answerType: '*/*',
    answerHeaders: {
      'cache-control': 'Allows private caches to keep the file.',
      'content-disposition': 'A file name derived from the hash.',
    },
    longAnswer: 'pieces',
  },
});
