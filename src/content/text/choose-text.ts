/** Which of the texts of a post a group gets. Browsers load this file, too. */

/** Returns the language of the translation for a group of this language; '' for the main text. */
export type ChooseText = (language: string | null | undefined) => string;

/**
 * Returns the function that chooses the text of a group: that in its language, else one in the same language and script, one without a
 * region first, else one in the same language. Of several the first counts.
 */
export function compileChoice(translations: readonly { language: string }[] = []): ChooseText {
  const texts = translations.map(({ language }) => ({ language, ...readTag(language) }));
  const chosen = new Map(texts.map(({ language }) => [language, language]));
  const findNearest = (wanted: string): string => {
    const { primary, script } = readTag(wanted);
    const near = texts.filter((text) => text.primary === primary);
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
