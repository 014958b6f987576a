/** The messages that webhooks receive: `{type, timestamp, data}`, with the `data` of each event type (contract §4, webhooks). */
import { z } from 'zod';
import { DECISIONS } from '../../workspaces/events/decisions.ts';
import type { EventType } from '../../workspaces/events/event-types.ts';
import { waitReason } from './accounts.ts';
import { skipped } from './campaign-reads.ts';
import { campaignStatus, runStatus } from './campaigns.ts';
import { count, failureFields, instant, named, objects, ownData, tags } from './fields.ts';
import { groupKind } from './group-rules.ts';

const groupId = count;
const MOST = 100;
const some = <Shape extends z.core.$ZodShape>(shape: Shape) => objects(shape).min(1).max(MOST);

const campaign = named('CampaignEventData', {
  campaign_id: z.uuid(),
  name: z.string(),
  status: campaignStatus,
  is_schedule: z.boolean(),
  ...ownData,
  tags,
});
const pausedCampaign = campaign
  .extend({
    reason: z
      .string()
      .optional()
      .describe('Why the messaging application refused three posts in a row, so that the service paused the campaign.'),
  })
  .meta({ id: 'CampaignPausedEventData' });
const runOf = { run_id: z.number().int(), due_at: instant };
const campaignAndRun = campaign.extend(runOf).meta({ id: 'CampaignRunEventData' });
const run = named('RunEventData', {
  campaign_id: z.uuid(),
  name: z.string().describe('The name of the campaign.'),
  external_id: ownData.external_id,
  ...runOf,
  status: runStatus,
  group_count: count,
  queued: count,
  sent: count,
  failed: count,
  cancelled: count,
  skipped: skipped.optional(),
});
const ofRun = { campaign_id: z.uuid(), run_id: z.number().int() };
const deliveries = named('DeliveriesEventData', {
  ...ofRun,
  deliveries: some({
    group_metadata_id: groupId,
    attempts: count,
    error: z.string().nullable().describe('The first 80 characters of the error.'),
    ...failureFields,
  }),
});
const ofAccount = {
  account_id: count,
  name: z.string().nullable().describe('The name of the account. `null`: it has none.'),
  ...ownData,
};
const accountStatus = z.string().describe('The status, as in `account-status`.');
const account = named('AccountEventData', {
  ...ofAccount,
  messenger: z.string().meta({ examples: ['whatsapp'] }),
  status: accountStatus,
  reason: z.string().nullable(),
  reason_code: z.string().nullable().optional().describe('A code of `reason`, as in `account-status`.'),
  cause: z.string().nullable().describe('The cause of a pause.'),
});
const waitingAccount = named('AccountWaitingEventData', {
  ...ofAccount,
  status: accountStatus,
  down_since: instant.describe('Since when the account cannot send.'),
  waits_for: waitReason.optional().describe('Why it cannot. Absent in events of earlier versions.'),
});
const handedOver = named('AccountHandedOverEventData', {
  ...ofAccount,
  handed_over: count.describe('How many deliveries other accounts send now.'),
});
const groups = named('GroupsEventData', {
  groups: some({
    group_metadata_id: groupId,
    change: z.enum(['added', 'removed', 'changed']),
    name: z.string().describe('The first 100 characters of the name.'),
    kind: groupKind,
    can_send: z.boolean(),
    external_id: ownData.external_id,
  }),
});
const totalOf = <Name extends string>(name: Name) =>
  ({ [name]: count.describe('The total for the post.') }) as Record<Name, typeof count>;
const countsOf = <Name extends string>(name: Name) =>
  z.object({
    ...ofRun,
    groups: some({ group_metadata_id: groupId, ...totalOf(name) }),
  });

const votes = named('VotesEventData', {
  ...ofRun,
  groups: some({
    group_metadata_id: groupId,
    voters: count.describe('The total for the post, like the others.'),
    unreadable: count.describe('Votes that could not be opened.'),
    votes: z.array(count).describe('The votes of each option, in their order.'),
  }),
});

const asked = named('ApprovalAskedEventData', {
  approval_id: z.uuid(),
  name: z.string(),
  version: count,
  group_count: count,
  first_due_at: instant.nullable(),
  asked_by: count.describe('A `user_id`.'),
});
const decided = asked
  .extend({
    decision: z.enum(DECISIONS),
    decided_by: count.nullable(),
    campaign_id: z.uuid().nullable(),
  })
  .meta({ id: 'ApprovalDecidedEventData' });

/** The payloads by event type, with a summary for the document. */
export const WEBHOOK_EVENTS = {
  'campaign.accepted': { summary: 'A campaign was created', data: campaign },
  'campaign.started': { summary: 'The first run of a campaign began', data: campaignAndRun },
  'campaign.completed': { summary: 'A campaign ended and all its posts were sent', data: campaign },
  'campaign.completed_with_errors': { summary: 'A campaign ended and some of its posts were not sent', data: campaign },
  'campaign.paused': { summary: 'A campaign was paused', data: pausedCampaign },
  'campaign.resumed': { summary: 'A campaign was resumed, after a pause or by a retry', data: campaign },
  'campaign.cancelled': { summary: 'A campaign was cancelled', data: campaign },
  'campaign.missed': { summary: 'A run was missed: it could not begin within 6 hours', data: campaignAndRun },
  'campaign.late': { summary: 'A run is late: nothing of it was tried a minute after its time', data: campaignAndRun },
  'campaign.rescheduled': {
    summary: 'Planned runs moved to other instants, because the rules of their time zone changed',
    data: campaign.extend({
      run_count: count.describe('How many planned runs moved.'),
      time_zone: z.string(),
    }),
  },
  'campaign.recalled': { summary: 'A recall of a campaign was requested', data: campaign },
  'campaign.corrected': { summary: 'A correction of a campaign was requested', data: campaign },
  'campaign.pinned': { summary: 'The pin of the posts of a run was requested', data: campaign },
  'campaign.unpinned': { summary: 'The end of the pins of a run was requested', data: campaign },
  'campaign.waiting': { summary: 'A post waits for an approval', data: asked },
  'campaign.decided': { summary: 'A post no longer waits for an approval', data: decided },
  'run.started': { summary: 'A run began, or was resumed by a retry', data: run },
  'run.completed': { summary: 'A run ended. Sent again if failed posts prove to have been sent', data: run },
  'delivery.failed': { summary: 'Deliveries failed', data: deliveries },
  'delivery.unknown': { summary: 'Deliveries were given up with an unknown outcome', data: deliveries },
  'account.connected': { summary: 'The account was linked, or connected again after a pause', data: account },
  'account.paused': { summary: 'The account was paused or stopped', data: account },
  'account.restricted': { summary: 'The messaging application restricted or banned the account', data: account },
  'account.logged_out': { summary: 'The account was unlinked', data: account },
  'account.version_refused': {
    summary: 'The messaging application rejected the version of the client',
    data: account,
  },
  'account.waiting': {
    summary: 'An account cannot send, and posts wait for it',
    data: waitingAccount,
  },
  'account.handed_over': {
    summary: 'Posts of an account that cannot send were handed over to other accounts automatically',
    data: handedOver,
  },
  'group.changed': { summary: 'Groups were added, removed or changed', data: groups },
  'message.reply': { summary: 'Members replied to posts; counts only', data: countsOf('replies') },
  'message.reaction': { summary: 'Members reacted to posts; counts only', data: countsOf('reactions') },
  'poll.vote': { summary: 'Members voted on polls, or answered events; counts only', data: votes },
} as const satisfies Readonly<Record<EventType, { summary: string; data: z.ZodType }>>;
