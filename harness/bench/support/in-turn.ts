import { count, median } from './table.ts';

/**
 * Measures each contender in turn, round after round, so that a slow moment of the machine meets all. Returns the medians. The first
 * rounds warm up and do not count.
 */
export async function measureInTurn<Name extends string>(
  contenders: Readonly<Record<Name, () => Promise<number>>>,
  { rounds, warmUps = rounds > 1 ? 1 : 0, unit = '/s' }: { rounds: number; warmUps?: number; unit?: string },
): Promise<Record<Name, number>> {
  const names = Object.keys(contenders) as Name[];
  const figures: Array<Record<string, number>> = [];
  for (let round = 1 - warmUps; round <= rounds; round++) {
    const found: Record<string, number> = {};
    for (const name of names) found[name] = await contenders[name]();
    if (round > 0) figures.push(found);
    console.log(`  round ${round}: ${names.map((name) => `${name} ${count(found[name] ?? 0)}${unit}`).join(', ')}`);
  }
  const medians = names.map((name) => [name, median(figures.map((found) => found[name] ?? 0))]);
  return Object.fromEntries(medians) as Record<Name, number>;
}

export async function timeMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
