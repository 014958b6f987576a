import { t } from '../i18n/translate.ts';

/** The modifier key of shortcuts: ⌘ on Apple's systems, else Ctrl in the user's language. */
export function commandKey(platform = navigator.platform): string {
  return /^(?:Mac|iP)/.test(platform) ? '⌘' : t('keys.control');
}
