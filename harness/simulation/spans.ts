/** Spans of time as sorted lists that do not overlap. */
export interface Span {
  fromMs: number;
  toMs: number;
}

/** Returns the spans in order, those that touch joined. */
export function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const { fromMs, toMs } of spans.toSorted((one, other) => one.fromMs - other.fromMs)) {
    const last = joined.at(-1);
    if (toMs <= fromMs) continue;
    if (last && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs);
    else joined.push({ fromMs, toMs });
  }
  return joined;
}

/** Returns the parts of the spans that lie between two instants. */
export function clipSpans(spans: readonly Span[], fromMs: number, toMs: number): Span[] {
  return spans
    .map((one) => ({ fromMs: Math.max(one.fromMs, fromMs), toMs: Math.min(one.toMs, toMs) }))
    .filter((one) => one.toMs > one.fromMs);
}

/** Returns what is left of `spans` without `taken`. Both are sorted and joined. */
export function subtractSpans(spans: readonly Span[], taken: readonly Span[]): Span[] {
  return spans.flatMap((span) => {
    const left: Span[] = [];
    let fromMs = span.fromMs;
    for (const hole of clipSpans(taken, span.fromMs, span.toMs)) {
      if (hole.fromMs > fromMs) left.push({ fromMs, toMs: hole.fromMs });
      fromMs = Math.max(fromMs, hole.toMs);
    }
    return fromMs < span.toMs ? [...left, { fromMs, toMs: span.toMs }] : left;
  });
}

export const totalMs = (spans: readonly Span[]) => spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
