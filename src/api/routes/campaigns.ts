import type { z } from 'zod';
import type { UnknownTags } from '../../content/text/html-to-whatsapp.ts';
import type { AcceptDeps } from '../../sending/campaigns/accept/accept-campaign.ts';
import { addCampaign } from '../../sending/campaigns/accept/add-campaign.ts';
import { addScheduledCampaign, findScheduleProblems } from '../../sending/campaigns/accept/add-scheduled-campaign.ts';
import { checkCampaign, type CampaignDraft, type CheckDeps } from '../../sending/campaigns/accept/check-campaign.ts';
import { duplicateCampaign, type CampaignCopy } from '../../sending/campaigns/accept/duplicate-campaign.ts';
import { findPostProblems } from '../../sending/campaigns/accept/prepare-post.ts';
import { previewCampaign } from '../../sending/campaigns/accept/preview-campaign.ts';
import { updateCampaign } from '../../sending/campaigns/change/update-campaign.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import type { addCampaignBatchBody, addCampaignBody, campaigns } from '../contract/campaigns.ts';
import { LongText } from '../contract/long-text.ts';
import { toWireBallot } from './ballot-fields.ts';
import type { Handlers } from '../operation.ts';
import type { FieldError } from '../../platform/errors/issues.ts';
import { requireFetching, toCardRequest, type CardBody } from './link-preview.ts';
import { toShownFiles } from './post-files.ts';
import { toCopiedExtras, toExtras, toRemovedExtras, type PostExtrasBody } from './post-extras.ts';

export type CampaignDeps = AcceptDeps & CheckDeps & { timeZone: string };

export const campaignHandlers: Handlers<typeof campaigns, CampaignDeps> = {
  addCampaign: {
    validateSemantics: findProblemsOfPost,
    async handle(deps, { body, actor, idempotencyKey, warn }) {
      const post = { ...toPost(body), ...toSendNow(body) };
      const accepted = await addCampaign(deps, actor, post, idempotencyKey);
      warn(accepted.warnings);
      return {
        campaign_id: accepted.campaignId,
        status: 'running',
        group_count: accepted.groupCount,
        scheduled_for: null,
      };
    },
  },

  addCampaignBatch: {
    validateSemantics: findProblemsOfPost,
    async handle(deps, { body, actor, idempotencyKey, setHeader, warn }) {
      const post = { ...toPost(body), ...toSchedule(body) };
      const { campaignId, warnings, timeZone } = await addScheduledCampaign(deps, actor, post, idempotencyKey);
      setHeader('x-campaign-id', campaignId);
      if (timeZone) setHeader('x-campanile-time-zone', timeZone);
      warn(warnings);
      return { data: true };
    },
  },

  previewCampaign: (deps, { body }) =>
    previewCampaign(deps, {
      html: body.html,
      withFile: body.with_file,
      unknownTags: body.on_unknown_tags,
    }),

  checkCampaign: {
    validateSemantics: findProblemsOfPost,
    async handle(deps, { body, actor, caller, warnings }) {
      requireFetching(body, caller);
      const draft = toCampaignDraft(body);
      draft.post.withFile = body.with_file;
      const found = await checkCampaign(deps, actor, draft, body.campaign_id);
      return {
        text: found.text,
        warnings: [...found.warnings, ...warnings.map((message) => ({ code: 'means_nothing', message }))],
        media: found.media,
        files: toShownFiles(found.files),
        link_preview: found.card,
        ...toWireBallot(found.ballot),
        runs: found.runs.map(({ dueAt, local }) => ({ due_at: dueAt.toISOString(), local })),
        groups: {
          ok: found.groups.ok,
          problems: found.groups.problems.map(({ groupId, code, issue }) => ({
            group_metadata_id: groupId,
            code,
            issue,
          })),
        },
        expected_seconds: found.expectedSeconds,
      };
    },
  },

  async duplicateCampaign(deps, { body, actor }) {
    return toWireCopy(await duplicateCampaign(deps, actor, body.campaign_id));
  },

  updateCampaign: {
    validateSemantics: findProblemsOfPost,
    async handle(deps, { body, actor, warn }) {
      const { campaignId, status, warnings } = await updateCampaign(deps, actor, body.campaign_id, {
        name: body.name,
        description: body.desc,
        html: body.html,
        unknownTags: body.on_unknown_tags,
        image: body.image,
        removeImage: body.remove_image,
        extras: toExtras(body),
        removedExtras: toRemovedExtras(body),
        cardRequest: toCardRequest(body),
        groupIds: body.group_metadata_ids,
        isChannelCampaign: body.is_channel_campaign,
        startDate: body.start_date,
        endDate: body.end_date,
        time: body.schedule_time,
        timeZone: body.time_zone,
        weekdays: body.weekdays,
        skipDates: body.skip_dates,
      });
      warn(warnings);
      return { campaign_id: campaignId, status };
    },
  },
};

