import type { Words } from './words.ts';

/** Every language that the dashboard speaks: what it calls itself, and its words, which are loaded by who reads it alone. */
export const LANGUAGES = {
  en: { name: 'English', load: async (): Promise<Words> => (await import('./en.ts')).en },
  'pt-BR': { name: 'Português (Brasil)', load: async (): Promise<Words> => (await import('./pt-br.ts')).ptBR },
  hi: { name: 'हिन्दी', load: async (): Promise<Words> => (await import('./hi.ts')).hi },
  id: { name: 'Bahasa Indonesia', load: async (): Promise<Words> => (await import('./id.ts')).id },
  de: { name: 'Deutsch', load: async (): Promise<Words> => (await import('./de.ts')).de },
  es: { name: 'Español', load: async (): Promise<Words> => (await import('./es.ts')).es },
};

export type Language = keyof typeof LANGUAGES;

/** Where this browser keeps which one was chosen. */
const KEPT = 'campanile-language';

/** The one that was chosen in this browser; undefined where its own is to be followed. */
export function storedLanguage(): Language | undefined {
  const kept = localStorage.getItem(KEPT);
  return kept !== null && isLanguage(kept) ? kept : undefined;
}

/** Keeps a choice; undefined follows the browser again. It holds from the next load of the page on. */
export function storeLanguage(language: Language | undefined): void {
  if (language === undefined) localStorage.removeItem(KEPT);
  else localStorage.setItem(KEPT, language);
}

/** The first of the languages somebody reads, the dearest first, that is spoken here, whatever its country; else English. */
export function chooseLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const [primary] = tag.toLowerCase().split('-');
    const found = Object.keys(LANGUAGES).find((language) => language.toLowerCase().split('-')[0] === primary);
    if (found !== undefined && isLanguage(found)) return found;
  }
  return 'en';
}

export function isLanguage(name: string): name is Language {
  return Object.hasOwn(LANGUAGES, name);
}
