import { WHATSAPP_WINDOWS } from '../../../src/messengers/windows.ts';
import type { GroupRow } from '../../api/operations.ts';

export type Revision = keyof typeof WHATSAPP_WINDOWS;

/** In how many groups there is something that was sent and not deleted, and in how many of them there is still time to change it. */
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
