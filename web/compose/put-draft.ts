import { drawKey } from '../api/call.ts';
import type { Data } from '../api/operations.ts';
import { draftKey, emptyDraft, hasText, readDraft, toPicked, type Draft, type PickedGroup } from './draft.ts';
import { keepFile } from './draft-file.ts';

type Copy = Data<'venom/duplicate-campaign'>;

/** Whether something is written already that `putDraft` would replace. */
export function isWriting(userId: number): boolean {
  return hasText(localStorage.getItem(draftKey(userId)));
}

/**
 * Makes the copy of a campaign the user's draft, in place of the present one: its message, file and groups. When it is to be sent
 * is chosen anew. Resolves to false when this browser could not keep the file.
 */
export async function putDraft(
  userId: number,
  timeZone: string,
  copy: Copy,
  known: readonly PickedGroup[],
): Promise<boolean> {
  const ids = new Set(copy.group_metadata_ids);
  const groups = known.filter((group) => ids.has(group.group_metadata_id)).map(toPicked);
  const draft: Draft = { ...emptyDraft(timeZone), name: copy.name, html: copy.html, groups };
  localStorage.setItem(draftKey(userId), JSON.stringify(draft));
  const isKept = await keepFile(draftKey(userId), copy.image === null ? null : toFile(copy.image, copy.name));
  return isKept || copy.image === null;
}

/** Makes these the groups of the user's draft. What else is in it stays. */
export function putGroups(userId: number, timeZone: string, groups: readonly PickedGroup[]): void {
  const key = draftKey(userId);
  const draft: Draft = { ...readDraft(key, timeZone), groups: groups.map(toPicked), idempotencyKey: drawKey() };
  localStorage.setItem(key, JSON.stringify(draft));
}

/** Not by `fetch`: the pages may connect to nothing but the service. */
function toFile(dataUrl: string, name: string): File {
  const comma = dataUrl.indexOf(',');
  const mime = /^data:([^;,]*)/.exec(dataUrl)?.[1] ?? '';
  const bytes = Uint8Array.from(atob(dataUrl.slice(comma + 1)), (letter) => letter.charCodeAt(0));
  return new File([bytes], `${name}.${mime.replace(/^.*\//, '')}`, { type: mime });
}
