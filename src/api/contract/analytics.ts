/** Analytics (contract §3 and §4). */
import { z } from 'zod';
import { campaignHead, run, skipped } from './campaign-reads.ts';
import { campaignBody, campaignId, campaignStatus } from './campaigns.ts';
import { defineOperations } from './define-operations.ts';
import { count, failureFields, instant, withDefault, ownData, tags } from './fields.ts';
import { groupListId } from './group-lists.ts';
import { fieldsOfGroup, listedGroup } from './groups.ts';
import { csvFormat, longText } from './long-text.ts';

const knownCount = count
  .nullable()
  .meta({ id: 'ReportedCount', description: '`null`: the messaging application does not report it.' });
const rate = z.number().nullable().meta({
  id: 'ReadRate',
  description: 'Relative to the recipients whose receipts are reported, so without channels. `null` without any.',
});

const counts = {
  deliveries: count.describe('queued + sent + failed + cancelled.'),
  queued: count,
  sent: count,
  failed: count,
  cancelled: count,
  recalled: count
    .optional()
    .describe('Sent deliveries that were deleted for everyone. Present once a recall or correction was requested.'),
  corrected: count.optional().describe('Sent deliveries that were edited. Present like `recalled`.'),
  pinned: count.optional().describe('Sent deliveries that are pinned now. Present once a pin was requested.'),
  unpinned: count.optional().describe('Sent deliveries that were unpinned. Present like `pinned`.'),
  pins_waiting: count
    .optional()
    .describe('Sent deliveries that are still to be pinned or unpinned. Present like `pinned`.'),
  pins_failed: count
    .optional()
    .describe('Sent deliveries that could not be pinned or unpinned. Present like `pinned`.'),
  mentions: count
    .optional()
    .describe('Deliveries that mention everybody. Present once a post with `mention_all` was sent.'),
  mentions_left_out: count.optional().describe('Deliveries without the mention of everybody. Present like `mentions`.'),
  quotes: count
    .optional()
    .describe('Sent deliveries that quote an earlier post. Present once a post with `reply_to` was sent.'),
  recipients: count.describe('Participants other than the sender when the post was sent, summed over sent deliveries.'),
  delivered: knownCount,
  read: knownCount,
  reactions: knownCount,
  replies: knownCount,
  views: knownCount,
  delivery_rate: rate,
  read_rate: rate,
};

const skippedReason = z.string().optional().meta({
  id: 'SkippedReason',
  description: 'Why a follow-up left the group out, such as `read by 72 %`. Absent if it did not.',
});

const accountShare = z
  .object({
    account_id: count,
    name: z.string().nullable(),
    deliveries: count,
    queued: count,
    sent: count,
    failed: count,
    cancelled: count,
    recipients: count,
    delivered: count,
    read: count,
    read_rate: rate,
    expected_finish_at: instant
      .nullable()
      .optional()
      .describe('With `with_estimate`. `null`: it has nothing to send, or is not connected.'),
  })
  .meta({ id: 'AccountShare', description: 'What one account sends of a campaign.' });

const groupAnalyticsData = z
  .object({
    // A client that gives a campaign neither sees what it always saw.
    campaign: z.object({
      ...campaignHead,
      external_id: ownData.external_id.optional(),
      metadata: ownData.metadata.optional(),
      tags: tags.optional(),
    }),
    totals: z.object({
      groups: count,
      runs: count,
      runs_done: count,
      ...counts,
      skipped: skipped.optional(),
      expected_finish_at: instant
        .nullable()
        .optional()
        .describe('With `with_estimate`. `null`: nothing is running, or the end is unknown.'),
    }),
    groups: z.array(
      z.object({
        group_metadata_id: count,
        group_name: z.string(),
        group_external_id: z.string().optional().describe('Absent: none.'),
        kind: z.enum(['group', 'community', 'channel']),
        participants: count,
        ...counts,
        first_sent_at: instant.nullable(),
        last_sent_at: instant.nullable(),
        last_error: z
          .string()
          .nullable()
          .describe(
            'The error of the latest run with a failure, or else of the last recall or correction, and what to do about it.',
          ),
        ...failureFields,
        skipped: skippedReason,
        pin_error: z
          .string()
          .nullable()
          .optional()
          .describe('Why its post was not pinned or unpinned. Present like `pinned`.'),
        pin_error_code: failureFields.error_code,
        pin_error_params: failureFields.error_params,
        pinned_until: instant
          .nullable()
          .optional()
          .describe('When the last pinned post stops being pinned. Present like `pinned`.'),
        mention_left_out: z
          .string()
          .nullable()
          .optional()
          .describe('Why everybody was not mentioned. Present like `mentions_left_out`.'),
        mention_left_out_code: failureFields.error_code,
        mention_left_out_params: failureFields.error_params,
        members_without_devices: count
          .optional()
          .describe(
            'Members whom the latest post left out, of those that left somebody out: WhatsApp tells no device of theirs. Absent: nobody was left out.',
          ),
      }),
    ),
    accounts: z
      .array(accountShare)
      .optional()
      .describe('With `with_accounts`: the accounts that send, or have sent, each with its share.'),
    runs: z.array(run),
    timeline: z.array(z.object({ at: instant, sent: count, delivered: count, read: count })),
  })
  .meta({ id: 'GroupAnalytics' });

