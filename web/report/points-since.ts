import type { Report } from '../api/operations.ts';

type Rated = Pick<Report['totals'], 'read_rate'>;

/** By how many points of a hundred the shown read rate is above the one before; undefined where either is unknown. */
export function pointsSince(now: Rated, before: Rated): number | undefined {
  if (now.read_rate === null || before.read_rate === null) return undefined;
  return Math.round(now.read_rate * 100) - Math.round(before.read_rate * 100);
}
