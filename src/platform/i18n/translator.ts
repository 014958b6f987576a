import format, { type CompiledMessage } from 'icu-minify/format';
import { LANGUAGES, type Language } from './languages.ts';
import type { MessageParameters } from '../../../messages/parameters.ts';

type Catalog = typeof import('../../../messages/en.json', { with: { type: 'json' } });

export type MessageKey = keyof Catalog;
/** The messages without parameters. */
export type PlainKey = Exclude<MessageKey, keyof MessageParameters>;
export type { CompiledMessage } from 'icu-minify/format';

/** The parameters of a message; of several messages, those of any. */
type Parameters<Key extends MessageKey> = Key extends MessageKey
  ? Key extends keyof MessageParameters
    ? [parameters: MessageParameters[Key]]
    : []
  : never;

/** Returns a message in the translator's language. Throws where a parameter is missing. */
export type Translate = <Key extends MessageKey>(key: Key, ...parameters: Parameters<Key>) => string;

/** Returns the function that formats the messages of one language: plurals by its CLDR rules, numbers by its locale or another one. */
export function createTranslator(
  language: Language,
  findMessage: (key: MessageKey) => CompiledMessage,
  writtenAs: string = LANGUAGES[language].locale,
): Translate {
  const { locale } = LANGUAGES[language];
  const numberFormat = new Intl.NumberFormat(writtenAs);
  const pluralRules = new Intl.PluralRules(locale);
  const formatters = {
    getNumberFormat: () => numberFormat,
    getPluralRules: () => pluralRules,
    getDateTimeFormat: () => {
      throw new Error('dates are formatted by the caller, who knows the time zone');
    },
  };
  return (key, ...[parameters]) => {
    const text = format<string>(findMessage(key), locale, parameters ?? {}, { formatters });
    return typeof text === 'string' ? text : String(text);
  };
}
