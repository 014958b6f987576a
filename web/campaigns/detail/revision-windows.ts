import { WHATSAPP_WINDOWS } from '../../../src/messengers/windows.ts';
import type { GroupRow } from '../../api/operations.ts';

export type Revision = keyof typeof WHATSAPP_WINDOWS;

/** Returns until when the last sent post can be changed; undefined if nothing was sent. Past: no post can be changed any more. */
export function changeableUntil(groups: readonly GroupRow[], revision: Revision): Date | undefined {
  const { groupMs, channelMs } = WHATSAPP_WINDOWS[revision];
  const ends = groups
    .filter((group) => group.sent > (group.recalled ?? 0))
    .flatMap(({ kind, last_sent_at: at }) =>
      at === null ? [] : [Date.parse(at) + (kind === 'channel' ? channelMs : groupMs)],
    );
  return ends.length === 0 ? undefined : new Date(Math.max(...ends));
}

/** Counts the groups with sent and not deleted posts, and those among them that can still be changed. */
export function countInTime(
  groups: readonly GroupRow[],
  revision: Revision,
  nowMs: number,
): { there: number; inTime: number } {
  const { groupMs, channelMs } = WHATSAPP_WINDOWS[revision];
  const there = groups.filter((group) => group.sent > (group.recalled ?? 0));
  const inTime = there.filter(
    ({ kind, last_sent_at: at }) => at !== null && nowMs - Date.parse(at) < (kind === 'channel' ? channelMs : groupMs),
  );
  return { there: there.length, inTime: inTime.length };
}
