/** Cuts quarters of an hour into the days, hours and weekdays of a time zone. Pure. */
import type { Day } from '../../campaigns/occurrences.ts';
import { NOTHING, OVERVIEW_FIELDS, RUN_FIELDS, type OverviewSums } from '../read-overview.ts';
import { sumFields } from '../sum-fields.ts';
import { addRates, NO_RUNS, type RateSums } from './best-times.ts';
import type { RunSums } from './select-posts.ts';

/** Runs that began in the same quarter of an hour. The offsets of all time zones are whole quarters. */
export interface QuarterHour extends OverviewSums, Omit<RateSums, 'runs'> {
  at: Date;
  /** Runs with members whose reads are reported. */
  ratedRuns: number;
}

const QUARTER_MS = 15 * 60 * 1_000;

/** Adds a run to the quarter of an hour in which it began. Quarters are by their beginning, in milliseconds. */
export function addRun(quarters: Map<number, QuarterHour>, startedAt: Date, run: Omit<RunSums, 'runId'>): void {
  const at = Math.floor(startedAt.getTime() / QUARTER_MS) * QUARTER_MS;
  let quarter = quarters.get(at);
  if (!quarter) {
    const { runs: ratedRuns, ...rates } = NO_RUNS;
    quarters.set(at, (quarter = { at: new Date(at), ...NOTHING, ratedRuns, ...rates }));
  }
  const { acknowledging: n, read } = run;
  quarter.runs += 1;
  for (const field of RUN_FIELDS) quarter[field] += run[field];
  if (n === 0) return;
  quarter.ratedRuns += 1;
  quarter.n += n;
  quarter.r += read;
  quarter.nn += n * n;
  quarter.nr += n * read;
  quarter.rr += read * read;
}

export function addUp(quarters: readonly QuarterHour[]): OverviewSums {
  return sumFields(quarters, OVERVIEW_FIELDS);
}

/** Returns the sums of every day. Both arguments are in order of time. */
export function byDay(quarters: readonly QuarterHour[], days: readonly Day[]): Array<OverviewSums & { date: string }> {
  let next = 0;
  return days.map(({ date, endsAt }) => {
    const first = next;
    while ((quarters[next]?.at ?? endsAt) < endsAt) next += 1;
    return { date, ...addUp(quarters.slice(first, next)) };
  });
}

/** Returns the sums of each hour of the day, or weekday (1 is Monday), in the zone. An hour that a clock change repeats counts as one. */
export function byTime(quarters: readonly QuarterHour[], timeZone: string, unit: 'hour' | 'dayOfWeek') {
  const sums = new Map<number, RateSums>();
  for (const { at, ratedRuns, n, r, nn, nr, rr } of quarters) {
    const value = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone)[unit];
    sums.set(value, addRates(sums.get(value) ?? NO_RUNS, { runs: ratedRuns, n, r, nn, nr, rr }));
  }
  return sums;
}
