import type { Data } from './operations.ts';

/** Today's state of a warm-up. */
export interface WarmUpToday {
  /** From 1. */
  day: number;
  /** The limit of posts on each day. */
  caps: readonly number[];
  /** Today's limit: the lower of the warm-up's and the daily cap. */
  cap: number;
  sent: number;
  /** The first day after the warm-up, `YYYY-MM-DD`. */
  endsOn: string;
  /** The pause between two posts, in seconds. */
  gap: { min: number; max: number };
}

/** Returns undefined without a warm-up. */
export function readWarmUp(rests: Data<'venom/update-account'>): WarmUpToday | undefined {
  const { warm_up: warmUp, daily_cap: dailyCap, sent_today: sent } = rests;
  if (!warmUp) return undefined;
  const { day, daily_caps: caps, ends_on: endsOn, gap_seconds: gap } = warmUp;
  const cap = Math.min(caps[day - 1] ?? Infinity, dailyCap ?? Infinity);
  return { day, caps, cap, sent: sent ?? 0, endsOn, gap };
}
