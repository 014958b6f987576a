import { locale } from '../i18n/translate.ts';

/**
 * Returns a text of at most `limit` UTF-16 code units, an ellipsis included. It is cut at a space; without one in the second half, between
 * words as the language has them; within a longer word, between what a reader sees as characters.
 */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const space = text.slice(0, limit).search(/\s+\S*$/);
  const end =
    space > limit / 2 ? space : boundaryBefore(text, limit, 'word') || boundaryBefore(text, limit, 'grapheme');
  return `${text.slice(0, end).replace(/[\s,;:.!?、，。–—-]+$/, '')}…`;
}

function boundaryBefore(text: string, limit: number, granularity: 'word' | 'grapheme'): number {
  const parts = [...new Intl.Segmenter(locale, { granularity }).segment(text)];
  return parts.findLast(({ index }) => index < limit)?.index ?? 0;
}