type SendNowBody = z.output<typeof addCampaignBody>;
type ScheduledBody = z.output<typeof addCampaignBatchBody>;

/** The fields that are checked, of whichever body is about a post. */
interface PostFields extends PostExtrasBody, CardBody {
  campaign_id?: string | undefined;
  html?: string | undefined;
  on_unknown_tags?: UnknownTags | undefined;
  image?: string | undefined;
  with_file?: boolean | undefined;
  is_schedule?: boolean | undefined;
  start_date?: string | undefined;
  end_date?: string | undefined;
  schedule_time?: string | undefined;
  time_zone?: string | undefined;
  weekdays?: number[] | undefined;
  skip_dates?: string[] | undefined;
}

/** Returns all problems of the post in a body, as far as its fields have the right types. */
export async function findProblemsOfPost(
  deps: CampaignDeps,
  fields: PostFields,
  { userId }: Actor,
): Promise<FieldError[]> {
  const { html, image, start_date: startDate, end_date: endDate, weekdays = null, skip_dates: skipDates = [] } = fields;
  // What a change leaves of a schedule is not known by its dates alone.
  const time = fields.is_schedule === true && fields.campaign_id === undefined ? fields.schedule_time : undefined;
  const isDated = startDate !== undefined && endDate !== undefined;
  const schedule = isDated && { startDate, endDate, time, timeZone: fields.time_zone, weekdays, skipDates };
  const known = schedule ? await findScheduleProblems(deps, userId, schedule) : [];
  // A change may keep the file of its campaign.
  const withFile = fields.with_file ?? fields.campaign_id !== undefined;
  return findPostProblems(
    deps,
    {
      html,
      image,
      withFile,
      unknownTags: fields.on_unknown_tags,
      extras: toExtras(fields),
      cardRequest: toCardRequest(fields),
    },
    known,
  );
}

/** Returns the campaign of a body of either operation that adds one. */
export function toCampaignDraft(body: SendNowBody | ScheduledBody): CampaignDraft {
  return body.is_schedule
    ? { when: 'scheduled', post: { ...toPost(body), ...toSchedule(body) } }
    : { when: 'now', post: { ...toPost(body), ...toSendNow(body) } };
}

function toPost(body: SendNowBody | ScheduledBody) {
  return {
    name: body.name,
    description: body.desc,
    html: body.html,
    unknownTags: body.on_unknown_tags,
    image: body.image ?? null,
    extras: toExtras(body),
    cardRequest: toCardRequest(body),
    groupIds: body.group_metadata_ids,
    isChannelCampaign: body.is_channel_campaign,
  };
}

function toSendNow(body: SendNowBody) {
  return { scheduleTime: body.schedule_time ?? null, isTest: body.is_test ?? false };
}

function toSchedule(body: ScheduledBody) {
  return {
    startDate: body.start_date,
    endDate: body.end_date,
    time: body.schedule_time,
    timeZone: body.time_zone ?? null,
    weekdays: body.weekdays ?? null,
    skipDates: body.skip_dates,
  };
}

export function toWireCopy({ schedule, ...copy }: CampaignCopy) {
  const post = {
    name: copy.name,
    desc: copy.description,
    html: copy.html,
    image: copy.image && new LongText(copy.image),
    ...toCopiedExtras(copy.extras),
    link_preview: copy.card,
    group_metadata_ids: copy.groupIds,
    is_channel_campaign: copy.isChannelCampaign,
  };
  if (schedule === null) return { ...post, is_schedule: false as const, schedule_time: copy.scheduleTime };
  return {
    ...post,
    is_schedule: true as const,
    start_date: schedule.startDate,
    end_date: schedule.endDate,
    schedule_time: schedule.time,
    time_zone: schedule.timeZone,
    weekdays: schedule.weekdays === null ? null : [...schedule.weekdays],
    skip_dates: [...schedule.skipDates],
  };
}
