/** Returns a seeded generator of numbers in [0, 1), so that what it decides is reproducible. */
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

/** Returns a random element. Throws if there is none. */
export function pick<T>(random: () => number, from: readonly T[]): T {
  const one = from[Math.floor(random() * from.length)];
  if (one === undefined) throw new Error('there is nothing to pick from');
  return one;
}

/** Returns `count` elements in random order. */
export function draw<T>(random: () => number, from: readonly T[], count: number): T[] {
  return from
    .map((one) => ({ one, key: random() }))
    .toSorted((first, second) => first.key - second.key)
    .slice(0, count)
    .map(({ one }) => one);
}
