/** Campaigns: adding, checking, changing and copying them (contract §3 and §4). */
import { z } from 'zod';
import { accountWait } from './accounts.ts';
import { defineOperations } from './define-operations.ts';
import {
  base64File,
  count,
  groupsOfPost,
  HTML_LIMIT,
  instant,
  issueCode,
  issueParams,
  newOwnData,
  newTags,
  changedOwnData,
  optional,
  text,
  timeZone,
  typedText,
  withDefault,
  named,
  objects,
  list,
  ownData,
  tags,
} from './fields.ts';
import { forms } from './forms.ts';
import { fetchLinkPreview, linkPreviewCopy } from './link-preview.ts';
import { longText } from './long-text.ts';
import { shownFiles } from './post-files.ts';
import { ballotFieldsData } from './ballot-fields.ts';
import {
  copiedExtras,
  postExtras,
  postExtrasNames,
  postFieldsBody,
  postFieldsData,
  saidInGroup,
} from './post-extras.ts';

/** A file of 16 MiB in base64, 262,144 characters of html in JSON's longest escapes, and the rest. */
export const POST_LIMIT_BYTES = 26 * 1024 * 1024;
/** The html, as much in translations, and the rest. */
export const HTML_LIMIT_BYTES = 4 * 1024 * 1024;
/** The same, and the picture of a link preview. */
export const CORRECTION_LIMIT_BYTES = 7 * 1024 * 1024;

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;

export const date = z
  .string()
  .refine(isDate, { error: 'must be a date of the form YYYY-MM-DD' })
  .register(forms, { form: 'date' })
  .meta({ format: 'date', examples: ['2026-12-01'] });
export const timeOfDay = z
  .string()
  .regex(TIME, { error: 'must be a time of day of the form HH:MM:SS' })
  .register(forms, { form: 'time' })
  .meta({ description: 'Wall-clock time in the time zone, HH:MM:SS.', examples: ['09:00:00'] });
export const campaignId = z.guid().meta({ format: 'uuid', examples: ['5f0c2c5e-0f3c-4d6b-9a55-6c1d1c3a7f10'] });

export const campaignStatus = z
  .enum(['scheduled', 'running', 'paused', 'completed', 'completed_with_errors', 'cancelled'])
  .meta({ id: 'CampaignStatus' });
export const runStatus = z
  .enum(['planned', 'running', 'completed', 'completed_with_errors', 'missed', 'cancelled'])
  .meta({ id: 'RunStatus' });

const unknownTags = {
  on_unknown_tags: optional(z.enum(['reject', 'drop'])).meta({
    id: 'UnknownTags',
    description: 'Tags that are not allowed are rejected (default), or taken out with a warning.',
  }),
};
/** The message. A body may have `text` in its place, so that its schema has it as optional, but without both it is missing. */
const html = z.string().optional().pipe(text(0, HTML_LIMIT)).meta({
  id: 'Html',
  description:
    'The message in HTML; may be empty if there is a file. Tags: h1–h6, i, em, b, strong, p, br, a, ul, ol, li, span. Required unless `text` is there.',
  maxLength: HTML_LIMIT,
});
const description = text(0, 2_000);
const postFields = {
  name: text(1, 200).meta({
    description: 'The name of the campaign. Recipients do not see it.',
    examples: ['Spring fair'],
  }),
  desc: withDefault(description, '').describe('A description for your own use.'),
  html,
  text: typedText,
  ...unknownTags,
  ...postFieldsBody,
  image: base64File.meta({
    id: 'Base64File',
    description:
      'A file in base64, with or without a data URL prefix: JPEG, PNG, WebP, AVIF, GIF, MP4, MOV, 3GP, MP3, OGG, M4A, AAC, WAV, WebM, BMP, PDF, office or ZIP, at most 16 MiB decoded. Text, CSV and VCF need the prefix.',
  }),
  ...postExtras,
  fetch_link_preview: fetchLinkPreview,
  group_metadata_ids: groupsOfPost,
  is_channel_campaign: withDefault(z.boolean(), false).describe(
    'Stored and returned only: the ids determine whether posts go to channels.',
  ),
  ...newOwnData,
  tags: newTags,
};

/** Read as RFC 5545 by `src/sending/campaigns/recurrence.ts`. */
const recurrence = text(0, 10_000).meta({
  description:
    'When it runs from `start_date` and `schedule_time` on: a rule of RFC 5545, and lines of `RDATE` and `EXDATE`, in the time zone. With it `end_date` is optional.',
  examples: ['FREQ=MONTHLY;BYDAY=1MO'],
});

