/** The wire of the campaign operations (specification, contract §3 and §4). */
import { z } from 'zod';
import { groupMetadataIds, HTML_LIMIT, optional, text, timeZone, withDefault } from './fields.ts';

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;

const date = z
  .string()
  .refine(isDate, { error: 'must be a date of the form YYYY-MM-DD' })
  .meta({ format: 'date', examples: ['2026-12-01'] });
const timeOfDay = z
  .string()
  .regex(TIME, { error: 'must be a time of day of the form HH:MM:SS' })
  .meta({ examples: ['09:00:00'] });
const campaignId = z.guid().meta({ format: 'uuid', examples: ['5f0c2c5e-0f3c-4d6b-9a55-6c1d1c3a7f10'] });
const instant = z.string().meta({ format: 'date-time', description: 'ISO 8601, in UTC.' });
const count = z.number().int();

export const campaignStatus = z
  .enum(['scheduled', 'running', 'paused', 'completed', 'completed_with_errors', 'cancelled'])
  .meta({ id: 'CampaignStatus' });
export const runStatus = z
  .enum(['planned', 'running', 'completed', 'completed_with_errors', 'missed', 'cancelled'])
  .meta({ id: 'RunStatus' });

const description = text(0, 2_000);
const postFields = {
  name: text(1, 200).meta({ description: 'The campaign name.', examples: ['Spring fair'] }),
  desc: withDefault(description, '').meta({ description: 'A description, for yourself.' }),
  html: text(0, HTML_LIMIT).meta({
    description: 'The message. Tags: h1–h6, i, em, b, strong, p, br, a, ul, ol, li, span.',
    examples: ['<h2>Spring fair</h2><p>We open at <b>nine</b>. <a href="https://example.org/fair">Programme</a></p>'],
  }),
  image: optional(z.string().min(1, { error: 'must not be empty: leave it out or send null' })).meta({
    description:
      'A file in base64, with or without a data URL head: JPEG, PNG, WebP, GIF, MP4, 3GP, MP3, OGG, M4A, PDF, office or ZIP; 16 MiB decoded at most.',
  }),
  group_metadata_ids: groupMetadataIds,
  is_channel_campaign: withDefault(z.boolean(), false),
};

export const addCampaignBody = z
  .object({
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
    schedule_time: optional(
      z.string().refine((value) => value === '' || TIME.test(value) || isDateTime(value), {
        error: 'must be of the form YYYY-MM-DD HH:MM:SS or HH:MM:SS',
      }),
    ).meta({ description: 'Kept, delays nothing.', examples: ['2026-12-01 09:00:00'] }),
  })
  .meta({ id: 'AddCampaign' });

export const addCampaignData = z.object({
  campaign_id: campaignId,
  status: z.literal('running'),
  group_count: count,
  scheduled_for: z.null(),
});

const weekdays = optional(z.array(z.int().min(1).max(7)).min(1).max(7));
const skipDates = z.array(date).max(366);

export const addCampaignBatchBody = z
  .object({
    ...postFields,
    is_schedule: z.literal(true, { error: (issue) => (issue.input === undefined ? 'is required' : 'must be true') }),
    start_date: date,
    end_date: date.meta({ description: 'Inclusive; 366 days at most.', examples: ['2026-12-05'] }),
    schedule_time: timeOfDay,
    time_zone: optional(timeZone).meta({ description: "An IANA time zone; the user's unless given." }),
    weekdays: weekdays.meta({
      description: 'Days of the week to send on; 1 is Monday. Every day unless given.',
      examples: [[1, 2, 3, 4, 5]],
    }),
    skip_dates: withDefault(skipDates, []).meta({ description: 'Dates to leave out.' }),
  })
  .meta({ id: 'AddCampaignBatch' });

export const addCampaignBatchData = z.object({ data: z.literal(true) });

export const updateCampaignBody = z
  .object({
    campaign_id: campaignId,
    name: optional(postFields.name),
    desc: optional(description),
    html: optional(postFields.html),
    image: postFields.image.meta({ description: 'As in add-campaign-batch; stays as it is unless given.' }),
    remove_image: withDefault(z.boolean(), false).meta({ description: 'Sends without a file from now on.' }),
    group_metadata_ids: optional(postFields.group_metadata_ids),
    is_channel_campaign: optional(z.boolean()),
    start_date: optional(date),
    end_date: optional(date),
    schedule_time: optional(timeOfDay),
    time_zone: optional(timeZone),
    weekdays: weekdays.meta({ description: 'Days of the week to send on; 1 is Monday, all seven are every day.' }),
    skip_dates: optional(skipDates).meta({ description: 'Dates to leave out; `[]` leaves out none.' }),
  })
  .meta({ id: 'UpdateCampaign' });

