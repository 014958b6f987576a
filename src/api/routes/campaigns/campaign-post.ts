/** What the bodies that add a campaign come to, for all operations that take one. */
import type { z } from 'zod';
import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import { findScheduleProblems } from '../../../sending/campaigns/accept/add-scheduled-campaign.ts';
import { findPostProblems } from '../../../sending/campaigns/accept/prepare-post.ts';
import type { Database } from '../../../platform/database/connect.ts';
import type { FieldError } from '../../../platform/errors/errors.ts';
import type { Convert } from '../../../content/text/convert-in-worker.ts';
import type { addCampaignBatchBody, addCampaignBody } from '../../contract/campaigns.ts';

/** A file of 16 MiB in base64, 262,144 characters of html in the longest escapes JSON has, and the rest. */
export const POST_LIMIT_BYTES = 26 * 1024 * 1024;
/** The html and the rest. */
export const HTML_LIMIT_BYTES = 2 * 1024 * 1024;

/** For a body that is refused: what is wrong with the content of the fields that are right by themselves. */
export function findProblemsOfPost(deps: { db: Database; timeZone: string; convert: Convert }) {
  return async (fields: PostFields, { userId }: Actor): Promise<FieldError[]> => {
    const {
      html,
      image,
      start_date: startDate,
      end_date: endDate,
      weekdays = null,
      skip_dates: skipDates = [],
    } = fields;
    // What a change leaves of a schedule is not known by its dates alone.
    const time = fields.is_schedule && fields.campaign_id === undefined ? fields.schedule_time : undefined;
    const isDated = startDate !== undefined && endDate !== undefined;
    const schedule = isDated && { startDate, endDate, time, timeZone: fields.time_zone, weekdays, skipDates };
    const known = schedule ? await findScheduleProblems(deps, userId, schedule) : [];
    return findPostProblems(deps, userId, { html, image }, known);
  };
}

/** What of a body is looked at, whichever of those that are about a post it is. */
interface PostFields {
  campaign_id?: string | undefined;
  html?: string | undefined;
  image?: string | undefined;
  is_schedule?: boolean | undefined;
  start_date?: string | undefined;
  end_date?: string | undefined;
  schedule_time?: string | undefined;
  time_zone?: string | undefined;
  weekdays?: number[] | undefined;
  skip_dates?: string[] | undefined;
}

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
