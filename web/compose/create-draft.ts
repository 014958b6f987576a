import type { QueryClient } from '@tanstack/react-query';
import type { Data } from '../api/operations.ts';
import { createDraft } from '../drafts/persisted-draft.ts';
import { changeDraft } from '../drafts/save-draft.ts';
import { fromShown } from './draft-files.ts';
import { copySchedule } from './copy-schedule.ts';
import { toReach, type FollowUp } from './reach.ts';
import { emptyDraft, toPicked, type Draft, type PickedGroup } from './draft.ts';

export type Copy = Data<'venom/duplicate-campaign'>;
type Files = Data<'venom/get-campaign'>['files'];

/**
 * Creates a draft with the message, files, groups and schedule of a campaign. Returns its path; existing drafts stay. No copy starts
 * before today.
 */
export function createDraftFromCampaign(
  client: QueryClient,
  timeZone: string,
  copy: Copy,
  known: { groups: readonly PickedGroup[]; files: Files; now: Date },
): string {
  const { draft, file } = toCopiedDraft(timeZone, copy, known);
  return createSavedDraft(client, draft, file);
}

/** Returns the draft of a copied post, and its file. No copy starts before today. */
export function toCopiedDraft(
  timeZone: string,
  copy: Copy,
  { groups: known, files, now }: { groups: readonly PickedGroup[]; files: Files; now: Date },
): { draft: Draft; file: File | null } {
  const ids = new Set(copy.group_metadata_ids);
  const [own, listed] = [true, false].map((isOwn) =>
    known.filter((group) => ids.has(group.group_metadata_id) === isOwn).map(toPicked),
  ) as [PickedGroup[], PickedGroup[]];
  const ofLists = copy.group_list_ids ? listed : [];
  const groups = [...own, ...ofLists];
  const listedIds = ofLists.map((group) => group.group_metadata_id);
  const file = copy.image === null ? null : toFile(copy.image, copy.name);
  const kept = new Set(copy.media?.map(({ media_id }) => media_id));
  const library = files.filter(({ media_id }) => kept.has(media_id)).map(fromShown);
  const { name, html, link_preview: card, poll, event } = copy;
  const content = { name, html, card, poll, event, groups, listedIds, files: library };
  return { draft: { ...emptyDraft(timeZone), ...copySchedule(copy, now), ...toReach(copy), ...content }, file };
}

/** Creates a draft for these groups. Returns its path. */
export function createDraftForGroups(client: QueryClient, timeZone: string, groups: readonly PickedGroup[]): string {
  return createSavedDraft(client, { ...emptyDraft(timeZone), groups: groups.map(toPicked) });
}

/** Creates a draft that reminds these groups of an earlier campaign on this day, `YYYY-MM-DD`, and quotes it. Returns its path. */
export function createReminder(
  client: QueryClient,
  timeZone: string,
  groups: readonly PickedGroup[],
  { name, day, followUp }: { name: string; day: string; followUp: FollowUp },
): string {
  const replyTo = { campaign_id: followUp.campaign_id, run_id: followUp.run_id };
  const plan = { isScheduled: true, startDate: day };
  const draft = { ...emptyDraft(timeZone), ...plan, name, groups: groups.map(toPicked), replyTo, followUp };
  return createSavedDraft(client, draft);
}

/** Creates a draft, with this id if given, and saves it at once. Returns its path. */
export function createSavedDraft(client: QueryClient, draft: Draft, file: File | null = null, given?: string): string {
  const id = createDraft(client, draft, file, given);
  changeDraft(client, id, (begun) => begun);
  return draftPath(id);
}

/** Returns the path of a new draft for this day, `YYYY-MM-DD`. */
export function newCampaignPath(day: string): string {
  return `/campaigns/new?day=${day}`;
}

export function draftPath(draftId: string): string {
  return `/campaigns/new?draft=${draftId}`;
}

/** Without `fetch`: the CSP allows connections to the service only. */
function toFile(dataUrl: string, name: string): File {
  const comma = dataUrl.indexOf(',');
  const mime = /^data:([^;,]*)/.exec(dataUrl)?.[1] ?? '';
  const bytes = Uint8Array.from(atob(dataUrl.slice(comma + 1)), (letter) => letter.charCodeAt(0));
  return new File([bytes], `${name}.${mime.replace(/^.*\//, '')}`, { type: mime });
}
