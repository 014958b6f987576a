import type { z } from 'zod';
import type { AcceptDeps } from '../../sending/campaigns/accept/accept-campaign.ts';
import { addCampaign } from '../../sending/campaigns/accept/add-campaign.ts';
import { addScheduledCampaign, findScheduleProblems } from '../../sending/campaigns/accept/add-scheduled-campaign.ts';
import { checkCampaign, type CampaignDraft, type CheckDeps } from '../../sending/campaigns/accept/check-campaign.ts';
import { duplicateCampaign, type CampaignCopy } from '../../sending/campaigns/accept/duplicate-campaign.ts';
import { findMissingGroups, findPostProblems } from '../../sending/campaigns/accept/prepare-post.ts';
import { previewCampaign } from '../../sending/campaigns/accept/preview-campaign.ts';
import { updateCampaign } from '../../sending/campaigns/change/update-campaign.ts';
import type { PostChoices } from '../../content/post/fill-post.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import type { addCampaignBatchBody, addCampaignBody, campaigns } from '../contract/campaigns.ts';
import { LongText } from '../contract/long-text.ts';
import { describeBallot } from './ballot-fields.ts';
import type { Handlers } from '../operation.ts';
import type { FromWire } from '../wire.ts';
import { fieldError, type FieldError } from '../../platform/errors/errors.ts';
import { requireFetching, toCardRequest, type CardBody } from './link-preview.ts';
import { describeFiles } from './post-files.ts';
import { copyExtras, describeSaid, toExtras, toRemovedExtras, type PostExtrasBody } from './post-extras.ts';

export type CampaignDeps = AcceptDeps & CheckDeps & { timeZone: string };

