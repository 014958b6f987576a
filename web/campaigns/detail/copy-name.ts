import { words } from '../../words/words.ts';

/** The length limit of a name. */
const LIMIT = 200;

/** Returns the name of a copy. A copy of a copy is named like the first copy. */
export function copyName(name: string): string {
  const sign = words.campaign.copyOf('');
  if (name.endsWith(sign)) return name;
  const kept = name.slice(0, LIMIT - sign.length);
  // Does not split a surrogate pair.
  return words.campaign.copyOf(kept.isWellFormed() ? kept : kept.slice(0, -1));
}
