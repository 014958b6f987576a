/** Inputs of the tools, derived from the operations that they call. Only names and descriptions are a tool's own. */
import { z } from 'zod';
import { analytics } from '../contract/analytics.ts';
import { campaignControl } from '../contract/campaign-control.ts';
import { campaigns, campaignStatus } from '../contract/campaigns.ts';
import { drafts } from '../contract/drafts.ts';
import { optional } from '../contract/fields.ts';
import { media } from '../contract/media.ts';
import { groupKind, groups } from '../contract/groups.ts';
import { pinFor } from '../contract/post-extras.ts';

/** The most rows of an answer. */
export const ROWS_LIMIT = 50;

const post = campaigns.addCampaignBatch.body.shape;
/** Some language models cannot follow a `$ref` in the input of a tool, which a schema with an id becomes. */
const withoutId = <Schema extends z.ZodType>(schema: Schema): Schema => schema.clone(schema.def);
const groupIds = withoutId(post.group_metadata_ids).describe('As find_groups answers them');
const schedule = z
  .object({
    start_date: post.start_date,
    end_date: post.end_date.describe('Included; start_date to send once'),
    time: post.schedule_time.describe('HH:MM:SS'),
    time_zone: post.time_zone.describe('IANA; default: that of the user'),
    weekdays: post.weekdays.describe('Only these, 1 is Monday'),
    skip_dates: post.skip_dates,
  })
  .optional()
  .describe('Leave it out to send at once');
/** One of both; the operation says so of neither and of both. */
const message = {
  html: optional(z.string()).describe(String(post.html.meta()?.description)),
  text: optional(z.string()).describe(String(post.text.meta()?.description)),
};
/** The members that a post mentions, how long it is pinned, and what it replies to. */
const reach = {
  mention_all: withoutId(post.mention_all),
  pin_for: optional(z.enum(pinFor.options)).describe('Pins the post; not in channels'),
  reply_to: withoutId(post.reply_to),
  follow_up: withoutId(post.follow_up).describe(
    'Posts only to groups in which fewer than under_percent of the members have read an earlier campaign',
  ),
};
const ballot = {
  poll: withoutId(post.poll).describe('In place of a text; html is then empty'),
  event: withoutId(post.event).describe(
    'In place of a text; html is then empty. Instants have their offset: 2026-12-05T19:00:00+01:00',
  ),
};
const draft = drafts.saveDraft.body.shape;
const draftBallot = {
  poll: withoutId(draft.poll).describe('In place of a text. A person completes it'),
  event: withoutId(draft.event).describe('In place of a text. A person completes it'),
};
const cursor = withoutId(groups.listGroups.body.shape.cursor).describe('next_cursor of the answer before');
const campaignId = campaignControl.pauseCampaign.body.shape.campaign_id;
const files = withoutId(post.media).describe(
  'At most 10, as find_files answers them. The message is the caption of the first',
);
const oneCheck = z.object({ check_id: z.string() });
const oneCampaign = z.object({ campaign_id: campaignId });
const { search } = groups.listGroups.body.shape;
const kind = optional(z.enum(groupKind.options)).describe('Only this kind');
const status = optional(z.enum(campaignStatus.options)).describe('Only campaigns with this status');

export const INPUTS = {
  get_account: z.object({}),
  find_groups: z.object({ search, kind, cursor }),
  find_files: z.object({ search: media.listMedia.body.shape.search, cursor }),
  preview_message: z.object(message),
  check_campaign: z.object({
    name: post.name,
    ...message,
    ...ballot,
    group_ids: groupIds,
    files,
    schedule,
    ...reach,
  }),
  fetch_link_preview: oneCheck,
  send_campaign: oneCheck,
  save_draft: z.object({
    name: post.name,
    ...message,
    group_ids: groupIds.optional(),
    files,
    ...reach,
    ...draftBallot,
  }),
  pause_campaign: oneCampaign,
  cancel_campaign: oneCampaign,
  list_campaigns: z.object({ search, status, cursor }),
  read_analytics: oneCampaign,
  read_poll: oneCampaign,
  read_overview: z.object({ days: analytics.getOverview.body.shape.days }),
};
export type ToolName = keyof typeof INPUTS;

/** The names that the bodies of the operations have for fields of the tools. */
const TOOL_FIELDS: Readonly<Record<string, string>> = {
  group_metadata_ids: 'group_ids',
  media: 'files',
  start_date: 'schedule.start_date',
  end_date: 'schedule.end_date',
  schedule_time: 'schedule.time',
  time_zone: 'schedule.time_zone',
  weekdays: 'schedule.weekdays',
  skip_dates: 'schedule.skip_dates',
};
const OPERATION_FIELD = new RegExp(String.raw`\b(${Object.keys(TOOL_FIELDS).join('|')})\b`, 'g');

/** Replaces the field names of operations in an error by those of the tools. */
export function withToolFields(text: string): string {
  return text.replaceAll(OPERATION_FIELD, (name) => TOOL_FIELDS[name] ?? name);
}
