/** What webhooks are told: a message is `{type, timestamp, data}`, and this is the `data` of each type (contract §4, webhooks). */
import { z } from 'zod';
import type { EventType } from '../../workspaces/events/event-types.ts';
import { campaignStatus, runStatus } from './campaigns.ts';
import { groupKind } from './groups.ts';

const instant = z.string().meta({ format: 'date-time', description: 'ISO 8601, in UTC.' });
const count = z.number().int();
const groupId = z.number().int();
const MOST = 100;

const campaign = z.object({
  campaign_id: z.uuid(),
  name: z.string(),
  status: campaignStatus,
  is_schedule: z.boolean(),
});
const runOf = { run_id: z.number().int(), due_at: instant };
const campaignAndRun = campaign.extend(runOf);
const run = z.object({
  campaign_id: z.uuid(),
  ...runOf,
  status: runStatus,
  group_count: count,
  queued: count,
  sent: count,
  failed: count,
  cancelled: count,
});
const ofRun = { campaign_id: z.uuid(), run_id: z.number().int() };
const deliveries = z.object({
  ...ofRun,
  deliveries: z
    .array(
      z.object({
        group_metadata_id: groupId,
        attempts: count,
        error: z.string().nullable().meta({ description: 'Its first 80 characters.' }),
      }),
    )
    .min(1)
    .max(MOST),
});
const account = z.object({
  messenger: z.string().meta({ examples: ['whatsapp'] }),
  status: z.string().meta({ description: 'As `account-status` tells it.' }),
  reason: z.string().nullable(),
  cause: z.string().nullable().meta({ description: 'Of a pause.' }),
});
const groups = z.object({
  groups: z
    .array(
      z.object({
        group_metadata_id: groupId,
        change: z.enum(['added', 'removed', 'changed']),
        name: z.string().meta({ description: 'Its first 100 characters.' }),
        kind: groupKind,
        can_send: z.boolean(),
      }),
    )
    .min(1)
    .max(MOST),
});
const countsOf = <Name extends string>(name: Name) =>
  z.object({
    ...ofRun,
    groups: z
      .array(z.object({ group_metadata_id: groupId, [name]: count.meta({ description: 'To that post, all in all.' }) }))
      .min(1)
      .max(MOST),
  });

/** Each with what it means, for the document. */
export const WEBHOOK_EVENTS = {
  'campaign.accepted': { summary: 'A campaign was accepted', data: campaign },
  'campaign.started': { summary: 'The first run of a campaign has begun', data: campaignAndRun },
  'campaign.completed': { summary: 'All of a campaign was sent', data: campaign },
  'campaign.completed_with_errors': { summary: 'A campaign has ended, and not all of it was sent', data: campaign },
  'campaign.paused': { summary: 'A campaign was paused', data: campaign },
  'campaign.resumed': { summary: 'A campaign goes on: after a pause, or since a retry was asked for', data: campaign },
  'campaign.cancelled': { summary: 'A campaign was cancelled', data: campaign },
  'campaign.missed': { summary: 'A run could not begin within 6 hours, and is left out', data: campaignAndRun },
  'campaign.late': { summary: 'A run has not begun a minute after it should have', data: campaignAndRun },
  'campaign.recalled': { summary: 'What was sent of a campaign is being recalled', data: campaign },
  'campaign.corrected': { summary: 'What was sent of a campaign is being corrected', data: campaign },
  'run.started': { summary: 'A run has begun, or goes on since a retry was asked for', data: run },
  'run.completed': { summary: 'A run has ended; again when what had failed proves to have been sent', data: run },
  'delivery.failed': { summary: 'Posts were given up', data: deliveries },
  'delivery.unknown': { summary: 'Posts were given up of which nobody knows whether they have left', data: deliveries },
  'account.connected': { summary: 'The account is linked, or connected again after a rest', data: account },
  'account.paused': { summary: 'The account rests, or was stopped', data: account },
  'account.restricted': { summary: 'The messaging application has restricted or banned the account', data: account },
  'account.logged_out': { summary: 'The account has lost its link', data: account },
  'account.version_refused': {
    summary: 'The messaging application no longer accepts this version of its client',
    data: account,
  },
  'group.changed': { summary: 'Groups came, went, or are called otherwise', data: groups },
  'message.reply': { summary: 'Members replied to posts: counts, and not what they said', data: countsOf('replies') },
  'message.reaction': { summary: 'Members reacted to posts: counts', data: countsOf('reactions') },
} as const satisfies Readonly<Record<EventType, { summary: string; data: z.ZodType }>>;
