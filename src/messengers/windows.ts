/** How long after sending a post can be changed, in milliseconds. */
export interface ChangeWindow {
  /** In a group or a community. */
  groupMs: number;
  channelMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** WhatsApp's limits for deletions for everyone, and for edits. */
export const WHATSAPP_WINDOWS = {
  recall: { groupMs: 60 * HOUR_MS, channelMs: 30 * DAY_MS },
  correct: { groupMs: 15 * MINUTE_MS, channelMs: 30 * DAY_MS },
} as const;
