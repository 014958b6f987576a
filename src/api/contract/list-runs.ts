/** The wire of the calendar of runs (contract §4). */
import { z } from 'zod';
import { addCampaignBatchBody, campaignBody, campaignStatus, runStatus } from './campaigns.ts';
import { optional, text, withDefault } from './fields.ts';
import { groupListId } from './group-lists.ts';
import { groupKind } from './groups.ts';

const count = z.number().int();

export const listRunsBody = z.object({
  start_date: addCampaignBatchBody.shape.start_date.meta({ description: 'In your time zone.' }),
  end_date: addCampaignBatchBody.shape.end_date.meta({ description: 'Inclusive; 100 days at most.' }),
  kind: optional(groupKind).meta({ description: 'Only what goes to a group of this kind, whatever else it goes to.' }),
  group_list_id: optional(groupListId).meta({ description: 'Only what goes to a group of this saved list.' }),
  with_counts: withDefault(z.boolean(), false).meta({
    description: 'Also how many groups each goes to, and what became of it.',
  }),
  limit: withDefault(z.int().min(1).max(1_000), 500),
  cursor: optional(text(1, 200)).meta({ description: '`next_cursor` of the page before.' }),
});

export const listRunsData = z.object({
  runs: z.array(
    z.object({
      run_id: z.number().int(),
      campaign_id: campaignBody.shape.campaign_id,
      name: z.string().meta({ description: 'Of the campaign.' }),
      campaign_status: campaignStatus,
      due_at: z.string().meta({ format: 'date-time', description: 'ISO 8601, in UTC.' }),
      status: runStatus,
      group_count: count.optional().meta({ description: 'Only `with_counts`, as those below.' }),
      queued: count.optional().meta({ description: '0 until it begins.' }),
      sent: count.optional(),
      failed: count.optional(),
    }),
  ),
  next_cursor: z.string().nullable(),
});
