/** Adaptive polling of channels: new posts and busy channels more often, and at a bounded rate for each account. */

/** In milliseconds. */
export interface PollTiming {
  /** From a post or a change to the next poll. Doubles with each poll that finds nothing new, up to the longest. */
  firstPollMs: number;
  longestPollMs: number;
  /** Between any two polls of the account. */
  pollGapMs: number;
}

export type PollSchedule = ReturnType<typeof createPollSchedule>;

/** Instants are milliseconds of a monotonic clock. */
export function createPollSchedule({ firstPollMs, longestPollMs, pollGapMs }: PollTiming) {
  const channels = new Map<string, { atMs: number; pauseMs: number }>();
  let notBeforeMs = -Infinity;
  return {
    /** Schedules a poll after a new post. */
    pollSoon(chatId: string, nowMs: number) {
      const atMs = Math.min(channels.get(chatId)?.atMs ?? Infinity, nowMs + firstPollMs);
      channels.set(chatId, { atMs, pauseMs: firstPollMs });
    },
    /** The channel to poll now, or how long to wait. */
    next(nowMs: number): { chatId: string } | { waitMs: number } {
      let first: { chatId: string; atMs: number } | undefined;
      for (const [chatId, { atMs }] of channels) if (!first || atMs < first.atMs) first = { chatId, atMs };
      if (!first) return { waitMs: longestPollMs };
      const waitMs = Math.max(first.atMs, notBeforeMs) - nowMs;
      return waitMs > 0 ? { waitMs } : { chatId: first.chatId };
    },
    recordPoll(chatId: string, found: 'news' | 'nothing', nowMs: number) {
      notBeforeMs = Math.max(notBeforeMs, nowMs + pollGapMs);
      const channel = channels.get(chatId);
      if (!channel) return;
      channel.pauseMs = found === 'news' ? firstPollMs : Math.min(2 * channel.pauseMs, longestPollMs);
      channel.atMs = nowMs + channel.pauseMs;
    },
    /** Suspends all polls for `cooldownMs`. */
    coolDown(nowMs: number, cooldownMs: number) {
      notBeforeMs = Math.max(notBeforeMs, nowMs + cooldownMs);
    },
    drop: (chatId: string) => void channels.delete(chatId),
  };
}
