import { diffValues, type Change, type Value } from '../../workspaces/audit/diff-values.ts';
import type { Connection } from '../../platform/database/connect.ts';
import { diffGroups } from '../groups/diff-groups.ts';
import type { DraftRow } from './draft-store.ts';

/** Returns what has changed in a draft, for the audit log. */
export async function diffDrafts(trx: Connection, before: DraftRow, after: DraftRow): Promise<Change[]> {
  return [
    ...diffValues(valuesOf(before), valuesOf(after)),
    ...(await diffGroups(trx, before.groupIds, after.groupIds)),
  ];
}

/** The fields of the content have the names of requests. */
function valuesOf({ name, content, mediaId }: DraftRow): Record<string, Value> {
  const { idempotency_key: _, link_preview: card, weekdays, skip_dates: skipDates, ...fields } = content;
  return {
    ...fields,
    name,
    media_id: mediaId,
    weekdays: weekdays ?? [],
    skip_dates: skipDates ?? [],
    // Without its picture.
    link_preview: card ? { url: card.url, title: card.title, description: card.description } : null,
  };
}
