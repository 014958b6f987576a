import { isDeepStrictEqual } from 'node:util';
import { lockOwnLedger } from '../../accounts/store.ts';
import { recordAudit, type Actor } from '../../../workspaces/audit/record-audit.ts';
import { execute, hasRow, readValue, type Connection } from '../../../platform/database/statements.ts';
import { notifyAfterCommit } from '../../../platform/database/notify-after-commit.ts';
import { AppError, invalid, fieldError } from '../../../platform/errors/errors.ts';
import { TZDATA_VERSION } from '../../../platform/time/tzdata-version.ts';
import type { AcceptDeps } from '../accept/accept-campaign.ts';
import { saveMedia } from '../../../content/media/store.ts';
import { listLosses } from '../../../content/text/warnings.ts';
import { QUOTAS } from '../../../workspaces/quotas/quotas.ts';
import { planOccurrences } from '../accept/add-scheduled-campaign.ts';
import type { Controlled } from './control.ts';
import { missRuns } from '../begin/expire-runs.ts';
import type { Schedule } from '../occurrences.ts';
import { moveExcluded } from '../recurrence.ts';
import { findBallotProblems, isBallot, requireCountedGroups } from '../accept/ballot-problems.ts';
import { dropLostCard, saveCard } from '../accept/prepare-card.ts';
import { requireTranslations } from '../accept/prepare-translations.ts';
import { findMissingGroups, NO_FILE, NO_TEXT, prepareChange, type PostInput } from '../accept/prepare-post.ts';
import { countBound, requireLists, resolveLists, warnOfEmptyLists } from '../accept/resolve-lists.ts';
import { dropRemoved, requireMentionsLeft, requireReach } from '../accept/require-reach.ts';
import { requireNoApproval } from '../../../workspaces/approval/approval-rules.ts';
import { replanRuns } from './replan-runs.ts';
import { choicesOf } from '../../../content/post/fill-post.ts';
import { showTranslations } from '../../../content/post/translations.ts';
import {
  hasFileIn,
  EXTRAS_FIELDS,
  EXTRAS_NAMES,
  NO_EXTRAS,
  type PostExtras,
} from '../../../content/post/post-extras.ts';
import { requireFiles } from '../../../content/post/post-files.ts';
import { requireGroups } from '../../groups/require-groups.ts';
import { findOwnCampaign, readContent, scheduleOf, writeContent, type Content, type OwnCampaign } from '../store.ts';
import { readNow } from '../../../platform/database/read-now.ts';
import { runTransaction } from '../../../platform/database/run-transaction.ts';
import { diffValues, type Values } from '../../../workspaces/audit/diff-values.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';
import { changeOwnData } from '../../accounts/own-data.ts';
import { writeTags } from '../tags.ts';
import { bindFields, type FieldsInPost } from '../../values/bind-fields.ts';
import { requireFit } from '../../values/check-values.ts';
import { diffGroups } from '../../groups/diff-groups.ts';

type PostChange = { [Name in keyof Omit<PostInput, 'image' | 'isTest' | 'withFile'>]?: PostInput[Name] | undefined };

/**
 * What a campaign is to become; what is undefined stays as it is. Translations are required with another html of a post that has some. Each
 * of the extras replaces the one of that name.
 */
export interface CampaignChange extends PostChange {
  image?: string | undefined;
  removeImage?: boolean;
  removedExtras?: ReadonlyArray<keyof PostExtras>;
  startDate?: string | undefined;
  endDate?: string | undefined;
  time?: string | undefined;
  timeZone?: string | undefined;
  weekdays?: readonly number[] | undefined;
  skipDates?: readonly string[] | undefined;
  /** It comes with its end: without `endDate` it has none but its own. Empty: every day. */
  recurrence?: string | undefined;
  /** As in `BoundPost`. */
  bindsByName?: boolean | undefined;
  /** Throw 409 once a run has begun, was missed or cancelled: what was sent once is not planned again. */
  unlessBegun?: boolean;
  /** Validate all of it, and write nothing. */
  isDryRun?: boolean;
}

export interface UpdatedCampaign extends Controlled {
  warnings: string[];
  /** Those of now, also of its lists. Undefined if nothing but its tags changed. */
  groupCount?: number;
  /** When its next run is due; undefined: none is planned. */
  dueAt: Date | undefined;
}

