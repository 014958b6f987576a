import { WHATSAPP_WINDOWS } from '../../../src/messengers/windows.ts';
import type { GroupRow } from '../../api/operations.ts';

export type Revision = keyof typeof WHATSAPP_WINDOWS;

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
