/** Numbers in [0, 1) that depend on the seed alone, so that a soak can be run again as it was. */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Span {
  minMs: number;
  maxMs: number;
}

export function drawMs(random: () => number, { minMs, maxMs }: Span): number {
  return minMs + random() * (maxMs - minMs);
}

/** One of them. There must be one. */
export function pick<T>(random: () => number, from: readonly T[]): T {
  const one = from[Math.floor(random() * from.length)];
  if (one === undefined) throw new Error('there is nothing to pick from');
  return one;
}

/** So many of them, in random order. */
export function draw<T>(random: () => number, from: readonly T[], count: number): T[] {
  return from
    .map((one) => ({ one, key: random() }))
    .toSorted((first, second) => first.key - second.key)
    .slice(0, count)
    .map(({ one }) => one);
}
