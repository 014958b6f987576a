/** When a world was calm: its machine awake, no fault under way, and the workers past the consequences of the last one. */
import type { Line } from './line.ts';
import { clipSpans, joinSpans, subtractSpans, type Span } from './spans.ts';

/**
 * Awake time after the last disturbance within which workers start again, leases pass to others, and the server ends what a dead
 * connection left: a restart takes 3 s, a frozen transaction ends after 8 s, and a silent worker is replaced within 15 s.
 */
const SETTLED_MS = 20_000;

/** Returns the calm spans of a history. */
export function findCalm(lines: readonly Line[]): Span[] {
  const calm: Span[] = [];
  let nowMs = lines[0]?.atMs ?? 0;
  let undisturbedMs = nowMs;
  let quietMs = 0;
  for (const line of lines) {
    const fromMs = Math.max(nowMs, undisturbedMs);
    if (line.atMs > fromMs) {
      const settling = Math.min(line.atMs - fromMs, Math.max(0, SETTLED_MS - quietMs));
      quietMs += line.atMs - fromMs;
      if (fromMs + settling < line.atMs) calm.push({ fromMs: fromMs + settling, toMs: line.atMs });
    }
    nowMs = Math.max(nowMs, line.kind === 'slept' ? line.atMs + line.forMs : line.atMs);
    const forMs = disturbanceMs(line);
    if (forMs === undefined) continue;
    undisturbedMs = Math.max(undisturbedMs, line.atMs + forMs);
    quietMs = 0;
  }
  return joinSpans(calm);
}

/** Returns how long a disturbance lasts; undefined for any other line. */
export function disturbanceMs(line: Line): number | undefined {
  switch (line.kind) {
    case 'statement':
      return line.fault === null ? undefined : (line.delayMs ?? 0);
    case 'froze':
      return line.forMs;
    case 'stopping':
      return Infinity;
    case 'started':
    case 'ended':
    case 'crashed':
    case 'clock':
    case 'copied':
    case 'put back':
    case 'released':
    case 'left alone':
      return 0;
    default:
      return undefined;
  }
}

/** Returns the spans in which a restored ledger may have been held: from its return until its last release. */
export function findHeld(lines: readonly Line[]): Span[] {
  const putBack = lines.find(({ kind }) => kind === 'put back');
  const released = lines.findLast(({ kind }) => kind === 'released');
  return putBack && released ? joinSpans([{ fromMs: putBack.atMs, toMs: released.atMs }]) : [];
}

/** Returns the parts of the calm between two instants without the blocked spans. */
export function freeTime(calm: readonly Span[], span: Span, blocked: readonly Span[]): Span[] {
  return subtractSpans(clipSpans(calm, span.fromMs, span.toMs), joinSpans(blocked));
}
