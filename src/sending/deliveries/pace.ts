/** A random gap between two sends of one account, in milliseconds. */
export interface Range {
  minMs: number;
  maxMs: number;
}

export interface Gap extends Range {
  /** During a warm-up, unless the usual gap is longer. Default is the usual gap. */
  warmUp?: Range | undefined;
}

/** The gap of each messenger. */
export type Gaps = Readonly<Record<string, Gap>>;

/** An account that has sent. */
interface Sender {
  messenger: string;
  isWarmingUp?: boolean | undefined;
}

/** How long the lane waits after what was tried. */
export function randomGapMs(gaps: Gaps, { messenger, isWarmingUp = false }: Sender): number {
  const gap = gaps[messenger] ?? { minMs: 0, maxMs: 0 };
  const { minMs, maxMs } = isWarmingUp ? warmUpGap(gap) : gap;
  return minMs + Math.random() * (maxMs - minMs);
}

/** Returns the gap of an account that is warming up. */
export function warmUpGap({ minMs, maxMs, warmUp }: Gap): Range {
  return { minMs: Math.max(minMs, warmUp?.minMs ?? 0), maxMs: Math.max(maxMs, warmUp?.maxMs ?? 0) };
}

/**
 * The whole gap of each messenger, which a lane waits whose turn was taken from its worker. The key `NAME/warm_up` has that of an account
 * that is warming up.
 */
export function gapMsOf(gaps: Gaps): Record<string, number> {
  return Object.fromEntries(
    Object.entries(gaps).flatMap(([name, gap]) => [
      [name, gap.maxMs],
      [`${name}/warm_up`, warmUpGap(gap).maxMs],
    ]),
  );
}

/** The messengers that have a gap: a turn on them is one delivery. */
export function pacedOf(gaps: Gaps): string[] {
  return Object.entries(gaps).flatMap(([name, gap]) => (gap.maxMs > 0 ? [name] : []));
}
