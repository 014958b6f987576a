import { words } from '../words/words.ts';

/** The modifier key of shortcuts: ⌘ on Apple's systems, else Ctrl in the user's language. */
export function commandKey(platform = navigator.platform): string {
  return /^(?:Mac|iP)/.test(platform) ? '⌘' : words.keys.control;
}
