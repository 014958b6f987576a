/** Languages, as a person or a program names them. */
import { foldFieldName } from '../text/fold-name.ts';

/** Names are known in the languages of the dashboard, and each language's name in itself. */
const NAMED_IN = ['en', 'de', 'es', 'pt', 'id', 'hi'];
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

let tagsByName: ReadonlyMap<string, string> | undefined;

/** Returns the tag of BCP 47 in its canonical form; undefined for a text that names no language. */
export function readLanguage(text: string): string | undefined {
  tagsByName ??= nameLanguages();
  // As Indonesian puts it: the language of Germany.
  const named = tagsByName.get(foldFieldName(text).replace(/^bahasa /, ''));
  if (named !== undefined) return named;
  try {
    const [tag = ''] = Intl.getCanonicalLocales(text.replaceAll('_', '-'));
    // Any word of five to eight letters is well-formed, and so is any of two.
    return nameIn('en', tag.split('-')[0] ?? '') === undefined ? undefined : tag;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A name that two languages have is that of the first. */
function nameLanguages(): ReadonlyMap<string, string> {
  const codes = [...LETTERS].flatMap((first) => [...LETTERS].map((second) => first + second));
  const known = codes.filter((code) => nameIn('en', code) !== undefined && Intl.getCanonicalLocales(code)[0] === code);
  const names = new Map<string, string>();
  for (const code of known)
    for (const locale of [...NAMED_IN, code]) {
      const name = foldFieldName(nameIn(locale, code) ?? code);
      if (!names.has(name)) names.set(name, code);
    }
  return names;
}

const namers = new Map<string, Intl.DisplayNames>();

function nameIn(locale: string, code: string): string | undefined {
  let namer = namers.get(locale);
  if (!namer) namers.set(locale, (namer = new Intl.DisplayNames(locale, { type: 'language', fallback: 'none' })));
  return namer.of(code);
}
