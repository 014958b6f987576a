/** The visible span of a timeline, and its busiest hour. */
import type { Analytics } from '../../api/operations.ts';
import { offsetMs } from '../../format/axis-ticks.ts';

type Timeline = Analytics['timeline'];

const HOUR_MS = 60 * 60_000;
/** A chart with fewer steps would show nothing. */
const FEWEST_STEPS = 4;

/** Measured from the first event. */
const SPANS_MS = { hour: HOUR_MS, day: 24 * HOUR_MS, all: Infinity } as const;
export type Span = keyof typeof SPANS_MS;

/** Returns the spans that are worth offering: with enough steps, and shorter than the whole timeline. */
export function spansOf(timeline: Timeline): Span[] {
  const first = Date.parse(timeline[0]?.at ?? '');
  const last = Date.parse(timeline.at(-1)?.at ?? '');
  const shorter = (['hour', 'day'] as const).filter(
    (span) => last - first > SPANS_MS[span] && pointsWithin(timeline, span).length >= FEWEST_STEPS,
  );
  return [...shorter, 'all'];
}

/** Returns the steps within this span. */
export function pointsWithin(timeline: Timeline, span: Span): Timeline {
  const first = Date.parse(timeline[0]?.at ?? '');
  return timeline.filter((point) => Date.parse(point.at) - first < SPANS_MS[span]);
}

/**
 * Returns the hour (in `zone`) with the most reads and their number; the first one of several. Undefined without reads, or if the steps are
 * longer than an hour.
 */
export function busiestHour(timeline: Timeline, zone: string): { atMs: number; read: number } | undefined {
  const times = timeline.map((point) => Date.parse(point.at));
  const step = Math.min(...times.slice(1).map((at, index) => at - (times[index] ?? at)));
  if (step > HOUR_MS && Number.isFinite(step)) return undefined;
  const hours = new Map<number, number>();
  timeline.forEach(({ read }, index) => {
    const at = times[index] ?? 0;
    const shift = offsetMs(at, zone);
    const hour = Math.floor((at + shift) / HOUR_MS) * HOUR_MS - shift;
    hours.set(hour, (hours.get(hour) ?? 0) + read);
  });
  const [atMs = 0, read = 0] = [...hours].reduce((most, one) => (one[1] > most[1] ? one : most), [0, 0]);
  return read > 0 ? { atMs, read } : undefined;
}