/**
 * Changes a scheduled campaign (contract §4). Runs that have begun keep what they say and to whom; those still planned go by the
 * new content, or are replaced by those of the new schedule. A run that falls due at the same moment has the old content as a
 * whole or the new one, since both lock the ledger. A value that is the one it has already is no change.
 *
 * Throws 404 for a campaign or groups that are not the workspace's, 409 for one that was sent at once or has ended, and for another
 * post when every run has begun, and where the post needs an approval, and 400 for what makes no sense, among it a schedule that leaves nothing to run.
 */
export async function updateCampaign(
  deps: AcceptDeps,
  actor: Actor,
  publicId: string,
  change: CampaignChange,
): Promise<UpdatedCampaign> {
  const { db, quotas = QUOTAS, timeZone = 'UTC' } = deps;
  const before = await findOwnCampaign(db, actor.workspaceId, publicId);
  const { removeImage = false, unlessBegun = false, unknownTags, extras = NO_EXTRAS, removedExtras = [] } = change;
  const { changesPost, changesOthers } = findChanges(change);
  if (!changesPost && !changesOthers && !unlessBegun) return changeTags(deps, actor, publicId, change.tags);
  const { problems = [] } = planChange(requireSchedule(before), change, await readNow(db)) ?? {};
  const { workspaceId, campaignId } = before;
  const { image, cardRequest } = change;
  const said = await readContent(db, campaignId);
  const sent = { ...changeTexts(change, said), image, unknownTags, extras, cardRequest, before: said };
  const { html, text, fields, media, card, warnings } = await prepareChange(deps, sent, problems);
  if (change.groupIds) await requireGroups(db, workspaceId, change.groupIds);
  return runTransaction(db, change, async (trx) => {
    await requireFiles(trx, actor.workspaceId, extras);
    const takesFileAway = removeImage || extras.files !== undefined;
    const mediaId = media ? await saveMedia(trx, actor.workspaceId, media, quotas) : takesFileAway ? null : undefined;
    const linkPreview = card && (await saveCard(trx, actor.workspaceId, card, quotas));
    await lockOwnLedger(trx, workspaceId);
    // What is too late to begin must not pass for something left to run.
    await missRuns(trx, [workspaceId], { campaignId });
    const campaign = await findOwnCampaign(trx, actor.workspaceId, publicId);
    if (unlessBegun) await requireNoneBegun(trx, campaign);
    const content = await readContent(trx, campaignId);
    await changeSchedule(trx, campaign, change);
    const groupIds = change.groupIds && [...new Set(change.groupIds)];
    const changedExtras = {
      extras: { ...extras, ...(linkPreview && { linkPreview }) },
      removedExtras: card === null ? [...removedExtras, 'linkPreview' as const] : removedExtras,
    };
    const next = await changeContent(trx, campaign, {
      html,
      text,
      fields,
      leavesOut: change.leavesOut,
      bindsByName: change.bindsByName,
      mediaId,
      groupIds,
      ...changedExtras,
    });
    if (changesPost) await requireNoApproval(trx, actor.workspaceId, countBound(next));
    await requireMentions(trx, campaign, timeZone);
    if (changesPost) await requireValues(trx, campaign, timeZone);
    await changeUnseen(trx, campaign, change);
    const changes = await diffCampaigns(trx, actor.workspaceId, { campaign, content });
    await recordAudit(trx, { ...actor, action: 'campaign.updated', subject: publicId, changes });
    // The row of a sheet says all of its post, whatever differs.
    const nobody = changesPost || unlessBegun ? warnOfEmptyLists(next, true).map(({ message }) => message) : [];
    const dueAt = await findFirstPlanned(trx, campaignId);
    const told = { warnings: [...listLosses(warnings), ...nobody], groupCount: next.groupIds.length, dueAt };
    return { campaignId: publicId, status: campaign.status, ...told };
  });
}

/** Returns the texts that a campaign is changed to, with what they go by; without html they stay. Throws as `requireTranslations`. */
function changeTexts(
  change: CampaignChange,
  { html: before, template }: Pick<Content, 'html' | 'template'>,
): Pick<CampaignChange, 'withFields' | 'leavesOut' | 'translations'> & { html: string | undefined } {
  const saidBy = choicesOf(template);
  const { withFields = saidBy.withFields, leavesOut = saidBy.leavesOut, translations } = change;
  // The same html says something else with fields than without.
  const isReadAgain = withFields !== saidBy.withFields || translations !== undefined;
  const html = change.html ?? (isReadAgain ? before : undefined);
  if (html === undefined) return { html, withFields, leavesOut };
  if (html !== before) requireTranslations(change, saidBy);
  return { html, withFields, leavesOut, translations: translations ?? saidBy.translations };
}