const overviewSums = {
  runs: count.describe('Runs that have begun: one for a campaign sent now, one per day of a schedule.'),
  sent: count.describe('Sent posts: one per run and group.'),
  failed: count,
  delivered: count,
  read: count,
  posts: count.meta({ deprecated: true, description: 'The former name of `runs`, with the same number.' }),
  read_rate: rate,
};
const overviewTotals = z
  .object({
    campaigns: count.describe('Campaigns with a sent post, counted once each.'),
    groups: count.describe('Groups with a sent post, counted once each.'),
    missed_runs: count.describe('Runs that were due and could not begin in time.'),
    ...overviewSums,
  })
  .meta({ id: 'OverviewTotals' });

const overviewData = z
  .object({
    totals: overviewTotals,
    previous: overviewTotals.optional().describe('With `with_previous`.'),
    daily: z
      .array(
        z.object({
          date: z.string().meta({ format: 'date', description: 'In your time zone.' }),
          ...overviewSums,
        }),
      )
      .describe('Every day of the range, oldest first.'),
  })
  .meta({ id: 'Overview' });

const readRate = z.number().nullable().describe('`null` without recipients.');
const ofCampaign = { campaign_id: campaignId, name: z.string().describe('The name of the campaign.') };

const groupReport = z
  .object({
    group: z.object({
      ...listedGroup,
      ...ownData,
      fields: fieldsOfGroup,
      removed_at: instant.nullable().describe('When it was found to be gone. `null`: it exists.'),
    }),
    group_lists: z
      .array(z.object({ group_list_id: groupListId, name: z.string() }))
      .describe('The saved lists that contain it.'),
    totals: z
      .object({ posts: count, failed: count, recipients: count, read: count, read_rate: readRate })
      .describe('Sums over `posts`.'),
    posts: z
      .array(
        z.object({
          campaign_id: ofCampaign.campaign_id,
          run_id: count.nullable().describe('`null`: all posts of a campaign that was rolled up.'),
          at: instant.describe('When it was sent, or when its run began if it was not sent.'),
          name: ofCampaign.name,
          queued: count,
          sent: count,
          failed: count,
          cancelled: count,
          recipients: count.describe('People who could have read it.'),
          read: count.describe('Number of reads. For a channel, its views.'),
          error: z.string().nullable().describe('The cause, and what to do about it.'),
          ...failureFields,
          skipped: skippedReason,
          read_rate: readRate,
        }),
      )
      .describe('Newest first, 1,000 at most.'),
    planned: z
      .array(z.object({ ...ofCampaign, campaign_status: campaignStatus, run_id: count, due_at: instant }))
      .describe('Planned runs, soonest first, 20 at most.'),
    members: z
      .array(z.object({ date: z.string().meta({ format: 'date', description: 'In UTC.' }), participants: count }))
      .describe('The number of participants on each day on which it changed, oldest first.'),
  })
  .meta({ id: 'GroupReport' });

const shared = { tag: 'Analytics', access: 'read' } as const;

export const analytics = defineOperations(shared, {
  getCampaignGroupAnalyticsMaster: {
    path: '/api/v1/analytics/get-campaign-group-analytics-master',
    summary: 'Get the analytics of a campaign',
    description: 'Deliveries, receipts, reactions and replies: in total, per group, per run and over time.',
    body: campaignBody.extend({
      with_estimate: withDefault(z.boolean(), false).describe(
        'Adds `expected_finish_at`: when the last post of the running runs is expected to be sent.',
      ),
      with_accounts: withDefault(z.boolean(), false).describe(
        'Adds `accounts`. Single posts are counted: of a campaign that ended so long ago that only its sums are kept there are none.',
      ),
    }),
    data: groupAnalyticsData,
    errors: ['campaign_not_found'],
    longAnswer: 'whole',
  },
  getOverview: {
    path: '/api/v1/analytics/get-overview',
    summary: 'Get the analytics of all campaigns by day',
    description:
      'Days are in your time zone. A run counts, with all its results, on the day it began. So late receipts are included, and the totals are the sums of the days, except for `groups`.',
    body: z.object({
      days: withDefault(z.int().min(1).max(366), 30).describe('Number of days, including today.'),
      with_previous: withDefault(z.boolean(), false).describe(
        'Adds `previous`: the totals of the same number of days before.',
      ),
    }),
    data: overviewData,
  },
  getGroup: {
    path: '/api/v1/analytics/get-group',
    summary: 'Get the analytics of a group',
    description: 'Its posts, planned runs and number of participants over time.',
    body: z.object({
      group_metadata_id: z.int(),
      days: withDefault(z.int().min(1).max(366), 366).describe('Only posts of this number of days.'),
    }),
    data: groupReport,
    errors: ['group_not_found'],
    longAnswer: 'pieces',
  },
  exportCampaign: {
    path: '/api/v1/analytics/export-campaign',
    summary: 'Export the analytics of a campaign as CSV',
    description:
      'One row per group, as `groups` of the analytics, with `error_text`, in the language of the user. Then the votes of a poll or event: `voters`, `unreadable_votes`, and `votes: …` for each option, with the question if the runs ask different ones. `null`, and what the campaign does not have, is an empty cell. UTF-8 with a byte order mark, for spreadsheets. CSV injection: text that a spreadsheet would run gets an apostrophe.',
    body: campaignBody.extend({ format: csvFormat }),
    data: longText,
    errors: ['campaign_not_found'],
    answerType: 'text/csv; charset=utf-8',
    answerHeaders: { 'content-disposition': "A file name derived from the campaign's name." },
    longAnswer: 'rows',
  },
});
