/** What the bodies that add a campaign come to, for all operations that take one. */
import type { z } from 'zod';
import type { addCampaignBatchBody, addCampaignBody } from '../../contract/campaigns.ts';

/** A file of 16 MiB in base64, 262,144 characters of html in the longest escapes JSON has, and the rest. */
export const POST_LIMIT_BYTES = 26 * 1024 * 1024;
/** The html and the rest. */
export const HTML_LIMIT_BYTES = 2 * 1024 * 1024;

type SendNowBody = z.output<typeof addCampaignBody>;
type ScheduledBody = z.output<typeof addCampaignBatchBody>;

export function toPost(body: SendNowBody | ScheduledBody) {
  return {
    name: body.name,
    description: body.desc,
    html: body.html,
    image: body.image ?? null,
    groupIds: body.group_metadata_ids,
    isChannelCampaign: body.is_channel_campaign,
  };
}

export function toSendNow(body: SendNowBody) {
  return { scheduleTime: body.schedule_time ?? null };
}

export function toSchedule(body: ScheduledBody) {
  return {
    startDate: body.start_date,
    endDate: body.end_date,
    time: body.schedule_time,
    timeZone: body.time_zone ?? null,
    weekdays: body.weekdays ?? null,
    skipDates: body.skip_dates,
  };
}