export const campaignBody = z.object({ campaign_id: campaignId });
export const controlledData = z.object({ campaign_id: campaignId, status: campaignStatus });

export const previewBody = z.object({ html: postFields.html });
export const previewData = z.object({
  text: z.string(),
  length: count.meta({ description: 'In UTF-16 code units, as WhatsApp counts.' }),
  limit: count,
  warnings: z.array(z.object({ code: z.string(), message: z.string() })),
});

export const listCampaignsBody = z.object({
  status: optional(campaignStatus),
  search: optional(text(0, 200)).meta({ description: 'Part of the name, in any case.' }),
  created_from: optional(date).meta({ description: 'Only those accepted on this day or later, in your time zone.' }),
  created_to: optional(date).meta({ description: 'Only those accepted on this day or before.' }),
  sort_by: optional(z.enum(['created_at', 'name', 'next_run_at'])).meta({
    description: 'Newest first unless given. Those without a next run come last in either order.',
  }),
  descending: withDefault(z.boolean(), false).meta({ description: 'With `sort_by`: the other way round.' }),
  with_totals: withDefault(z.boolean(), false).meta({ description: 'Answers `totals` of all that are found, too.' }),
  limit: withDefault(z.int().min(1).max(200), 50),
  with_reads: withDefault(z.boolean(), false).meta({
    description: 'Also how many people a campaign reached, how many read it, and which part of all who could that is.',
  }),
  with_post: withDefault(z.boolean(), false).meta({
    description: 'Also to how many groups a campaign goes, and which kind of file it has.',
  }),
  cursor: optional(text(1, 200)).meta({
    description: '`next_cursor` of the page before, which was asked for in the same way.',
  }),
});
export const listCampaignsData = z.object({
  campaigns: z.array(
    z.object({
      campaign_id: campaignId,
      name: z.string(),
      status: campaignStatus,
      is_schedule: z.boolean(),
      created_at: instant,
      next_run_at: instant.nullable(),
      group_count: count.optional().meta({ description: 'Only `with_post`.' }),
      media_mime: z.string().nullable().optional().meta({ description: 'Only `with_post`; null: it has no file.' }),
      progress: z.object({
        deliveries: count,
        sent: count,
        failed: count,
        delivered: count.optional().meta({ description: 'Only `with_reads`. Of channels nothing is told.' }),
        read: count.optional().meta({ description: 'Only `with_reads`.' }),
        read_rate: z.number().nullable().optional().meta({
          description: 'Only `with_reads`: as in the totals of its analytics. null: there is nothing to divide by.',
        }),
      }),
    }),
  ),
  totals: z
    .object({ campaigns: count })
    .optional()
    .meta({ description: 'Only `with_totals`: of all that are found, on whatever page.' }),
  next_cursor: z.string().nullable(),
});

export const run = z
  .object({
    run_id: count,
    due_at: instant,
    started_at: instant.nullable(),
    finished_at: instant.nullable(),
    status: runStatus,
    queued: count,
    sent: count,
    failed: count,
    cancelled: count,
  })
  .meta({ id: 'Run' });

export const campaignHead = {
  campaign_id: campaignId,
  name: z.string(),
  desc: z.string(),
  status: campaignStatus,
  is_channel_campaign: z.boolean(),
  is_schedule: z.boolean(),
  start_date: z.string().nullable(),
  end_date: z.string().nullable(),
  schedule_time: z.string().nullable(),
  time_zone: z.string().nullable(),
  created_at: instant,
  finished_at: instant.nullable(),
  folded_at: instant.optional().meta({
    description: 'There once it ended so long ago that its single posts were folded into sums: what it came to stays.',
  }),
};

export const getCampaignData = z.object({
  ...campaignHead,
  weekdays: z.array(count).nullable(),
  skip_dates: z.array(z.string()),
  html: z.string(),
  text: z.string(),
  media: z.object({ mime: z.string(), size: count, sha256: z.string() }).nullable(),
  group_metadata_ids: z.array(count),
  runs: z.array(run),
});

/** True for a date that the calendar has; years are four digits. */
function isDate(value: string): boolean {
  const [, year, month, day] = DATE.exec(value) ?? [];
  if (year === undefined || Number(year) < 1) return false;
  const parsed = new Date(0);
  parsed.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return parsed.getUTCMonth() === Number(month) - 1 && parsed.getUTCDate() === Number(day);
}

function isDateTime(value: string): boolean {
  return value.length === 19 && value[10] === ' ' && isDate(value.slice(0, 10)) && TIME.test(value.slice(11));
}
