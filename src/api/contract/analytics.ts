/** The wire of the analytics operations (contract §3). */
import { z } from 'zod';
import { campaignBody, campaignHead, run } from './campaigns.ts';
import { withDefault } from './fields.ts';

const count = z.number().int();
const unknowable = count.nullable().meta({ description: 'null: the messaging application does not tell.' });
const rate = z.number().nullable().meta({
  description:
    'Of the recipients who acknowledge: followers of channels are left out. null: there is nothing to divide by.',
});
const instant = z.string().meta({ format: 'date-time', description: 'ISO 8601, in UTC.' });

const counts = {
  deliveries: count.meta({ description: 'queued + sent + failed + cancelled.' }),
  queued: count,
  sent: count,
  failed: count,
  cancelled: count,
  recalled: count.optional().meta({
    description: 'Of the sent: deleted for everyone afterwards. There once something was to be recalled or corrected.',
  }),
  corrected: count.optional().meta({ description: 'Of the sent: edited afterwards. There in the same cases.' }),
  recipients: count.meta({
    description: 'Participants other than the sender at the moment of sending, over sent deliveries.',
  }),
  delivered: unknowable,
  read: unknowable,
  reactions: unknowable,
  replies: unknowable,
  views: unknowable,
  delivery_rate: rate,
  read_rate: rate,
};

export const groupAnalyticsBody = campaignBody.extend({
  with_estimate: withDefault(z.boolean(), false).meta({
    description: 'Also when the last post of what is under way is expected to leave.',
  }),
});

export const groupAnalyticsData = z
  .object({
    campaign: z.object(campaignHead),
    totals: z.object({
      groups: count,
      runs: count,
      runs_done: count,
      ...counts,
      expected_finish_at: instant.nullable().optional().meta({
        description: 'Only `with_estimate`; null: nothing is under way, or nobody can say.',
      }),
    }),
    groups: z.array(
      z.object({
        group_metadata_id: count,
        group_name: z.string(),
        kind: z.enum(['group', 'community', 'channel']),
        participants: count,
        ...counts,
        first_sent_at: instant.nullable(),
        last_sent_at: instant.nullable(),
        last_error: z
          .string()
          .nullable()
          .meta({ description: 'What went wrong with the latest run that had a failure, and what to do about it.' }),
      }),
    ),
    runs: z.array(run),
    timeline: z.array(z.object({ at: instant, sent: count, delivered: count, read: count })),
  })
  .meta({ id: 'GroupAnalytics' });

const overviewSums = {
  runs: count.meta({ description: 'Runs that began: one for a campaign sent now, one for each day of a schedule.' }),
  posts: count.meta({ deprecated: true, description: 'What `runs` was called; the same number.' }),
  sent: count.meta({ description: 'Posts: of each run one for each group that it was sent to.' }),
  failed: count,
  delivered: count,
  read: count,
  read_rate: rate,
};
const overviewTotals = z.object({
  campaigns: count,
  groups: count.meta({ description: 'Groups that were sent to, each once.' }),
  ...overviewSums,
});

export const getOverviewBody = z.object({
  days: withDefault(z.int().min(1).max(366), 30).meta({ description: 'So many days, today among them.' }),
  with_previous: withDefault(z.boolean(), false).meta({ description: 'Also the totals of as many days before.' }),
});

export const getOverviewData = z
  .object({
    totals: overviewTotals,
    previous: overviewTotals.optional().meta({ description: 'Only `with_previous`.' }),
    daily: z.array(
      z.object({
        date: z.string().meta({ format: 'date', description: 'In your time zone. Oldest first, none left out.' }),
        ...overviewSums,
      }),
    ),
  })
  .meta({ id: 'Overview' });

export const exportCampaignBody = campaignBody.extend({ format: z.literal('csv') });
