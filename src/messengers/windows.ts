/** How long after it was sent a change of a post is taken, in milliseconds. */
export interface ChangeWindow {
  /** In a group, and in a community, which is a group to its messenger. */
  groupMs: number;
  channelMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** As WhatsApp has it: to delete a post for everyone, and to edit it. */
export const WHATSAPP_WINDOWS = {
  recall: { groupMs: 60 * HOUR_MS, channelMs: 30 * DAY_MS },
  correct: { groupMs: 15 * MINUTE_MS, channelMs: 30 * DAY_MS },
} as const;
