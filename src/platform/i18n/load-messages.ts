import { readFileSync } from 'node:fs';
import compile from 'icu-minify/compile';
import type { Language } from './languages.ts';
import { createTranslator, type CompiledMessage, type MessageKey, type Translate } from './translator.ts';

const translators = new Map<Language, Translate>();

/** Returns a language's catalog: ICU messages by key. */
export function readCatalog(language: Language): Readonly<Record<string, string>> {
  const file = new URL(`../../../messages/${language}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
}

/** Returns the translator of a language. Its catalog is read once, and a message is compiled when it is first needed. */
export function translatorFor(language: Language): Translate {
  const known = translators.get(language);
  if (known) return known;
  const catalog = readCatalog(language);
  const compiled = new Map<MessageKey, CompiledMessage>();
  const translate = createTranslator(language, (key) => {
    const message = compiled.get(key) ?? compile(catalog[key] ?? '');
    compiled.set(key, message);
    return message;
  });
  translators.set(language, translate);
  return translate;
}
