/** The report on any span of days (contract §4, get-report). */
import { z } from 'zod';
import { campaignId, date } from './campaigns.ts';
import { defineOperations } from './define-operations.ts';
import { count, instant, optional, pageLimit } from './fields.ts';
import { groupListId } from './group-lists.ts';
import { groupKind } from './groups.ts';

/** The span of a report, and what it is about. */
const reportSelection = {
  start_date: date.meta({ description: 'In your time zone.' }),
  end_date: date.meta({ description: 'Inclusive. At most 366 days in all.', examples: ['2026-12-31'] }),
  campaign_id: optional(campaignId).meta({ description: 'Only this campaign.' }),
  group_list_id: optional(groupListId).meta({ description: 'Only the groups of this saved list.' }),
};

const readRate = z.number().nullable().meta({ description: '`null` without recipients whose reads are reported.' });
const sums = {
  runs: count.meta({ description: 'Runs that began.' }),
  sent: count.meta({ description: 'Posts: one per run and group.' }),
  failed: count,
  delivered: count,
  read: count,
  read_rate: readRate,
};

const reportGroup = z
  .object({
    group_metadata_id: count,
    group_name: z.string(),
    kind: groupKind,
    participants: count.meta({ description: 'Now.' }),
    sent: count,
    failed: count,
    recipients: count.meta({ description: 'Participants other than the sender, once for each post.' }),
    delivered: count,
    read: count,
    read_rate: readRate,
    reactions: count,
    replies: count,
    views: count.nullable().meta({ description: 'Of a channel. `null`: unknown.' }),
    first_sent_at: instant.nullable(),
    last_sent_at: instant.nullable(),
    last_error: z.string().nullable().meta({ description: 'The cause of the latest failure, and what to do about it.' }),
    is_silent: z.boolean().meta({ description: 'Nobody has read it or reacted, a day after the first post.' }),
  })
  .meta({ id: 'ReportGroup' });

const reportTimes = (values: string) =>
  z.object({
    best: count.nullable().meta({ description: `${values}. \`null\`: not enough runs to say.` }),
    certainty: z.enum(['clear', 'unclear', 'not_enough']).meta({
      description: '`clear`: the difference to all other times is significant. `unclear`: it may be chance.',
    }),
    times: z.array(
      z.object({
        value: count.meta({ description: `${values}.` }),
        runs: count,
        read_rate: z.number(),
        low: z.number().nullable().meta({ description: 'Of the 95 % interval. `null` below 5 runs.' }),
        high: z.number().nullable(),
      }),
    ),
  });

const rows = (of: string) => z.array(reportGroup).meta({ description: `${of}, \`limit\` at most.` });

export const reportData = z
  .object({
    start_date: z.string().meta({ format: 'date' }),
    end_date: z.string().meta({ format: 'date' }),
    time_zone: z.string(),
    campaign: z.object({ campaign_id: campaignId, name: z.string() }).nullable(),
    group_list_name: z.string().nullable(),
    totals: z.object({
      ...sums,
      groups: count.meta({ description: 'Groups with a sent post, once each.' }),
      people_reached: count.meta({
        description: 'Members of these groups and communities without the sender, once for each group.',
      }),
      followers_reached: count.meta({ description: 'Followers of these channels.' }),
      recipients: count,
      reactions: count,
      replies: count,
      views: count.nullable().meta({ description: 'Of channels. `null`: unknown.' }),
    }),
    previous: z
      .object({ start_date: z.string().meta({ format: 'date' }), end_date: z.string().meta({ format: 'date' }), ...sums })
      .meta({ description: 'As many days directly before.' }),
    daily: z.array(z.object({ date: z.string().meta({ format: 'date' }), ...sums })),
    hours: reportTimes('The hour at which the runs began, 0 to 23'),
    weekdays: reportTimes('The weekday, 1 is Monday'),
    group_count: count.meta({ description: 'Groups with a sent or failed post.' }),
    silent_count: count,
    failed_count: count.meta({ description: 'Groups with a failed post.' }),
    groups: rows('By read rate, highest first, channels last'),
    silent_groups: rows('Largest first'),
    failed_groups: rows('Most failures first'),
    failures: z
      .array(z.object({ error: z.string(), groups: count, posts: count }))
      .meta({ description: 'Failed posts by the latest cause in their group, 50 causes at most.' }),
    unknown_runs: count.meta({
      description: 'Runs of rolled-up campaigns whose posts per group are no longer known, so that `groups` lacks them.',
    }),
  })
  .meta({ id: 'Report' });

export const report = defineOperations('Analytics', {
  getReport: {
    path: '/api/v1/analytics/get-report',
    access: 'read',
    summary: 'Get the report on a span of days',
    description:
      'Posts, reach, read rate, best times, groups, silent groups and failures. A run counts, with all its results, on the day it began.',
    body: z.object({ ...reportSelection, limit: pageLimit(1_000, 100) }),
    data: reportData,
    errors: ['campaign_not_found', 'group_list_not_found'],
    shedFirst: true,
    longAnswer: 'whole',
  },
});
