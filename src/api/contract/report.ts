/** The report on any span of days (contract §4, get-report). */
import { z } from 'zod';
import { postKind } from './campaign-reads.ts';
import { campaignId, date } from './campaigns.ts';
import { defineOperations } from './define-operations.ts';
import { count, failureFields, instant, optional, pageLimit, person, tagFilter, text, withDefault } from './fields.ts';
import { groupListId } from './group-lists.ts';
import { groupKind } from './group-rules.ts';
import { longList } from './long-list.ts';
import { csvFormat, longText } from './long-text.ts';

/** The span of a report, and what it is about. */
const reportSelection = {
  start_date: date.describe('In your time zone.'),
  end_date: date.meta({ description: 'Inclusive. At most 366 days in all.', examples: ['2026-12-31'] }),
  campaign_id: optional(campaignId).describe('Only this campaign.'),
  group_list_id: optional(groupListId).describe('Only the groups of this saved list.'),
  tag: tagFilter,
};

const withRuns = withDefault(z.boolean(), false).describe('Adds `runs`.');

const readRate = z.number().nullable().describe('`null` without recipients whose reads are reported.');
const sums = {
  runs: count.describe('Runs that began.'),
  sent: count.describe('Posts: one per run and group.'),
  failed: count,
  delivered: count,
  read: count,
  rated_recipients: count.describe('Recipients whose reads are reported: the divisor of `read_rate`.'),
  read_rate: readRate,
};

const ofCampaign = z.object({ campaign_id: campaignId, name: z.string() });
const { runs: _runs, ...sumsOfRun } = sums;
const reportRun = z
  .object({
    run_id: count,
    campaign: ofCampaign,
    started_at: instant,
    post_kind: postKind,
    ...sumsOfRun,
    thumbnail: z.string().nullable().describe('A small JPEG as a `data:` URL, of the newest 50.'),
  })
  .meta({ id: 'ReportRun' });

const reportGroup = z
  .object({
    group_metadata_id: count,
    group_name: z.string(),
    kind: groupKind,
    participants: count.describe('Now.'),
    sent: count,
    failed: count,
    recipients: count.describe('Participants other than the sender, once for each post.'),
    delivered: count,
    read: count,
    read_rate: readRate,
    reactions: count,
    replies: count,
    views: count.nullable().describe('Of a channel. `null`: unknown.'),
    first_sent_at: instant.nullable(),
    last_sent_at: instant.nullable(),
    last_error: z.string().nullable().describe('The cause of the latest failure, and what to do about it.'),
    ...failureFields,
    is_silent: z.boolean().describe('Nobody has read it or reacted, a day after the first post.'),
  })
  .meta({ id: 'ReportGroup' });

const reportTimes = (values: string) =>
  z.object({
    best: count.nullable().describe(`${values}. \`null\`: not enough runs to say.`),
    certainty: z
      .enum(['clear', 'unclear', 'not_enough'])
      .describe('`clear`: the difference to all other times is significant. `unclear`: it may be chance.'),
    times: z.array(
      z.object({
        value: count.describe(`${values}.`),
        runs: count,
        read_rate: z.number(),
        low: z.number().nullable().describe('Of the 95 % interval. `null` below 5 runs.'),
        high: z.number().nullable(),
      }),
    ),
  });

const rows = (of: string) => longList(reportGroup).describe(`${of}, \`limit\` at most.`);

const describedSelection = {
  start_date: z.string().meta({ format: 'date' }),
  end_date: z.string().meta({ format: 'date' }),
  time_zone: z.string(),
  campaign: ofCampaign.nullable(),
  group_list_name: z.string().nullable(),
  tag: z.string().nullable(),
};

