/** The card that shows a link with its title, description and picture. */
import type { JpegPicture } from '../media/pictures.ts';

/** What a page says about itself. */
export interface FetchedCard {
  title: string;
  /** May be empty. */
  description: string;
  picture: JpegPicture | null;
}

// Line breaks, and the signs that turn the direction of a text around.
// oxlint-disable-next-line no-control-regex -- the control characters are the point
const NOT_SHOWN = /[\u0000-\u0020\u007f-\u00a0\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g;

/** Returns a text of a foreign page as one line of at most `limit` UTF-16 units. */
export function toOneLine(text: string, limit: number): string {
  const line = text.toWellFormed().replace(NOT_SHOWN, ' ').trim();
  return line.length <= limit
    ? line
    : `${line
        .slice(0, limit - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')
        .trimEnd()}…`;
}
