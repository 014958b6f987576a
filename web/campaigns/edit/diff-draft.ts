import type { Body, Campaign, GroupRow } from '../../api/operations.ts';
import { FILE_LIMIT_BYTES } from '../../compose/check-file.ts';
import { isBallot, toBallotBody } from '../../compose/ballot.ts';
import { fromShown, toMedia, type DraftFile } from '../../compose/draft-files.ts';
import { emptyDraft, ownGroupIds, type Draft, type PickedGroup } from '../../compose/draft.ts';
import { diffReach, toReach } from '../../compose/reach.ts';
import { listSkipped } from '../../compose/schedule-days.ts';

export type DraftDiff = Omit<Body<'venom/update-campaign'>, 'campaign_id' | 'image'>;

/** The files of a campaign that the form shows one by one. A single small file is shown as if it had been attached. */
export function libraryFilesOf({ files }: Campaign): Campaign['files'] {
  const [first] = files;
  const isPlain = files.length === 1 && first?.caption === null && first.size <= FILE_LIMIT_BYTES;
  return isPlain ? [] : files;
}

/** Converts a scheduled campaign to a draft for the form. */
export function toDraft(campaign: Campaign, known: readonly GroupRow[]): Draft {
  const byId = new Map(known.map((group) => [group.group_metadata_id, group]));
  const groups = campaign.group_metadata_ids.flatMap((id): PickedGroup[] => {
    const group = byId.get(id);
    if (!group) return [];
    const { group_name, kind, participants } = group;
    return [{ group_metadata_id: id, group_name, kind, participants }];
  });
  const empty = emptyDraft(campaign.time_zone ?? 'UTC');
  return {
    ...empty,
    name: campaign.name,
    html: campaign.html,
    files: libraryFilesOf(campaign).map(fromShown),
    poll: campaign.poll,
    event: campaign.event,
    groups,
    listedIds: [
      ...new Set(campaign.group_metadata_ids).difference(
        new Set(campaign.own_group_metadata_ids ?? campaign.group_metadata_ids),
      ),
    ],
    isScheduled: true,
    startDate: campaign.start_date,
    endDate: campaign.end_date,
    time: campaign.schedule_time?.slice(0, 5) ?? empty.time,
    weekdays: campaign.weekdays ?? empty.weekdays,
    ...toReach(campaign),
    skipDates: campaign.skip_dates,
    recurrence: campaign.recurrence,
  };
}

/** Returns the changed fields of the draft as the body of update-campaign. */
export function diffDraft(before: Draft, draft: Draft): DraftDiff {
  const groups = ownGroupIds(draft);
  const isMoved = groups.join() !== ownGroupIds(before).join();
  const isRule = draft.recurrence !== null;
  const endDate = draft.endDate ?? (isRule ? null : draft.startDate);
  // A rule comes with its end.
  const isOtherRule = draft.recurrence !== before.recurrence || (isRule && endDate !== before.endDate);
  return {
    ...(draft.name.trim() !== before.name && { name: draft.name.trim() }),
    ...(draft.html !== before.html && { html: draft.html }),
    ...diffTranslations(before, draft),
    ...diffFiles(filesOf(before), filesOf(draft)),
    ...diffExtras(before, draft),
    ...(isMoved && {
      group_metadata_ids: groups,
      is_channel_campaign: draft.groups.every((group) => group.kind === 'channel'),
    }),
    ...(draft.startDate !== null && draft.startDate !== before.startDate && { start_date: draft.startDate }),
    ...(endDate !== null && (endDate !== before.endDate || isOtherRule) && { end_date: endDate }),
    ...(isOtherRule && { recurrence: draft.recurrence ?? '' }),
    ...(draft.time !== before.time && { schedule_time: `${draft.time}:00` }),
    ...(draft.timeZone !== before.timeZone && { time_zone: draft.timeZone }),
    ...(draft.weekdays.join() !== before.weekdays.join() && { weekdays: [...draft.weekdays] }),
    ...diffReach(before, draft),
    ...(draft.skipDates.join() !== before.skipDates.join() && { skip_dates: listSkipped(draft) }),
  };
}

/** Another text comes with all its translations, and a poll or an event with none. */
function diffTranslations(before: Draft, draft: Draft): Pick<DraftDiff, 'translations'> {
  const [old, now] = [before, draft].map((one) => (isBallot(one) ? [] : [...one.translations]));
  const isOther = !isSame(old, now) || (old?.length !== 0 && draft.html !== before.html);
  return isOther ? { translations: now } : {};
}

/** A poll or an event comes in place of files. */
const filesOf = (draft: Draft): readonly DraftFile[] => (isBallot(draft) ? [] : draft.files);

function diffFiles(
  before: readonly DraftFile[],
  files: readonly DraftFile[],
): Pick<DraftDiff, 'media' | 'remove_image'> {
  const media = toMedia(files);
  if (JSON.stringify(media) === JSON.stringify(toMedia(before))) return {};
  return media ? { media } : { remove_image: true };
}

/** A poll or an event comes in place of text and card, and goes when there is a text again. */
function diffExtras(before: Draft, draft: Draft): DraftDiff {
  const extrasOf = ({ card, poll, event }: Draft) => ({ link_preview: (poll ?? event) ? null : card, poll, event });
  const [old, now] = [extrasOf(before), extrasOf(draft)];
  const gone = EXTRAS.filter((name) => old[name] !== null && now[name] === null);
  const isBallotChanged = !isSame([old.poll, old.event], [now.poll, now.event]);
  return {
    ...(now.link_preview && !isSame(old.link_preview, now.link_preview) && { link_preview: now.link_preview }),
    ...(isBallotChanged && toBallotBody(draft)),
    ...(gone.length > 0 && { remove: gone }),
  };
}

const EXTRAS = ['link_preview', 'poll', 'event'] as const;

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Returns whether the days or the time have changed. */
export function isRescheduled(change: DraftDiff): boolean {
  const { start_date, end_date, schedule_time, time_zone, weekdays, skip_dates, recurrence } = change;
  const values = [start_date, end_date, schedule_time, time_zone, weekdays, skip_dates, recurrence];
  return values.some((value) => value !== undefined);
}
