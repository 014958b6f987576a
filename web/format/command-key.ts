import { t } from '../i18n/translate.ts';

/** The key that goes with others on this machine's keyboard: ⌘ on Apple's, else Ctrl as the language calls it. */
export function commandKey(platform = navigator.platform): string {
  return /^(?:Mac|iP)/.test(platform) ? '⌘' : t('keys.control');
}
