/** Inputs of the tools, derived from the operations that they call. Only names and descriptions are a tool's own. */
import { z } from 'zod';
import { analytics } from '../contract/analytics.ts';
import { campaignControl } from '../contract/campaign-control.ts';
import { campaigns, campaignStatus } from '../contract/campaigns.ts';
import { drafts } from '../contract/drafts.ts';
import { templates } from '../contract/templates.ts';
import { optional } from '../contract/fields.ts';
import { media } from '../contract/media.ts';
import { groups } from '../contract/groups.ts';
import { groupKind } from '../contract/group-rules.ts';
import { pinFor } from '../contract/post-extras.ts';

/** The most rows of an answer. */
export const ROWS_LIMIT = 50;

const post = campaigns.addCampaignBatch.body.shape;
/** Some language models cannot follow a `$ref` in the input of a tool, which a schema with an id becomes. */
const withoutId = <Schema extends z.ZodType>(schema: Schema): Schema => schema.clone(schema.def);
/** The operation says what is wrong with them: limits would take room that all tools share. */
const ids = z.array(z.number()).optional();
const groupIds = ids.describe('As find_groups answers them');
const schedule = z
  .object({
    start_date: post.start_date,
    end_date: post.end_date.describe('Included; start_date to send once; not with recurrence'),
    time: post.schedule_time.describe('HH:MM:SS'),
    time_zone: post.time_zone.describe('IANA; default: that of the user'),
    weekdays: post.weekdays.describe('Only these, 1 is Monday'),
    skip_dates: post.skip_dates,
    recurrence: withoutId(post.recurrence),
  })
  .optional()
  .describe('Leave it out to send at once');
/** One of both; the operation says so of neither and of both. */
const message = {
  html: optional(z.string()).describe('HTML of the allowed tags'),
  text: optional(z.string()).describe('Instead, as typed on a phone: *bold*, _italic_, ~struck~'),
};
/** The members that a post mentions, how long it is pinned, and what it replies to. */
const reach = {
  from_template: optional(z.guid()),
  group_list_ids: ids,
  mention_all: withoutId(post.mention_all),
  pin_for: optional(z.enum(pinFor.options)).describe('Pins the post; not in channels'),
  reply_to: withoutId(post.reply_to),
  follow_up: withoutId(post.follow_up).describe(
    'Only to groups in which fewer than under_percent % read an earlier campaign',
  ),
};
const ballot = {
  poll: withoutId(post.poll).describe('In place of a text; html is then empty'),
  event: withoutId(post.event).describe('In place of a text. Instants have an offset: …T19:00:00+01:00'),
};
/** Of posts with fields or translations; the instructions say what they mean. */
const fields = {
  translations: z.array(z.object({ language: z.string(), html: z.string() })).optional(),
  with_fields: optional(z.boolean()),
  on_missing_value: optional(z.enum(['reject', 'leave_out'])),
};
const draft = drafts.saveDraft.body.shape;
const draftBallot = {
  poll: withoutId(draft.poll).describe('In place of a text. A person completes it'),
  event: withoutId(draft.event).describe('A person completes it'),
};
const cursor = withoutId(groups.listGroups.body.shape.cursor).describe('next_cursor of the answer before');
const campaignId = campaignControl.pauseCampaign.body.shape.campaign_id;
const files = withoutId(post.media).describe('As find_files answers them. The message is the caption of the first');
/** What a model needs of a row; the operation says what is wrong with it. What is gone a person cancels. */
const planRow = z.object({
  key: z.string(),
  date: z.string(),
  time: z.string(),
  list: z.string().optional(),
  groups: z.array(z.int()).optional(),
  text: z.string().optional(),
  media_id: z.int().optional(),
});
const oneCheck = z.object({ check_id: z.string() });
const oneCampaign = z.object({ campaign_id: campaignId });
const { search } = groups.listGroups.body.shape;
const kind = optional(z.enum(groupKind.options)).describe('Only this kind');
const status = optional(z.enum(campaignStatus.options)).describe('Only campaigns with this status');

export const INPUTS = {
  get_account: z.object({}),
  find_groups: z.object({ search, kind, cursor }),
  find_files: z.object({ search: media.listMedia.body.shape.search, cursor }),
  preview_message: z.object({ ...message, with_fields: fields.with_fields, group_id: z.int().optional() }),
  find_templates: z.object({ template_id: templates.listTemplates.body.shape.template_id.describe('Only this one') }),
  check_campaign: z.object({
    name: post.name,
    ...message,
    ...fields,
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
    ...fields,
    group_ids: groupIds,
    files,
    ...reach,
    ...draftBallot,
    as_template: z.boolean().optional().describe('Saves it as a new template instead'),
  }),
  stop_campaign: oneCampaign.extend({ how: z.enum(['pause', 'cancel']) }),
  import_plan: z.object({
    plan: z.string(),
    rows: z.array(planRow),
    time_zone: z.string().optional(),
    dry_run: z.boolean(),
    from_row: z.int().optional(),
  }),
  list_campaigns: z.object({ search, status, tag: z.string().optional(), cursor }),
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
  recurrence: 'schedule.recurrence',
};
const OPERATION_FIELD = new RegExp(String.raw`\b(${Object.keys(TOOL_FIELDS).join('|')})\b`, 'g');

/** Replaces the field names of operations in an error by those of the tools. */
export function withToolFields(text: string): string {
  return text.replaceAll(OPERATION_FIELD, (name) => TOOL_FIELDS[name] ?? name);
}
