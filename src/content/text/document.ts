/** The content of a message, between HTML and WhatsApp's markup: lines of runs of text. */

/** The longest text of a message, in UTF-16 code units as WhatsApp counts (contract §3, add-campaign). */
export const TEXT_LIMIT = 65_536;

/** The longest html of a post, in UTF-16 code units. */
export const HTML_LIMIT = 262_144;

/** The style of a run: 0 is plain, else `BOLD`, `ITALIC` or both. */
export type Style = number;
export const PLAIN = 0;
export const BOLD = 1;
export const ITALIC = 2;

/** Text without line breaks, never empty. */
export interface Run {
  text: string;
  style: Style;
}

/** A list item's head: a bullet, or the number it has. */
export type Head = 'bullet' | number;

/**
 * One line. Its white space is collapsed and trimmed, except no-break spaces. Adjacent runs differ in style. An address that messengers
 * turn into a link is plain: a link could swallow the sign that ends the bold (facts on the text format).
 */
export interface Line {
  head: Head | undefined;
  runs: readonly Run[];
  /** Its signs are marks, as its author typed them: one plain run, with every space but those at its end. */
  isTyped?: true;
}

/** Lines from top to bottom; one without runs is empty. The first and the last are not. */
export type Document = Line[];
