import type { GroupKind, GroupRow } from '../api/operations.ts';

export type Revision = 'recall' | 'correct';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const CHANNEL_MS = 30 * 24 * HOUR_MS;

/** For how long after it was sent WhatsApp lets a post be deleted for everyone, or edited. It has the last word. */
const WINDOW_MS: Readonly<Record<Revision, Readonly<Record<GroupKind, number>>>> = {
  recall: { group: 60 * HOUR_MS, community: 60 * HOUR_MS, channel: CHANNEL_MS },
  correct: { group: 15 * MINUTE_MS, community: 15 * MINUTE_MS, channel: CHANNEL_MS },
};

/** In how many groups there is something that was sent and not deleted, and in how many of them there is still time to change it. */
export function countInTime(
  groups: readonly GroupRow[],
  revision: Revision,
  nowMs: number,
): { there: number; inTime: number } {
  const there = groups.filter((group) => group.sent > (group.recalled ?? 0));
  const inTime = there.filter(
    ({ kind, last_sent_at: at }) => at !== null && nowMs - Date.parse(at) < WINDOW_MS[revision][kind],
  );
  return { there: there.length, inTime: inTime.length };
}
