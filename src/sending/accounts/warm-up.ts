/** How a number that is new to groups begins: with a few posts a day, and more each day. Pure; the days are those of the owner's zone. */

/** How many posts to single groups may leave on each day, from the one it begins on. Afterwards the warm-up sets no limit. */
export const WARM_UP_CAPS: readonly number[] = [30, 40, 50, 65, 85, 110, 140, 180, 230, 300, 390, 500, 650, 850];

/** What limits an account on one day. */
export interface DailyLimits {
  /** As its workspace wants it; null: none. */
  dailyCap: number | null;
  /** The first day of its warm-up; null: it has none. */
  warmUpFrom?: Temporal.PlainDate | null;
}

/** How many posts may leave on that day: the smaller of what the workspace and the warm-up allow; null: any number. */
export function capOn({ dailyCap, warmUpFrom }: DailyLimits, date: Temporal.PlainDate): number | null {
  const warm = warmUpFrom ? (WARM_UP_CAPS[dayOfWarmUp(warmUpFrom, date) - 1] ?? null) : null;
  if (warm === null || dailyCap === null) return warm ?? dailyCap;
  return Math.min(warm, dailyCap);
}

export function isWarmingUp({ warmUpFrom }: DailyLimits, date: Temporal.PlainDate): boolean {
  return !!warmUpFrom && dayOfWarmUp(warmUpFrom, date) <= WARM_UP_CAPS.length;
}

/** Which day of the warm-up a date is, from 1; above the number of caps: it is over. */
export function dayOfWarmUp(warmUpFrom: Temporal.PlainDate, date: Temporal.PlainDate): number {
  // Whoever moves to a zone further west may be on the day before for a while.
  return Math.max(0, warmUpFrom.until(date, { largestUnit: 'day' }).days) + 1;
}