/** Returns what a change is about. Throws 400 if it is about nothing. */
function findChanges(change: CampaignChange): { changesPost: boolean; changesOthers: boolean } {
  const { removeImage = false, unlessBegun: _, isDryRun: __, unknownTags: ___, extras = NO_EXTRAS, ...others } = change;
  const { removedExtras = [], bindsByName: ____, ...values } = others;
  const { name, description, isChannelCampaign, externalId, metadata, tags, ...seen } = values;
  const ofPost = [...Object.values(seen), ...Object.values(extras), ...removedExtras];
  // Members see none of the others.
  const changesPost = removeImage || ofPost.some((value) => value !== undefined);
  const unseen = [name, description, isChannelCampaign, externalId, metadata];
  const changesOthers = unseen.some((value) => value !== undefined);
  if (!changesPost && !changesOthers && !tags)
    throw new AppError('invalid_request', 'Send at least one field to change');
  if (removeImage && change.image !== undefined) throw invalid([fieldError('remove_image', 'either_image_or_removal')]);
  return { changesPost, changesOthers };
}

/** Changes nothing but the tags, whatever state the campaign is in: reports on what was sent go by them. Throws 404. */
async function changeTags(
  { db }: Pick<AcceptDeps, 'db'>,
  actor: Actor,
  publicId: string,
  tags: readonly string[] = [],
): Promise<UpdatedCampaign> {
  return db.transaction().execute(async (trx) => {
    await lockOwnLedger(trx, actor.workspaceId);
    const campaign = await findOwnCampaign(trx, actor.workspaceId, publicId);
    await writeTags(trx, campaign, tags);
    const changes = diffValues({ tags: campaign.tags }, { tags: [...tags] });
    await recordAudit(trx, { ...actor, action: 'campaign.updated', subject: publicId, changes });
    const dueAt = await findFirstPlanned(trx, campaign.campaignId);
    return { campaignId: publicId, status: campaign.status, warnings: [], dueAt };
  });
}

/** Throws 409 for a campaign of which a run has begun, was missed or cancelled. The ledger must be locked. */
export async function requireNoneBegun(
  trx: Connection,
  { campaignId }: Pick<OwnCampaign, 'campaignId'>,
): Promise<void> {
  if (await hasRow(trx)`select from runs where campaign_id = ${campaignId} and status <> 'planned' limit 1`)
    throw new AppError('campaign_wrong_state', 'A run of this campaign has begun, was missed or cancelled');
}

/** Returns the schedule. Throws 409 for a campaign that was sent at once or has ended. */
function requireSchedule(campaign: OwnCampaign): Schedule {
  const { status } = campaign;
  const schedule = scheduleOf(campaign);
  if (!schedule) throw new AppError('campaign_wrong_state', 'This campaign was sent immediately and cannot be changed');
  if (['completed', 'completed_with_errors', 'cancelled'].includes(status))
    throw new AppError('campaign_wrong_state', `This campaign is ${status.replaceAll('_', ' ')} and cannot be changed`);
  return schedule;
}

/**
 * Returns the changed schedule with its occurrences, or with its problems; undefined if the schedule does not change, in whichever zone.
 */
function planChange(schedule: Schedule, change: CampaignChange, now: Date) {
  const { recurrence, time = schedule.time } = change;
  const before = schedule.recurrence ?? null;
  const isKept = recurrence === undefined || recurrence === before;
  const next: Schedule = {
    startDate: change.startDate ?? schedule.startDate,
    endDate: change.endDate ?? (recurrence ? null : schedule.endDate),
    time,
    timeZone: change.timeZone ?? schedule.timeZone,
    weekdays: change.weekdays ?? schedule.weekdays,
    skipDates: change.skipDates ?? schedule.skipDates,
    recurrence: isKept ? before && moveExcluded(before, schedule.time, time) : recurrence || null,
  };
  return JSON.stringify(next) === JSON.stringify(schedule) ? undefined : { next, ...planOccurrences(next, now) };
}

