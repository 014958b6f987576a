/** Which of the texts of a post a group gets. Browsers load this file, too. */

/** Returns the language of the translation for a group of this language; '' for the main text. */
export type ChooseText = (language: string | null | undefined) => string;

/** Written alike enough to be read by all, the most widely read first. No standard has one of these tags come to another, as iw does to he. */
const NORWEGIAN = ['no', 'nb', 'nn'];

/**
 * Returns the function that chooses the text of a group: that in its language, else one in the same language and script, one without a
 * region first, else one in the same language, else in another Norwegian. Of several the first counts.
 */
export function compileChoice(translations: readonly { language: string }[] = []): ChooseText {
  const texts = translations.map(({ language }) => ({ language, ...readTag(language) }));
  const chosen = new Map(texts.map(({ language }) => [language, language]));
  const findNearest = (wanted: string): string => {
    const { primary, script } = readTag(wanted);
    const languages = [primary, ...(NORWEGIAN.includes(primary) ? NORWEGIAN : [])];
    const near =
      languages
        .map((language) => texts.filter((text) => text.primary === language))
        .find((found) => found.length > 0) ?? [];
    const alike = near.filter((text) => text.script === script);
    return (alike.find(({ region }) => region === undefined) ?? alike[0] ?? near[0])?.language ?? '';
  };
  return (language) => {
    if (!language || texts.length === 0) return '';
    const known = chosen.get(language) ?? findNearest(language);
    chosen.set(language, known);
    return known;
  };
}

function readTag(tag: string): { primary: string; script: string | undefined; region: string | undefined } {
  const locale = new Intl.Locale(tag);
  return { primary: locale.language, script: locale.maximize().script, region: locale.region };
}
