/**
 * A text in WhatsApp's own markup, as people type it on a phone. In the html of a post it is a paragraph with an attribute of its own, so that
 * a post is stored in one form, whichever way it was written, and the attribute keeps what the allowed tags cannot say: quotes, code, and
 * what is struck through. Browsers load this file, too.
 */
import { HTML_LIMIT } from './document.ts';

/** The attribute of a paragraph whose signs are marks, and whose lines and spaces stay. Only the text of such a paragraph counts. */
export const TYPED = { name: 'data-format', value: 'whatsapp' } as const;

// A message breaks its lines there, too.
const BREAKS = /\r\n?|[\v\f\u0085\u2028\u2029]/g;
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const SIGNS = /[&<>]/g;
/** Those that would begin a tag or a character reference. */
const READ_SIGNS = /&(?=[#a-z])|<(?=[a-z/!?])/gi;

/** Returns a text as typed with each line break as a line feed. */
export function settleBreaks(text: string): string {
  return text.replaceAll(BREAKS, '\n');
}

/** Returns html of a text as typed, as browsers write it; none of an empty one. */
export function htmlOfTyped(text: string): string {
  if (text === '') return '';
  const write = (signs: RegExp) => {
    const escaped = settleBreaks(text).replaceAll(signs, (sign) => ESCAPES[sign] ?? sign);
    return `<p ${TYPED.name}="${TYPED.value}">${escaped}</p>`;
  };
  const html = write(SIGNS);
  // A text within its limit is never too long as html.
  return html.length > HTML_LIMIT ? write(READ_SIGNS) : html;
}

/** Whether attributes say that a paragraph is a text as typed. */
export function isTyped(attributes: ReadonlyArray<{ name: string; value: string }>): boolean {
  return attributes.some(({ name, value }) => name === TYPED.name && value === TYPED.value);
}
