import { distance } from 'fastest-levenshtein';

const LONGEST_NAME = 64;
/** A name that differs in this many letters from another was hardly meant to be that. */
const FAR = 3;

/** Returns the known name that `name` is a misspelling of: at most two letters differ, and less than half. Case and punctuation do not count. */
export function findNearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const plain = (one: string) => one.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const far = (one: string) => distance(plain(one), plain(name));
  const [first] = known.map((one) => ({ one, by: far(one) })).toSorted((a, b) => a.by - b.by);
  return first && first.by < Math.min(FAR, plain(name).length / 2) ? first.one : undefined;
}
