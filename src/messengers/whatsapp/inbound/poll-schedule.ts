/** When to look at which channel, so that an account asks seldom, and of what is new more often than of what is quiet. */

/** In milliseconds. */
export interface PollTiming {
  /** From a post, or from a change, to the next look. It doubles with each look that finds nothing new, up to the longest. */
  firstLookMs: number;
  longestLookMs: number;
  /** Between any two looks of the account. */
  lookGapMs: number;
}

/** Instants are milliseconds of a clock that never goes back. */
export interface PollSchedule {
  /** There is something new to look at. */
  note(chatId: string, nowMs: number): void;
  /** Which channel to look at now, or how long to wait. */
  next(nowMs: number): { chatId: string } | { waitMs: number };
  looked(chatId: string, found: 'news' | 'nothing', nowMs: number): void;
  /** Nothing is to be looked at for so long. */
  rest(nowMs: number, cooldownMs: number): void;
  drop(chatId: string): void;
}

export function createPollSchedule({ firstLookMs, longestLookMs, lookGapMs }: PollTiming): PollSchedule {
  const channels = new Map<string, { atMs: number; pauseMs: number }>();
  let notBeforeMs = -Infinity;
  return {
    note(chatId, nowMs) {
      const atMs = Math.min(channels.get(chatId)?.atMs ?? Infinity, nowMs + firstLookMs);
      channels.set(chatId, { atMs, pauseMs: firstLookMs });
    },
    next(nowMs) {
      let first: { chatId: string; atMs: number } | undefined;
      for (const [chatId, { atMs }] of channels) if (!first || atMs < first.atMs) first = { chatId, atMs };
      if (!first) return { waitMs: longestLookMs };
      const waitMs = Math.max(first.atMs, notBeforeMs) - nowMs;
      return waitMs > 0 ? { waitMs } : { chatId: first.chatId };
    },
    looked(chatId, found, nowMs) {
      notBeforeMs = Math.max(notBeforeMs, nowMs + lookGapMs);
      const channel = channels.get(chatId);
      if (!channel) return;
      channel.pauseMs = found === 'news' ? firstLookMs : Math.min(2 * channel.pauseMs, longestLookMs);
      channel.atMs = nowMs + channel.pauseMs;
    },
    rest(nowMs, cooldownMs) {
      notBeforeMs = Math.max(notBeforeMs, nowMs + cooldownMs);
    },
    drop: (chatId) => void channels.delete(chatId),
  };
}
