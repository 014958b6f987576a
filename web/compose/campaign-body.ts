/** A draft as the operations that send it take it. */
import type { Body } from '../api/operations.ts';
import { isBallot, toBallotBody } from './ballot.ts';
import { toMedia } from './draft-files.ts';
import { ownGroupIds, type Draft } from './draft.ts';
import { reachFields } from './reach.ts';
import { listSkipped } from './schedule-days.ts';

/** The fields that sending at once and scheduling share. */
export function postOf(draft: Draft, name: string, image: string | null) {
  return {
    name,
    html: draft.html,
    ...(draft.card && !isBallot(draft) && { link_preview: draft.card }),
    image,
    media: isBallot(draft) ? undefined : toMedia(draft.files),
    ...reachFields(isBallot(draft) ? { ...draft, translations: [] } : draft),
    group_metadata_ids: ownGroupIds(draft),
    ...toBallotBody(draft),
    is_channel_campaign: draft.groups.length > 0 && draft.groups.every((group) => group.kind === 'channel'),
  };
}

export function scheduleOf(draft: Draft) {
  const everyDay = draft.weekdays.length === 7;
  const skipDates = listSkipped(draft);
  return {
    is_schedule: true as const,
    start_date: draft.startDate ?? '',
    end_date: draft.recurrence === null ? (draft.endDate ?? draft.startDate ?? '') : draft.endDate,
    ...(draft.recurrence !== null && { recurrence: draft.recurrence }),
    schedule_time: `${draft.time}:00`,
    time_zone: draft.timeZone,
    ...(!everyDay && { weekdays: [...draft.weekdays] }),
    ...(skipDates.length > 0 && { skip_dates: skipDates }),
  };
}

/** Returns the body of the operation that will be called, without the file. */
export function toCampaignBody(
  draft: Draft,
  name: string,
): Body<'venom/add-campaign'> | Body<'venom/add-campaign-batch'> {
  const post = postOf(draft, name, null);
  return draft.isScheduled ? { ...post, ...scheduleOf(draft) } : { ...post, is_schedule: false };
}
