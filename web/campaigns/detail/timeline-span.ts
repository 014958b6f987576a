/** Which part of a timeline is shown, and the hour in which most was read. */
import type { Analytics } from '../../api/operations.ts';
import { offsetMs } from '../../format/axis-ticks.ts';

type Timeline = Analytics['timeline'];

const HOUR_MS = 60 * 60_000;
/** A chart of fewer steps would show nothing. */
const FEWEST_STEPS = 4;

/** From the first event on. */
const SPANS_MS = { hour: HOUR_MS, day: 24 * HOUR_MS, all: Infinity } as const;
export type Span = keyof typeof SPANS_MS;

/** The spans that show something of their own: not those that are over before the timeline has a few steps, or as long as all of it. */
export function spansOf(timeline: Timeline): Span[] {
  const first = Date.parse(timeline[0]?.at ?? '');
  const last = Date.parse(timeline.at(-1)?.at ?? '');
  const shorter = (['hour', 'day'] as const).filter(
    (span) => last - first > SPANS_MS[span] && pointsWithin(timeline, span).length >= FEWEST_STEPS,
  );
  return [...shorter, 'all'];
}

/** The steps of the timeline in this span. */
export function pointsWithin(timeline: Timeline, span: Span): Timeline {
  const first = Date.parse(timeline[0]?.at ?? '');
  return timeline.filter((point) => Date.parse(point.at) - first < SPANS_MS[span]);
}

/**
 * The hour of the clocks in `zone` in which most was read, the first of several, and how much; undefined where nothing was, or
 * where the steps are too long to tell.
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
