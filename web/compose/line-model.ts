import type { Node } from '@tiptap/pm/model';
import { hasVisible } from '../../src/content/text/boundaries.ts';

/**
 * In the editor every paragraph is a line, and an empty paragraph is an empty line, as in WhatsApp. In the html of a campaign `<br>` is a
 * line break, and an empty line separates paragraphs, headings and lists (docs/reference/formatting.md). `lines-parser.ts` and
 * `lines-serializer.ts` convert between the two.
 */

/** Line breaks around a block; between two blocks the larger counts, as with CSS margins. `HELD`: one, whatever the neighbour has. */
export const HELD = 0;
export const LINE = 1;
export const BLOCK = 2;

/** An attribute of paragraphs while html is parsed; in the editor each has the default. */
export const MARGIN = {
  default: LINE,
  rendered: false,
  keepOnSplit: false,
  parseHTML: (element: HTMLElement) => marginOf(element),
};

function marginOf({ dataset }: HTMLElement): number {
  return dataset['margin'] === String(HELD) ? HELD : BLOCK;
}

export const TEXT = /[^ \t\n\f\r]/;

export const hasText = ({ textContent }: Node) => hasVisible(textContent);
/** Whether a line shows nothing, but by what html does not take off, as a no-break space: an empty line, then. */
export const isBlank = ({ textContent }: Node) => TEXT.test(textContent) && !hasVisible(textContent);
export const isParagraph = ({ type }: Node) => type.name === 'paragraph';
/** Whether it shares no element with other lines, and has an empty line around it: a heading, or a text as typed. */
export const isOwnBlock = ({ type }: Node) => type.name === 'heading' || type.name === 'typedParagraph';
export const isList = ({ type }: Node) => type.name === 'bulletList' || type.name === 'orderedList';