async function changeSchedule(trx: Connection, campaign: OwnCampaign, change: CampaignChange): Promise<void> {
  const schedule = requireSchedule(campaign);
  const { workspaceId, campaignId } = campaign;
  const now = await readNow(trx);
  const plan = planChange(schedule, change, now);
  if (!plan) return;
  const { next, occurrences, plannedUntil, problems } = plan;
  if (problems.length > 0) throw invalid(problems);
  const paused = campaign.status === 'paused';
  const replanned = { zoneBefore: schedule.timeZone, schedule: next, now };
  const added = await replanRuns(trx, { workspaceId, campaignId, paused }, occurrences, replanned);
  await execute(trx)`
    update campaigns
    set start_date = ${next.startDate}, end_date = ${next.endDate}, schedule_time = ${next.time}, time_zone = ${next.timeZone},
        weekdays = ${next.weekdays}, skip_dates = ${next.skipDates}, recurrence = ${next.recurrence ?? null},
        planned_until = ${plannedUntil}, tzdata_version = ${TZDATA_VERSION},
        -- What is not planned yet counts as one.
        open_runs = open_runs + ${added} + (${plannedUntil}::timestamptz is not null)::int - (planned_until is not null)::int
    where campaign_id = ${campaignId}`;
  await notifyAfterCommit(trx, 'campanile_runs');
}

type ContentChange = { [Key in Exclude<keyof Content, 'template'>]: Content[Key] | undefined } & Pick<
  CampaignChange,
  'removedExtras' | 'leavesOut' | 'bindsByName'
> & {
    /** With another text: undefined if it has none. */
    fields: FieldsInPost | undefined;
  };

/** Writes a further content for the runs still planned, and returns it; what no run points to is dropped. */
async function changeContent(trx: Connection, campaign: OwnCampaign, change: ContentChange): Promise<Content> {
  const { campaignId, workspaceId } = campaign;
  const before = await resolveLists(trx, workspaceId, await readContent(trx, campaignId));
  const content = { ...before, extras: await dropRemoved(trx, workspaceId, before.extras) };
  const text = change.text ?? content.text;
  const fields = change.text === undefined ? content.template : change.fields;
  const changed = changeExtras(content.extras, change);
  const own = change.groupIds ?? content.extras.groupLists?.groupIds ?? content.groupIds;
  const lists = changed.groupLists && { ...changed.groupLists, groupIds: own };
  const next: Content = await requireLists(trx, workspaceId, {
    html: change.html ?? content.html,
    text,
    mediaId: change.mediaId === undefined ? content.mediaId : change.mediaId,
    extras: { ...dropLostCard(changed, text, fields), ...(lists && { groupLists: lists }) },
    groupIds: [...own],
    template: content.template,
  });
  const missing = findMissingGroups(own, next.extras);
  if (missing.length > 0) throw invalid(missing);
  const leftOut = choicesOf(content.template).leavesOut;
  const leavesOut = change.leavesOut ?? leftOut;
  // A field that was removed since is no reason against another schedule.
  const isSaidAnew = change.text !== undefined || !isDeepStrictEqual(next.extras, content.extras);
  if (!fields) next.template = null;
  else if (isSaidAnew)
    next.template = await bindFields(trx, workspaceId, { ...fields, leavesOut }, next.extras, {
      ...content,
      bindsByName: change.bindsByName,
    });
  else if (content.template && leavesOut !== leftOut) {
    const { leavesOut: _, ...template } = content.template;
    next.template = { ...template, ...(leavesOut && { leavesOut }) };
  }
  if (isDeepStrictEqual(next, content)) return next;
  if (next.extras.fileName !== undefined && next.mediaId === null) throw invalid([NO_FILE]);
  const hasFile = hasFileIn(next);
  const ballot = findBallotProblems(next.extras, { text: next.text, hasFile });
  if (ballot.length > 0) throw invalid(ballot);
  if (isBallot(next.extras) && next.template?.translations)
    throw invalid([fieldError('translations', 'translations_of_ballot')]);
  await requireCountedGroups(trx, next.extras, next.groupIds);
  await requireReach(trx, { ...campaign, ...next });
  if (next.text === '' && !hasFile && !isBallot(next.extras))
    throw invalid([
      change.html !== undefined
        ? NO_TEXT
        : fieldError(change.removedExtras?.length ? 'remove' : 'remove_image', 'nothing_left'),
    ]);
  if (!(await findFirstPlanned(trx, campaignId)))
    throw new AppError(
      'campaign_wrong_state',
      'Every run of this campaign has begun, so its post and groups cannot be changed',
      {
        details: [
          ...(next.html === content.html ? [] : ['html']),
          ...(choicesOf(next.template).withFields === choicesOf(content.template).withFields ? [] : ['with_fields']),
          ...(isDeepStrictEqual(next.template?.translations, content.template?.translations) ? [] : ['translations']),
          ...(next.mediaId === content.mediaId ? [] : ['image']),
          ...(next.groupIds.join() === content.groupIds.join() ? [] : ['group_metadata_ids']),
          ...EXTRAS_NAMES.filter((name) => !isDeepStrictEqual(next.extras[name], content.extras[name])).map(
            (name) => EXTRAS_FIELDS[name],
          ),
        ].map((field) => fieldError(field, 'too_late')),
      },
    );
  await writeContent(trx, campaignId, next);
  return next;
}

