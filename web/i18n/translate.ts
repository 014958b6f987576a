import { LANGUAGES, type Language } from '../../src/platform/i18n/languages.ts';
import {
  createTranslator,
  type CompiledMessage,
  type MessageKey,
  type Translate,
} from '../../src/platform/i18n/translator.ts';

export type { PlainKey } from '../../src/platform/i18n/translator.ts';
/** The compiled catalog of one language. */
export type Messages = Readonly<Record<MessageKey, CompiledMessage>>;

/** Returns a message in the language of this page. Modules that call it are loaded after `setMessages`: `main.ts` sees to that. */
// oxlint-disable-next-line import/no-mutable-exports
export let t: Translate;
// oxlint-disable-next-line import/no-mutable-exports
export let language: Language;
/** How numbers and times are written. */
// oxlint-disable-next-line import/no-mutable-exports
export let locale: string;

const loaded: Record<string, CompiledMessage> = {};

/** Sets the language of everything loaded from now on, its first messages, and how it writes numbers and dates. */
export function setMessages(
  chosen: Language,
  messages: Partial<Messages>,
  writtenAs: string = LANGUAGES[chosen].locale,
): void {
  language = chosen;
  locale = writtenAs;
  addMessages(messages);
  t = createTranslator(chosen, (key) => loaded[key] as CompiledMessage, writtenAs);
}

export function addMessages(messages: Partial<Messages>): void {
  Object.assign(loaded, messages);
}

/** Returns the text of a key that the service names, with the parameters of its answer; undefined: this page has no such message. */
export function findText(key: string, parameters: Readonly<Record<string, string | number>> = {}): string | undefined {
  return Object.hasOwn(loaded, key) ? (t as (key: string, parameters: object) => string)(key, parameters) : undefined;
}

/** Returns the message of a key that the service may have added since this page was built; undefined: there is none. */
export function findMessage(key: string): string | undefined {
  const message = loaded[key];
  return typeof message === 'string' ? message : undefined;
}