export const addCampaignBody = named('AddCampaign', {
  ...postFields,
  is_schedule: withDefault(
    z.literal(false, {
      error: ({ input }) =>
        input === true
          ? 'must be false here: to schedule, use /api/v1/venom/add-campaign-batch'
          : 'must be true or false',
    }),
    false,
  ),
  schedule_time: optional(text(0, 200)).meta({
    description: 'Stored and returned only, in any form: the campaign is sent now.',
    examples: ['2026-12-01 09:00:00'],
  }),
  recurrence: optional(
    text(0, 10_000).refine(
      (rule) => rule === '',
      'must not be here: to schedule, use /api/v1/venom/add-campaign-batch',
    ),
  ).describe('A 400 that names `add-campaign-batch`, unless it is empty.'),
  ignore_quiet_hours: optional(z.boolean()).describe(
    'The posts leave also in quiet hours, within the daily cap. Other posts of the account wait.',
  ),
  is_test: optional(z.boolean()).describe(
    'A test: list-runs, the overview and reports leave it out, and list-campaigns without `with_tests`.',
  ),
});

const weekdays = optional(list(z.int().min(1).max(7), 7).min(1));
const skipDates = list(date, 366);

const scheduled = z.literal(true, {
  error: ({ input }) =>
    input === false ? 'must be true here: to send now, use /api/v1/venom/add-campaign' : 'must be true',
});

export const addCampaignBatchBody = named('AddCampaignBatch', {
  ...postFields,
  is_schedule: withDefault(scheduled, true),
  start_date: date,
  end_date: optional(date).meta({
    description: 'Inclusive. Required without `recurrence`; then at most 366 days in all.',
    examples: ['2026-12-05'],
  }),
  schedule_time: timeOfDay,
  recurrence: optional(recurrence),
  time_zone: optional(timeZone).describe("An IANA time zone. Default: the user's."),
  weekdays: weekdays.meta({
    description: 'Days of the week to send on; 1 is Monday. Default: every day.',
    examples: [[1, 2, 3, 4, 5]],
  }),
  skip_dates: withDefault(skipDates, []).describe('Dates without a run.'),
});

const updateCampaignBody = named('UpdateCampaign', {
  campaign_id: campaignId,
  name: optional(postFields.name),
  desc: optional(description),
  html: optional(postFields.html),
  text: typedText,
  ...unknownTags,
  ...postFieldsBody,
  image: postFields.image.describe('A file, as in add-campaign-batch. Omitted: the file stays.'),
  remove_image: withDefault(z.boolean(), false).describe('Removes the file with its `file_name`.'),
  ...postExtras,
  fetch_link_preview: fetchLinkPreview,
  remove: withDefault(list(postExtrasNames, 20), []).describe('Optional fields of the post to remove.'),
  group_metadata_ids: groupsOfPost,
  is_channel_campaign: optional(z.boolean()),
  ...changedOwnData,
  tags: newTags.describe('Replaces all, in any state.'),
  start_date: optional(date),
  end_date: optional(date),
  schedule_time: optional(timeOfDay),
  time_zone: optional(timeZone),
  weekdays: weekdays.describe('Days of the week to send on; 1 is Monday. All seven mean every day.'),
  skip_dates: optional(skipDates).describe('Dates without a run; `[]` skips none.'),
  recurrence: optional(recurrence).describe(
    'As in add-campaign-batch, together with its end: without `end_date` it has only its own. An empty text means every day.',
  ),
});

export const campaignBody = named('OneCampaign', { campaign_id: campaignId });
/** Of operations that give posts to another account. */
export const acceptDuplicates = withDefault(z.boolean(), false).describe(
  'Also give posts to another account that may have left by one that is no longer linked (`unlinked`, `logged_out`, or removed). A group may get such a post twice.',
);
export const campaignStatusData = named('CampaignState', {
  campaign_id: campaignId,
  status: campaignStatus,
  left_unknown: count.optional(),
});
const postWarning = named('PostWarning', { code: z.string(), message: z.string(), params: issueParams.optional() });
export const warnings = z.array(postWarning);

const { on_missing_value: _, ...fieldsOfText } = postFieldsBody;
export const htmlBody = z.object({ html, text: typedText, ...unknownTags, ...fieldsOfText });
const withFile = {
  with_file: withDefault(z.boolean(), false).describe(
    'The campaign has a file that is not sent along here, so it needs no text.',
  ),
};
export const previewData = z.object({
  text: z.string(),
  length: count.describe('In UTF-16 code units, as WhatsApp counts.'),
  limit: count.describe('The maximum length.'),
  warnings,
  unfit: postWarning.optional().describe('Why the group would not get the post.'),
  language: z.string().optional().describe('Of the text for the group. Absent: it gets the main text.'),
  in_group: z.object(saidInGroup).optional().describe('With `group_metadata_id`: what else the group would get.'),
  links: z
    .array(z.string())
    .describe('The links of the text, each once and 100 at most. `link_preview` is about one of them.'),
  translations: objects({ language: z.string(), text: z.string(), length: count }).optional(),
});

