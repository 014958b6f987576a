/** When to look at which channel, so that an account asks seldom, and of what is new more often than of what is quiet. */

/** In milliseconds. */
export interface PollTiming {
  /** From a post, or from a change, to the next look. It doubles with each look that finds nothing new, up to the longest. */
  firstPollMs: number;
  longestPollMs: number;
  /** Between any two looks of the account. */
  pollGapMs: number;
}

/** Instants are milliseconds of a clock that never goes back. */
export interface PollSchedule {
  /** There is something new to look at. */
  pollSoon(chatId: string, nowMs: number): void;
  /** Which channel to look at now, or how long to wait. */
  next(nowMs: number): { chatId: string } | { waitMs: number };
  recordPoll(chatId: string, found: 'news' | 'nothing', nowMs: number): void;
  /** Nothing is to be looked at for so long. */
  coolDown(nowMs: number, cooldownMs: number): void;
  drop(chatId: string): void;
}

export function createPollSchedule({ firstPollMs, longestPollMs, pollGapMs }: PollTiming): PollSchedule {
  const channels = new Map<string, { atMs: number; pauseMs: number }>();
  let notBeforeMs = -Infinity;
  return {
    pollSoon(chatId, nowMs) {
      const atMs = Math.min(channels.get(chatId)?.atMs ?? Infinity, nowMs + firstPollMs);
      channels.set(chatId, { atMs, pauseMs: firstPollMs });
    },
    next(nowMs) {
      let first: { chatId: string; atMs: number } | undefined;
      for (const [chatId, { atMs }] of channels) if (!first || atMs < first.atMs) first = { chatId, atMs };
      if (!first) return { waitMs: longestPollMs };
      const waitMs = Math.max(first.atMs, notBeforeMs) - nowMs;
      return waitMs > 0 ? { waitMs } : { chatId: first.chatId };
    },
    recordPoll(chatId, found, nowMs) {
      notBeforeMs = Math.max(notBeforeMs, nowMs + pollGapMs);
      const channel = channels.get(chatId);
      if (!channel) return;
      channel.pauseMs = found === 'news' ? firstPollMs : Math.min(2 * channel.pauseMs, longestPollMs);
      channel.atMs = nowMs + channel.pauseMs;
    },
    coolDown(nowMs, cooldownMs) {
      notBeforeMs = Math.max(notBeforeMs, nowMs + cooldownMs);
    },
    drop: (chatId) => void channels.delete(chatId),
  };
}
