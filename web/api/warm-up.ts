import type { Data } from './operations.ts';

/** How a warm-up stands today. */
export interface WarmUpToday {
  /** From 1. */
  day: number;
  /** At most so many posts on each of its days. */
  caps: readonly number[];
  /** What may leave today, by the warm-up and by the daily cap of the account. */
  cap: number;
  sent: number;
  /** The first day without it, `YYYY-MM-DD`. */
  endsOn: string;
}

/** Undefined where there is none. */
export function readWarmUp(rests: Data<'venom/update-account'>): WarmUpToday | undefined {
  const { warm_up: warmUp, daily_cap: dailyCap, sent_today: sent } = rests;
  if (!warmUp) return undefined;
  const { day, daily_caps: caps, ends_on: endsOn } = warmUp;
  const cap = Math.min(caps[day - 1] ?? Infinity, dailyCap ?? Infinity);
  return { day, caps, cap, sent: sent ?? 0, endsOn };
}
