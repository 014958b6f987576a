import { words } from '../words/words.ts';

/** The key that goes with others on this machine's keyboard: ⌘ on Apple's, else Ctrl as the language calls it. */
export function commandKey(platform = navigator.platform): string {
  return /^(?:Mac|iP)/.test(platform) ? '⌘' : words.keys.control;
}
