/** Finds how little has to go wrong for a seed to fail. */

export interface Attempt {
  seed: number;
  steps: number;
  only: readonly number[];
}

/** How many times it is tried at most. */
const TRIES = 60;

/** The shortest prefix that still fails, by halving, with as few of its faults as do: each is left out that is not needed. */
export async function shrink(
  { seed, steps, harmed }: { seed: number; steps: number; harmed: readonly number[] },
  simulate: (attempt: Attempt) => Promise<{ faults: readonly string[] }>,
): Promise<Attempt> {
  let least: Attempt = { seed, steps, only: harmed };
  let tries = 0;
  const fails = async (attempt: Attempt) => {
    if (++tries > TRIES || (await simulate(attempt)).faults.length === 0) return false;
    least = attempt;
    return true;
  };
  for (let low = 0, high = steps; high - low > Math.max(1, steps / 64);) {
    const middle = Math.floor((low + high) / 2);
    if (await fails({ ...least, steps: middle, only: harmed.filter((number) => number < middle) })) high = middle;
    else low = middle;
  }
  for (let size = Math.ceil(least.only.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let from = 0; from < least.only.length;)
      if (!(await fails({ ...least, only: least.only.toSpliced(from, size) }))) from += size;
  return least;
}
