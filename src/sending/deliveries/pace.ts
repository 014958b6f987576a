/** A random gap between two sends of one account, in milliseconds. */
export interface Gap {
  minMs: number;
  maxMs: number;
}

/** The gap of each messenger. */
export type Gaps = Readonly<Record<string, Gap>>;

/** How long the lane waits after what was tried. */
export function randomGapMs(gaps: Gaps, messenger: string): number {
  const { minMs, maxMs } = gaps[messenger] ?? { minMs: 0, maxMs: 0 };
  return minMs + Math.random() * (maxMs - minMs);
}

/**
 * How much longer the gaps of an account are while the messaging application restricts it: 15 to 45 s in place of 5 to 15 s, which is
 * what others advise for numbers that are new to groups.
 */
export const SLOWED_TIMES = 3;

/** The whole gap of each messenger, which a lane waits whose turn was taken from its worker. */
export function gapMsOf(gaps: Gaps): Record<string, number> {
  return Object.fromEntries(Object.entries(gaps).map(([name, gap]) => [name, gap.maxMs]));
}

/** The messengers that have a gap: a turn on them is one delivery. */
export function pacedOf(gaps: Gaps): string[] {
  return Object.entries(gaps).flatMap(([name, gap]) => (gap.maxMs > 0 ? [name] : []));
}
