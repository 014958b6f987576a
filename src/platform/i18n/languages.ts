/** The languages of dashboard, notices and mails: each is a catalog in `messages/`. */
export const LANGUAGES = {
  en: { name: 'English', locale: 'en-GB' },
  'pt-BR': { name: 'Português (Brasil)', locale: 'pt-BR' },
  hi: { name: 'हिन्दी', locale: 'hi-IN' },
  id: { name: 'Bahasa Indonesia', locale: 'id-ID' },
  de: { name: 'Deutsch', locale: 'de-DE' },
  es: { name: 'Español', locale: 'es-419' },
} as const;

export type Language = keyof typeof LANGUAGES;

export const LANGUAGE_TAGS = Object.keys(LANGUAGES) as Language[];

/** The language of the source catalog, and of people whose language is unknown. */
export const DEFAULT_LANGUAGE: Language = 'en';

/** At most this much of an `Accept-Language` header is parsed. */
const LONGEST_HEADER = 500;

export function isLanguage(tag: string): tag is Language {
  return Object.hasOwn(LANGUAGES, tag);
}

/** Returns the stored language, or the default when none is stored or this version has no catalog for it. */
export function knownLanguage(stored: string | null): Language {
  return stored !== null && isLanguage(stored) ? stored : DEFAULT_LANGUAGE;
}

/** Returns the first of the BCP 47 tags, best first, that has a catalog for its primary language; undefined when none has. */
export function matchLanguage(tags: readonly string[]): Language | undefined {
  const primary = (tag: string) => tag.toLowerCase().split('-')[0];
  for (const tag of tags) {
    const found = LANGUAGE_TAGS.find((language) => primary(language) === primary(tag));
    if (found) return found;
  }
  return undefined;
}

/** Returns the best language for an `Accept-Language` header (RFC 9110, section 12.5.4); undefined when no catalog matches. */
export function negotiateLanguage(header: string | undefined): Language | undefined {
  const ranges = (header ?? '')
    .slice(0, LONGEST_HEADER)
    .split(',')
    .map((range) => {
      const [tag = '', weight] = range.split(/;\s*q=/);
      return { tag: tag.trim(), weight: weight === undefined ? 1 : Number(weight) };
    });
  const accepted = ranges.filter(({ weight }) => weight > 0).toSorted((one, other) => other.weight - one.weight);
  return matchLanguage(accepted.map(({ tag }) => tag));
}