export const campaignHandlers: Handlers<typeof campaigns, CampaignDeps> = {
  addCampaign: {
    validateSemantics: findProblemsOfPost,
    async handle(deps, { body, actor, idempotencyKey, warn }) {
      const post = { ...toPost(body), ...toSendNow(body) };
      const { campaignId, groupCount, warnings } = await addCampaign(deps, actor, post, idempotencyKey);
      warn(warnings);
      return { campaignId, status: 'running', groupCount, scheduledFor: null };
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

  async previewCampaign(deps, { body, actor }) {
    const { onUnknownTags: unknownTags, groupMetadataId: groupId } = body;
    const { schedule, problems: known } = toPreviewedSchedule(body);
    // Its picture is not looked at.
    const card = toCardRequest(body)?.card;
    const cardRequest = card && { card: { ...card, image: null }, isFetched: false };
    const post = { ...body, unknownTags, groupId, extras: toExtras(body), cardRequest, schedule, known };
    const { said, ...preview } = await previewCampaign(deps, actor, post);
    return { ...preview, inGroup: said && describeSaid(said) };
  },

  checkCampaign: {
    validateSemantics: findProblemsOfPost,
    async handle(deps, { body, actor, caller, warnings }) {
      requireFetching(body, caller);
      const draft = toCampaignDraft(body);
      draft.post.withFile = body.withFile;
      const found = await checkCampaign(deps, actor, draft, body.campaignId);
      const { problems } = found.groups;
      return {
        ...found,
        runsContinue: found.isContinued || null,
        warnings: [...found.warnings, ...warnings.map((message) => ({ code: 'means_nothing', message }))],
        files: describeFiles(found.files),
        linkPreview: found.card,
        ...describeBallot(found.ballot),
        groups: {
          ok: found.groups.ok,
          problems: problems.map((problem) => ({ ...problem, groupMetadataId: problem.groupId })),
        },
        waitsFor: found.wait,
      };
    },
  },

  duplicateCampaign: async (deps, { body, actor }) =>
    describeCopy(await duplicateCampaign(deps, actor, body.campaignId)),

  updateCampaign: {
    validateSemantics: findProblemsOfPost,
    async handle(deps, { body, actor, warn }) {
      // Every field that is sent counts as a change.
      const { warnings, ...updated } = await updateCampaign(deps, actor, body.campaignId, {
        name: body.name,
        description: body.desc,
        html: body.html,
        unknownTags: body.onUnknownTags,
        withFields: body.withFields,
        translations: body.translations,
        leavesOut: toLeavesOut(body.onMissingValue),
        image: body.image,
        removeImage: body.removeImage,
        extras: toExtras(body),
        removedExtras: toRemovedExtras(body),
        cardRequest: toCardRequest(body),
        groupIds: body.groupMetadataIds,
        isChannelCampaign: body.isChannelCampaign,
        externalId: body.externalId,
        metadata: body.metadata,
        tags: body.tags,
        startDate: body.startDate,
        endDate: body.endDate,
        time: body.scheduleTime,
        timeZone: body.timeZone,
        weekdays: body.weekdays,
        skipDates: body.skipDates,
        recurrence: body.recurrence,
      });
      warn(warnings);
      return updated;
    },
  },
};

type SendNowBody = FromWire<z.output<typeof addCampaignBody>>;
type ScheduledBody = FromWire<z.output<typeof addCampaignBatchBody>>;

/** The fields that are checked, of whichever body is about a post. */
type PostFields = PostExtrasBody & CardBody & CheckedFields;
type CheckedFields = {
  [Name in Exclude<keyof ScheduledBody, 'isSchedule' | keyof (PostExtrasBody & CardBody)>]?:
    | ScheduledBody[Name]
    | undefined;
} & { campaignId?: string | undefined; withFile?: boolean | undefined; isSchedule?: boolean | undefined };

/** Returns all problems of the post in a body, as far as its fields have the right types. */
export async function findProblemsOfPost(
  deps: CampaignDeps,
  fields: PostFields,
  { userId }: Actor,
): Promise<FieldError[]> {
  const { html, image, campaignId, startDate, endDate = null, timeZone, weekdays = null, skipDates = [] } = fields;
  const recurrence = fields.recurrence || null;
  // What a change leaves of a schedule is not known by its dates alone.
  const time = fields.isSchedule === true && campaignId === undefined ? fields.scheduleTime : undefined;
  const isDated = startDate !== undefined && (endDate !== null || recurrence !== null || time !== undefined);
  const schedule = isDated && { startDate, endDate, time, timeZone, weekdays, skipDates, recurrence };
  const found = schedule ? await findScheduleProblems(deps, userId, schedule) : [];
  // A campaign that is changed may have a recurrence, which may be longer.
  const known = campaignId === undefined ? [...found] : found.filter(({ code }) => code !== 'too_many_days');
  // A change may keep the file of its campaign.
  const withFile = fields.withFile ?? campaignId !== undefined;
  const extras = toExtras(fields);
  const cardRequest = toCardRequest(fields);
  const { onUnknownTags: unknownTags, withFields, translations } = fields;
  if (fields.isSchedule !== undefined) known.push(...findMissingGroups(fields.groupMetadataIds, extras));
  const post = { html, image, withFile, unknownTags, withFields, translations, extras, cardRequest };
  return findPostProblems(deps, post, known);
}

/** Returns the campaign of a body of either operation that adds one. */
export function toCampaignDraft(body: SendNowBody | ScheduledBody): CampaignDraft {
  return body.isSchedule
    ? { when: 'scheduled', post: { ...toPost(body), ...toSchedule(body) } }
    : { when: 'now', post: { ...toPost(body), ...toSendNow(body) } };
}

export function toPost(body: SendNowBody | ScheduledBody) {
  const { name, desc: description, html, onUnknownTags: unknownTags, image = null, isChannelCampaign } = body;
  const { externalId, metadata, tags, withFields, translations } = body;
  const fields = { withFields, translations, leavesOut: toLeavesOut(body.onMissingValue) };
  const extras = toExtras(body);
  const cardRequest = toCardRequest(body);
  const groupIds = body.groupMetadataIds;
  const own = { isChannelCampaign, externalId, metadata, tags };
  return { name, description, html, unknownTags, ...fields, image, extras, cardRequest, groupIds, ...own };
}

function toSendNow(body: SendNowBody) {
  const { scheduleTime = null, isTest = false, ignoreQuietHours = false } = body;
  return { scheduleTime, isTest, ignoresQuietHours: ignoreQuietHours };
}

type ScheduleFields = 'startDate' | 'endDate' | 'scheduleTime' | 'timeZone' | 'weekdays' | 'skipDates' | 'recurrence';

export function toSchedule(body: Pick<ScheduledBody, ScheduleFields>) {
  const { startDate, endDate = null, scheduleTime: time, timeZone = null, weekdays = null, skipDates } = body;
  return { startDate, endDate, time, timeZone, weekdays, skipDates, recurrence: body.recurrence || null };
}

/** Returns the schedule of a preview for a group, and what is missing of it. Undefined: it is sent now. */
function toPreviewedSchedule(body: FromWire<z.output<(typeof campaigns)['previewCampaign']['body']>>) {
  const { startDate, scheduleTime, endDate, recurrence, withFields, groupMetadataId: groupId } = body;
  const end = endDate ?? (recurrence || undefined);
  const given = Object.entries({ start_date: startDate, schedule_time: scheduleTime, end_date: end });
  const isPlanned = body.isSchedule ?? given.some(([, value]) => value !== undefined);
  if (!isPlanned || !withFields || groupId === undefined) return { schedule: undefined, problems: [] };
  const missing = given.filter(([, value]) => value === undefined);
  return {
    schedule: toSchedule({ ...body, startDate: startDate ?? '', scheduleTime: scheduleTime ?? '' }),
    problems: missing.map(([field]) => fieldError(field, 'required')),
  };
}

/** Undefined: nothing is said of it. */
export const toLeavesOut = (onMissingValue: 'reject' | 'leave_out' | undefined): boolean | undefined =>
  onMissingValue && onMissingValue === 'leave_out';

/** Returns the fields and the languages of a post as answers have them. */
export const describeFields = ({ withFields, leavesOut, translations }: PostChoices) => ({
  translations: translations.length > 0 ? translations : undefined,
  withFields: withFields || undefined,
  onMissingValue: leavesOut ? ('leave_out' as const) : undefined,
});

/** Returns a campaign as a body that adds one has it. */
export function describeCopy({ schedule, ...copy }: CampaignCopy) {
  const post = {
    ...copy,
    desc: copy.description,
    ...describeFields(copy),
    image: copy.image && new LongText(copy.image),
    ...copyExtras(copy.extras),
    linkPreview: copy.card,
    tags: [...copy.tags],
    groupMetadataIds: [...(copy.extras.groupLists?.groupIds ?? copy.groupIds)],
  };
  if (schedule === null) return { ...post, isSchedule: false as const };
  return { ...post, isSchedule: true as const, ...schedule, scheduleTime: schedule.time };
}