const changeOf = {
  ...withFile,
  campaign_id: optional(campaignId).describe(
    'The campaign that this would change. Its current content and planned runs are disregarded.',
  ),
};
/** What else a preview fills for a group. */
const { poll, event, media, file_name, link_preview } = postExtras;
const previewedExtras = { poll, event, media, file_name, link_preview };
/** Without a schedule it is a preview of a post that is sent now. */
const previewedPlan = addCampaignBatchBody
  .pick({ end_date: true, recurrence: true, time_zone: true, weekdays: true, skip_dates: true })
  .extend({
    is_schedule: optional(z.boolean()),
    start_date: optional(date).describe(
      'As in `add-campaign-batch`, with the fields of its schedule: `date`, `weekday` and `time` are those of its first run. Default: now.',
    ),
    schedule_time: optional(timeOfDay),
  }).shape;
/** A body of either operation that adds a campaign, and more fields. `is_schedule` determines which of the two is validated. */
export const eitherCampaignBody = <Shape extends z.core.$ZodShape>(shape: Shape) =>
  z.discriminatedUnion(
    'is_schedule',
    [addCampaignBody.extend(shape), addCampaignBatchBody.extend({ is_schedule: scheduled, ...shape })],
    { error: ({ code }) => (code === 'invalid_union' ? 'must be true or false' : undefined) },
  );
const checkCampaignBody = eitherCampaignBody(changeOf);

const checkCampaignData = z.object({
  text: z.string().describe('The exact text that would be sent.'),
  warnings,
  media: z.object({ mime: z.string(), size: count }).nullable().describe('The first file.'),
  files: shownFiles.describe('The files of `media`.'),
  link_preview: z
    .object({
      url: z.string(),
      title: z.string(),
      description: z.string(),
      picture: z.object({ mime: z.string(), size: count }).nullable(),
    })
    .nullable(),
  ...ballotFieldsData,
  runs_continue: z.literal(true).optional().describe('The schedule goes on after these `runs`. Absent: it ends.'),
  runs: objects({
    due_at: instant,
    local: z.string().meta({
      description: "The same instant as wall-clock time in the campaign's time zone, with its offset.",
      examples: ['2026-12-01T09:00:00+01:00'],
    }),
  }),
  groups: z.object({
    ok: count.describe('Number of groups without a problem.'),
    problems: objects({ group_metadata_id: count, code: issueCode, issue: z.string() }),
  }),
  fields: z
    .object({
      without_value: count.describe('Groups that lack a value.'),
      unfit: count.describe('Groups whose values do not fit.'),
    })
    .optional()
    .describe('With `with_fields`. These groups are among `problems`.'),
  expected_seconds: count.describe(
    'Estimated time from when the first run is due, or from now, to its last post or pin, with what the accounts have to send already, their pace, quiet hours, caps, warm-ups and rests.',
  ),
  waits_for: z
    .object({ account_id: count, ...accountWait.shape })
    .optional()
    .describe(
      'Of a campaign to be sent now: why none of it would leave at once, and until when. With several accounts, the one that can send first. Absent: it leaves at once.',
    ),
});

const copiedPost = {
  name: z.string(),
  desc: z.string(),
  html: z.string(),
  ...postFieldsData,
  image: longText.nullable().describe('A data URL. `null` without a file, or if it is no longer kept.'),
  ...copiedExtras,
  link_preview: linkPreviewCopy,
  group_metadata_ids: z.array(count),
  is_channel_campaign: z.boolean(),
  external_id: z.string().optional().describe('Of a post that is asked for. A copy of a campaign has none.'),
  metadata: ownData.metadata,
  tags,
};

export const duplicateCampaignData = z.discriminatedUnion('is_schedule', [
  z
    .object({ ...copiedPost, is_schedule: z.literal(false), schedule_time: z.string().nullable() })
    .meta({ id: 'CampaignCopy', description: 'A body for `add-campaign`.' }),
  z
    .object({
      ...copiedPost,
      is_schedule: z.literal(true),
      start_date: z.string().meta({ format: 'date' }),
      end_date: z.string().nullable().meta({ format: 'date' }),
      schedule_time: z.string(),
      recurrence: z.string().optional().describe('Absent: every day.'),
      time_zone: z.string(),
      weekdays: z.array(count).nullable(),
      skip_dates: z.array(z.string()),
    })
    .meta({ id: 'ScheduledCampaignCopy', description: 'A body for `add-campaign-batch`.' }),
]);

