/**
 * A text in WhatsApp's own markup, as people type it on a phone. In the html of a post it is a paragraph with an attribute of its own, so that
 * a post is stored in one form, whichever way it was written, and the attribute keeps what the allowed tags cannot say: quotes, code, and
 * what is struck through. Browsers load this file, too.
 */

/** The attribute of a paragraph whose signs are marks, and whose lines and spaces stay. Only the text of such a paragraph counts. */
export const TYPED = { name: 'data-format', value: 'whatsapp' } as const;

// A message breaks its lines there, too.
const BREAKS = /\r\n?|[\v\f\u0085\u2028\u2029]/g;
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Returns html of a text as typed; none of an empty one. */
export function htmlOfTyped(text: string): string {
  if (text === '') return '';
  const escaped = text.replaceAll(BREAKS, '\n').replaceAll(/[&<>]/g, (sign) => ESCAPES[sign] ?? sign);
  return `<p ${TYPED.name}="${TYPED.value}">${escaped}</p>`;
}

/** Whether attributes say that a paragraph is a text as typed. */
export function isTyped(attributes: ReadonlyArray<{ name: string; value: string }>): boolean {
  return attributes.some(({ name, value }) => name === TYPED.name && value === TYPED.value);
}
