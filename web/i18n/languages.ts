import { DEFAULT_LANGUAGE, isLanguage, matchLanguage, type Language } from '../../src/platform/i18n/languages.ts';
import type { Messages } from './translate.ts';

/** Vite compiles the catalogs (`compile-messages.ts`); each is a chunk that only its readers load. */
const CATALOGS: Readonly<Record<Language, () => Promise<{ default: unknown }>>> = {
  en: () => import('../../messages/en.json'),
  'pt-BR': () => import('../../messages/pt-BR.json'),
  hi: () => import('../../messages/hi.json'),
  id: () => import('../../messages/id.json'),
  de: () => import('../../messages/de.json'),
  es: () => import('../../messages/es.json'),
};

/** Where this browser keeps the chosen language. */
const STORAGE_KEY = 'campanile-language';

export async function loadMessages(language: Language): Promise<Messages> {
  return (await CATALOGS[language]()).default as Messages;
}

/** The language that was chosen in this browser; undefined: the browser's own is followed. */
export function storedLanguage(): Language | undefined {
  const stored = localStorage.getItem(STORAGE_KEY);
  return stored !== null && isLanguage(stored) ? stored : undefined;
}

/** Stores a choice; undefined follows the browser again. It holds from the next load of the page on. */
export function storeLanguage(language: Language | undefined): void {
  if (language === undefined) localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, language);
}

/** Returns the language of this page: the chosen one, else the browser's, else English. */
export function currentLanguage(): Language {
  return storedLanguage() ?? matchLanguage(navigator.languages) ?? DEFAULT_LANGUAGE;
}
