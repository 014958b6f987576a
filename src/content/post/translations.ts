/** The texts of a post in further languages, and which of them a group gets. */
import { writePlaceholders, type TemplateText } from '../text/placeholders.ts';
import type { Warning } from '../text/warnings.ts';

/** As requests and answers have it. */
export interface Translation {
  /** Of BCP 47, as groups have it. */
  language: string;
  html: string;
}

/** A translation as it is stored: its language is canonical. */
export type TranslatedText = Translation & TemplateText;

export const MOST_TRANSLATIONS = 20;
/** The language of a group among its values. A folded name has no capital letters, so it is the key of no field. */
export const LANGUAGE_KEY = 'LANGUAGE';

/** Returns the translations as one text, for people who compare them; undefined without any. */
export function showTranslations(translations: readonly TranslatedText[] = []): string | undefined {
  const shown = translations.map(
    ({ language, text, placeholders }) => `${language}: ${writePlaceholders(text, placeholders)}`,
  );
  return shown.length > 0 ? shown.join('\n\n') : undefined;
}

/** Returns the warnings of the text of a post and of each of its translations, which name their language. */
export function warnOfTexts(
  main: string,
  translations: readonly TranslatedText[] = [],
  warn: (text: string) => readonly Warning[],
): Warning[] {
  return [...warn(main), ...translations.flatMap(({ language, text }) => warn(text).map(inLanguage(language)))];
}

export const inLanguage =
  (language: string) =>
  ({ code, message, params }: Warning): Warning => ({
    code,
    message: `Text in ${language}: ${message}`,
    params: { ...params, language },
  });
