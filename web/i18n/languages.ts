import { DEFAULT_LANGUAGE, isLanguage, matchLanguage, type Language } from '../../src/platform/i18n/languages.ts';
import { addMessages, type Messages } from './translate.ts';

/** Loads one part of the messages of a language (`compile-messages.ts`), by the path of the catalog. */
type Loaders = Readonly<Record<string, () => Promise<Partial<Messages>>>>;
const SIGN_IN: Loaders = import.meta.glob<Partial<Messages>>('../../messages/*.json', {
  query: '?sign-in',
  import: 'default',
});
const SIGNED_IN: Loaders = import.meta.glob<Partial<Messages>>('../../messages/*.json', {
  query: '?signed-in',
  import: 'default',
});

/** Where this browser keeps the chosen language. */
const STORAGE_KEY = 'campanile-language';

/** Loads the messages of the sign-in form, which are few: visitors on slow connections wait for them. */
export function loadSignInMessages(language: Language): Promise<Partial<Messages>> {
  return load(SIGN_IN, language);
}

/** Loads a module that shows other messages than the sign-in form, after these messages. */
export async function loadWithMessages<Module>(importModule: () => Promise<Module>): Promise<Module> {
  addMessages(await load(SIGNED_IN, currentLanguage()));
  return importModule();
}

async function load(loaders: Loaders, language: Language): Promise<Partial<Messages>> {
  const ofLanguage = (tag: Language) => loaders[`../../messages/${tag}.json`]?.() ?? {};
  // During development a message may be in English alone; the tests keep a build from lacking any.
  return import.meta.env.DEV ? { ...(await ofLanguage('en')), ...(await ofLanguage(language)) } : ofLanguage(language);
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

/**
 * Returns the locale of numbers and dates: of the first region that the browser names in the language of the page, so that they are
 * written as its reader's other programs do; undefined: it names none.
 */
export function regionalLocale(language: Language): string | undefined {
  const { language: own } = new Intl.Locale(language);
  return navigator.languages.find((tag) => {
    const locale = parseLocale(tag);
    return locale?.language === own && locale.region !== undefined;
  });
}

/** Returns undefined for what some systems have in place of a tag, such as `en-US@posix`. */
function parseLocale(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns the language of this page: the chosen one, else the browser's, else English. */
export function currentLanguage(): Language {
  return storedLanguage() ?? matchLanguage(navigator.languages) ?? DEFAULT_LANGUAGE;
}