/** Of all operations that look at a whole post. */
const POST_ERRORS = [
  'group_not_found',
  'group_list_not_found',
  'campaign_not_found',
  'run_not_found',
  'account_not_found',
  'media_not_found',
  'mention_cap_reached',
  'external_id_taken',
] as const;
/** Of those that store it. */
const STORING_ERRORS = [...POST_ERRORS, 'approval_required', 'media_busy', 'storage_full'] as const;
/** Of both operations that add a campaign. */
export const ADDING_ERRORS = [...STORING_ERRORS, 'campaign_limit_reached'] as const;

export const campaigns = defineOperations('Campaigns', {
  addCampaign: {
    path: '/api/v1/venom/add-campaign',
    access: 'send',
    summary: 'Send a campaign now',
    description:
      '`data.campaign_id` is the id of the new campaign. (`add-campaign-batch` returns it in a header.)\n\nAccepted means durable: once the service has answered, no crash loses any of the deliveries.',
    body: addCampaignBody,
    data: z.object({
      campaign_id: campaignId,
      status: z.literal('running'),
      group_count: count,
      scheduled_for: z.null(),
    }),
    errors: ADDING_ERRORS,
    idempotency: 'keyed',
    bodyLimitBytes: POST_LIMIT_BYTES,
    requiresDiskSpace: true,
  },
  addCampaignBatch: {
    path: '/api/v1/venom/add-campaign-batch',
    access: 'send',
    summary: 'Schedule a campaign',
    description:
      'The id of the new campaign is in the header `x-campaign-id` of the answer, since the specification fixes the body. If the answer was lost, `get-campaign` finds the campaign by its `Idempotency-Key`.\n\nOne run takes place on each date of the range, at the wall-clock time in the time zone. Past occurrences are skipped.',
    body: addCampaignBatchBody,
    data: z.object({ data: z.literal(true) }),
    errors: ADDING_ERRORS,
    answerHeaders: {
      'x-campaign-id': 'The id of the new campaign, a UUID.',
      'x-campanile-time-zone': 'The time zone that `schedule_time` was read in.',
    },
    idempotency: 'keyed',
    bodyLimitBytes: POST_LIMIT_BYTES,
    requiresDiskSpace: true,
  },
  previewCampaign: {
    path: '/api/v1/venom/preview-campaign',
    access: 'read',
    summary: 'Preview the text of a message',
    description: 'Returns the exact text that would be sent.',
    body: htmlBody.extend(withFile).extend({
      group_metadata_id: optional(z.int()).describe('What this group would get, in its language and with its values.'),
      ...previewedExtras,
      ...previewedPlan,
    }),
    data: previewData,
    errors: ['group_not_found'],
    bodyLimitBytes: HTML_LIMIT_BYTES,
    isPreview: true,
  },
  checkCampaign: {
    path: '/api/v1/venom/check-campaign',
    access: 'read',
    summary: 'Check a campaign without creating it',
    description:
      'Takes the body of either operation that adds a campaign, and rejects what they reject. A problem of a group, such as one where only admins may post or that lacks a value, is reported and does not prevent adding the campaign.',
    body: checkCampaignBody,
    data: checkCampaignData,
    errors: POST_ERRORS,
    bodyLimitBytes: POST_LIMIT_BYTES,
    isPreview: true,
    longAnswer: 'pieces',
  },
  duplicateCampaign: {
    path: '/api/v1/venom/duplicate-campaign',
    access: 'read',
    summary: 'Get a copy of a campaign to send again',
    description:
      'Sends nothing: `data` is a body for `add-campaign`, or for `add-campaign-batch` if `is_schedule` is `true`. The dates of a schedule that is over are moved ahead by whole weeks.',
    body: campaignBody,
    data: duplicateCampaignData,
    errors: ['campaign_not_found'],
    longAnswer: 'pieces',
  },
  updateCampaign: {
    path: '/api/v1/venom/update-campaign',
    access: 'send',
    summary: 'Update a scheduled campaign',
    description:
      'Fields that are omitted or `null` keep their values. Runs that have begun do not change. A new schedule replaces the planned runs; a date that has had its run gets no second one.',
    body: updateCampaignBody,
    data: campaignStatusData,
    errors: [...STORING_ERRORS, 'campaign_wrong_state'],
    bodyLimitBytes: POST_LIMIT_BYTES,
    requiresDiskSpace: true,
  },
});

/** True for a date that the calendar has; years are four digits. */
function isDate(value: string): boolean {
  const [, year, month, day] = DATE.exec(value) ?? [];
  if (year === undefined || Number(year) < 1) return false;
  const parsed = new Date(0);
  parsed.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return parsed.getUTCMonth() === Number(month) - 1 && parsed.getUTCDate() === Number(day);
}
