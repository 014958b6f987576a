/**
 * The hour and the weekday at which posts are read best, and how sure that is (contract §4, get-report). Pure.
 *
 * A run is one observation: its posts have the same text and time, so they are not independent of each other. The read rate of some runs
 * is a ratio estimate, with the runs as clusters, and its variance that of cluster sampling (Cochran, Sampling Techniques, §6).
 */

import { sumFields } from '../sum-fields.ts';

/** Sums over runs with members whose reads are reported. `n` is their number in a run, `r` how many of them read it. */
export interface RateSums {
  runs: number;
  n: number;
  r: number;
  nn: number;
  nr: number;
  rr: number;
}

export interface TimeRate {
  /** The hour, 0 to 23, or the weekday, 1 is Monday. */
  value: number;
  runs: number;
  readRate: number;
  /** The 95 % interval of the read rate. null: too few runs. */
  interval: { low: number; high: number } | null;
}

export interface BestTime {
  /** null: not enough runs to say. */
  best: number | null;
  /**
   * `clear`: the read rate at the best time is above that at all other times together, at a level of 5 % for all comparisons.
   * `unclear`: it is the highest, but the difference may be chance. `not_enough`: fewer than two times have five runs each.
   */
  certainty: 'clear' | 'unclear' | 'not_enough';
  /** In order of their values; times without a run are left out. */
  times: TimeRate[];
}

/** Runs that a time needs for an interval. */
export const MIN_RUNS = 5;

/** Quantiles of the normal distribution for a two-sided level of 5 %: of one comparison, and shared by 7 and by 24 (Bonferroni). */
const Z_ONE = 1.96;
const Z_SHARED = { hours: 3.078, weekdays: 2.69 } as const;

export const NO_RUNS: RateSums = addRates();

export function addRates(...sums: readonly RateSums[]): RateSums {
  return sumFields(sums, ['runs', 'n', 'r', 'nn', 'nr', 'rr']);
}

/** Returns the best of the times. `sums`: of each time that had a run. */
export function findBestTime(sums: ReadonlyMap<number, RateSums>, unit: keyof typeof Z_SHARED): BestTime {
  const times = [...sums].filter(([, { n }]) => n > 0).toSorted(([one], [other]) => one - other);
  const rates = times.map(([value, sum]) => ({
    value,
    runs: sum.runs,
    readRate: sum.r / sum.n,
    interval: intervalOf(sum),
  }));
  const candidates = times.filter(([, { runs }]) => runs >= MIN_RUNS);
  if (candidates.length < 2) return { best: null, certainty: 'not_enough', times: rates };
  const [best, bestSums] = candidates.reduce((one, other) => (rateOf(other[1]) > rateOf(one[1]) ? other : one));
  const rest = addRates(...times.filter(([value]) => value !== best).map(([, sum]) => sum));
  const standardError = Math.sqrt(varianceOf(bestSums) + varianceOf(rest));
  const critical = studentQuantile(Z_SHARED[unit], Math.min(bestSums.runs, rest.runs) - 1);
  const isClear = rateOf(bestSums) - rateOf(rest) > critical * standardError;
  return { best, certainty: isClear ? 'clear' : 'unclear', times: rates };
}

function rateOf({ n, r }: RateSums): number {
  return r / n;
}

function intervalOf(sums: RateSums): TimeRate['interval'] {
  if (sums.runs < MIN_RUNS) return null;
  const margin = studentQuantile(Z_ONE, sums.runs - 1) * Math.sqrt(varianceOf(sums));
  return { low: Math.max(0, rateOf(sums) - margin), high: Math.min(1, rateOf(sums) + margin) };
}

/** At least the variance of independent readers: a few runs with the same rate by chance would otherwise seem certain. */
function varianceOf(sums: RateSums): number {
  const { runs, n, r, nn, nr, rr } = sums;
  const rate = rateOf(sums);
  const between = (runs / (runs - 1)) * ((rr - 2 * rate * nr + rate * rate * nn) / (n * n));
  const smoothed = (r + 1) / (n + 2);
  return Math.max(between, (smoothed * (1 - smoothed)) / n);
}

/** Student's t for the quantile `z` of the normal distribution, by the expansion of Cornish and Fisher (Abramowitz and Stegun, 26.7.5). */
function studentQuantile(z: number, freedom: number): number {
  const terms = [
    z,
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
    (79 * z ** 9 + 776 * z ** 7 + 1_482 * z ** 5 - 1_920 * z ** 3 - 945 * z) / 92_160,
  ];
  return terms.reduce((sum, term, power) => sum + term / freedom ** power, 0);
}