export const reportData = z
  .object({
    ...describedSelection,
    workspace_name: z.string().nullable(),
    totals: z.object({
      ...sums,
      groups: count.describe('Groups with a sent post, once each.'),
      missed_runs: count.describe('Runs that were due and could not begin in time: nothing of them was sent.'),
      people_reached: count.describe(
        'Members of these groups and communities without the sender, once for each group.',
      ),
      followers_reached: count.describe('Followers of these channels.'),
      recipients: count,
      reactions: count,
      replies: count,
      views: count.nullable().describe('Of channels. `null`: unknown.'),
    }),
    previous: z
      .object({
        start_date: z.string().meta({ format: 'date' }),
        end_date: z.string().meta({ format: 'date' }),
        ...sums,
      })
      .describe('As many days directly before.'),
    daily: z.array(z.object({ date: z.string().meta({ format: 'date' }), ...sums })),
    hours: reportTimes('The hour at which the runs began, 0 to 23'),
    weekdays: reportTimes('The weekday, 1 is Monday'),
    runs: longList(reportRun).optional().describe('With `with_runs`: newest first, `limit` at most, and 1,000.'),
    group_count: count.describe('Groups with a sent or failed post.'),
    silent_count: count,
    failed_count: count.describe('Groups with a failed post.'),
    groups: rows('By read rate, highest first, channels last'),
    silent_groups: rows('Largest first'),
    failed_groups: rows('Most failures first'),
    failures: z
      .array(z.object({ error: z.string(), ...failureFields, groups: count, posts: count }))
      .describe('Failed posts by the latest cause in their group, 50 causes at most.'),
    unknown_runs: count.describe(
      'Runs of rolled-up campaigns whose posts per group are no longer known, so that `groups` lacks them.',
    ),
  })
  .meta({ id: 'Report' });

export const report = defineOperations('Analytics', {
  getReport: {
    path: '/api/v1/analytics/get-report',
    access: 'read',
    summary: 'Get the report on a span of days',
    description:
      'Posts, reach, read rate, best times, groups, silent groups and failures. A run counts, with all its results, on the day it began.',
    body: z.object({
      ...reportSelection,
      limit: withDefault(z.int().min(1).max(100_000), 100).describe('Maximum number of rows in each list.'),
      with_runs: withRuns,
    }),
    data: reportData,
    errors: ['campaign_not_found', 'group_list_not_found'],
    longAnswer: 'rows',
  },
  exportReport: {
    path: '/api/v1/analytics/export-report',
    access: 'read',
    summary: 'Export all groups of a report as CSV',
    description:
      'One row per group, as `groups` of the report, in the format of `export-campaign`. For JSON, set a high `limit` of `get-report`.',
    body: z.object({ ...reportSelection, format: csvFormat }),
    data: longText,
    errors: ['campaign_not_found', 'group_list_not_found'],
    answerType: 'text/csv; charset=utf-8',
    answerHeaders: { 'content-disposition': 'A file name with the days.' },
    longAnswer: 'rows',
  },
  shareReport: {
    path: '/api/v1/analytics/share-report',
    access: 'admin',
    role: 'manager',
    summary: 'Create a link to a report',
    description:
      'Anyone who has the link can read this report, and nothing else, until it expires or is revoked. Days, campaign and groups are fixed; the figures are those of the moment.',
    body: z.object({
      ...reportSelection,
      expires_in_days: withDefault(z.int().min(1).max(90), 30).describe('Days until the link expires.'),
    }),
    data: z.object({
      report_link_id: count,
      token: z.string().describe('Shown once: only its hash is stored.'),
      path: z.string().describe("The link's path at the address of the dashboard."),
      expires_at: instant,
    }),
    errors: ['campaign_not_found', 'group_list_not_found', 'report_link_limit_reached'],
  },
  listReportLinks: {
    path: '/api/v1/analytics/list-report-links',
    access: 'read',
    role: 'manager',
    summary: 'List your links to reports',
    description: 'Without expired and revoked ones, newest first.',
    data: z.object({
      links: z.array(
        z.object({
          report_link_id: count,
          created_at: instant,
          created_by: person.nullable().describe('`null`: not known.'),
          expires_at: instant,
          ...describedSelection,
        }),
      ),
    }),
  },
  revokeReportLink: {
    path: '/api/v1/analytics/revoke-report-link',
    access: 'admin',
    role: 'manager',
    summary: 'Revoke a link to a report',
    body: z.object({ report_link_id: z.int() }),
    errors: ['report_link_not_found'],
  },
  getSharedReport: {
    path: '/api/v1/analytics/get-shared-report',
    access: 'open',
    summary: 'Get the report of a link',
    description:
      'For anyone who has the token of the link. A token that is unknown, expired or revoked is one and the same 404.',
    body: z.object({ token: text(1, 100), limit: pageLimit(1_000, 100), with_runs: withRuns }),
    data: reportData,
    errors: ['report_link_not_found', 'too_many_attempts'],
    answerHeaders: {
      'cache-control': '`private, no-store`.',
      'x-robots-tag': '`noindex, nofollow`.',
    },
    longAnswer: 'rows',
  },
});
