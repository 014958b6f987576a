import { words } from '../../words/words.ts';

/** As long as a name may be. */
const LIMIT = 200;

/** What a copy is called, so that both can be told apart; a copy of a copy is called as the first one. */
export function copyName(name: string): string {
  const sign = words.campaign.copyOf('');
  if (name.endsWith(sign)) return name;
  const kept = name.slice(0, LIMIT - sign.length);
  // Not the half of a sign that takes two.
  return words.campaign.copyOf(kept.isWellFormed() ? kept : kept.slice(0, -1));
}