/** As when the campaign is accepted, for the first run that is left. */
async function requireMentions(trx: Connection, { workspaceId, campaignId }: OwnCampaign, timeZone: string) {
  const { extras, groupIds } = await readContent(trx, campaignId);
  if (!extras.mentionAll) return;
  const firstAt = await findFirstPlanned(trx, campaignId);
  if (!firstAt) return;
  await requireMentionsLeft(trx, { workspaceId, campaignId, groupIds, extras }, { firstAt, timeZone });
}

/** As when the campaign is accepted, for the first run that is left. */
async function requireValues(
  trx: Connection,
  { workspaceId, campaignId, timeZone }: OwnCampaign,
  installationZone: string,
) {
  const { template, ...content } = await readContent(trx, campaignId);
  const dueAt = template && (await findFirstPlanned(trx, campaignId));
  const hasFile = hasFileIn(content);
  if (dueAt) await requireFit(trx, { ...content, workspaceId, template, hasFile, dueAt, timeZone, installationZone });
}

/** The name of a file goes with its file, and so do other files: a post has the one file, or those of the library. */
function changeExtras(
  before: PostExtras,
  { mediaId, extras, removedExtras = [] }: Pick<ContentChange, 'mediaId' | 'extras' | 'removedExtras'>,
): PostExtras {
  const removed = new Set<string>([...removedExtras, ...(mediaId === undefined ? [] : ['fileName', 'files'])]);
  const kept = Object.entries(before).filter(([name]) => !removed.has(name));
  return { ...Object.fromEntries(kept), ...extras };
}

async function findFirstPlanned(trx: Connection, campaignId: number): Promise<Date | undefined> {
  return readValue<Date>(trx)`
    select due_at from runs where campaign_id = ${campaignId} and status = 'planned' order by due_at limit 1`;
}

/** Changes what members do not see. */
async function changeUnseen(
  trx: Connection,
  { workspaceId, campaignId, publicId }: OwnCampaign,
  change: CampaignChange,
): Promise<void> {
  await changeOwnData(trx, 'campaign', { workspaceId, id: publicId }, change);
  if (change.tags) await writeTags(trx, { workspaceId, campaignId }, change.tags);
  const { name = null, description = null, isChannelCampaign = null } = change;
  if (name === null && description === null && isChannelCampaign === null) return;
  await execute(trx)`
    update campaigns
    set name = coalesce(${name}, name), description = coalesce(${description}, description),
        is_channel_campaign = coalesce(${isChannelCampaign}, is_channel_campaign)
    where campaign_id = ${campaignId}`;
}

interface WholeCampaign {
  campaign: OwnCampaign;
  content: Content;
}

/** Returns what has changed in a campaign since `before` was read, for the audit log. */
export async function diffCampaigns(trx: Connection, workspaceId: WorkspaceId, before: WholeCampaign) {
  const { campaignId, publicId } = before.campaign;
  const after = {
    campaign: await findOwnCampaign(trx, workspaceId, publicId),
    content: await readContent(trx, campaignId),
  };
  return [
    ...diffValues(valuesOf(before), valuesOf(after)),
    ...(await diffGroups(trx, before.content.groupIds, after.content.groupIds)),
  ];
}

function valuesOf({ campaign, content: { text, mediaId, extras, template } }: WholeCampaign): Values {
  return {
    name: campaign.name,
    desc: campaign.description,
    is_channel_campaign: campaign.isChannelCampaign,
    external_id: campaign.externalId,
    metadata: campaign.metadata,
    tags: campaign.tags,
    start_date: campaign.startDate,
    end_date: campaign.endDate,
    schedule_time: campaign.scheduleTime,
    time_zone: campaign.timeZone,
    weekdays: campaign.weekdays ?? [],
    skip_dates: campaign.skipDates,
    recurrence: campaign.recurrence,
    text,
    with_fields: choicesOf(template).withFields,
    translations: showTranslations(template?.translations) ?? null,
    media_id: mediaId,
    ...Object.fromEntries(EXTRAS_NAMES.map((name) => [EXTRAS_FIELDS[name], extras[name] ?? null])),
    group_list_ids: extras.groupLists?.listIds ?? [],
  };
}
