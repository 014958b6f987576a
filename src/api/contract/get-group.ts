/** The wire of everything about one group (contract §4). */
import { z } from 'zod';
import { campaignBody, campaignStatus } from './campaigns.ts';
import { withDefault } from './fields.ts';
import { groupListId } from './group-lists.ts';
import { listGroupsData } from './groups.ts';

const count = z.number().int();
const instant = z.string().meta({ format: 'date-time', description: 'ISO 8601, in UTC.' });
const readRate = z.number().nullable().meta({ description: 'null: there was nobody to read.' });
const head = listGroupsData.shape.groups.element.omit({ activity: true }).shape;

export const getGroupBody = z.object({
  group_metadata_id: z.int(),
  days: withDefault(z.int().min(1).max(366), 366).meta({ description: 'What was in the last so many days.' }),
});

const campaign = {
  campaign_id: campaignBody.shape.campaign_id,
  name: z.string().meta({ description: 'Of the campaign.' }),
};

export const getGroupData = z
  .object({
    group: z.object({
      ...head,
      removed_at: instant.nullable().meta({ description: 'Set: it is no longer at the messaging application.' }),
    }),
    group_lists: z.array(z.object({ group_list_id: groupListId, name: z.string() })).meta({
      description: 'The saved lists that it is in.',
    }),
    totals: z
      .object({ posts: count, failed: count, recipients: count, read: count, read_rate: readRate })
      .meta({ description: 'Over `posts`.' }),
    posts: z
      .array(
        z.object({
          ...campaign,
          run_id: count.nullable().meta({ description: 'null: all posts of a folded campaign in one.' }),
          at: instant.meta({ description: 'When it was sent; of one that was not, when its run began.' }),
          queued: count,
          sent: count,
          failed: count,
          cancelled: count,
          recipients: count.meta({ description: 'People who could have read it.' }),
          read: count.meta({ description: 'Of a channel its views.' }),
          read_rate: readRate,
          error: z.string().nullable().meta({ description: 'What went wrong, and what to do about it.' }),
        }),
      )
      .meta({ description: 'Newest first, 1,000 at most.' }),
    planned: z
      .array(z.object({ ...campaign, campaign_status: campaignStatus, run_id: count, due_at: instant }))
      .meta({ description: 'Soonest first, 20 at most.' }),
    members: z
      .array(z.object({ date: z.string().meta({ format: 'date', description: 'In UTC.' }), participants: count }))
      .meta({ description: 'Oldest first, a day each on which it is known to have changed.' }),
  })
  .meta({ id: 'GroupReport' });
