import type { Node } from '@tiptap/pm/model';

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

/** Marks a paragraph that no empty line separates from its neighbours. */
export function setTight(paragraph: HTMLElement): void {
  paragraph.dataset['margin'] = String(LINE);
}

export function isTight(paragraph: HTMLElement): boolean {
  return marginOf(paragraph) === LINE;
}

function marginOf({ dataset }: HTMLElement): number {
  if (dataset['margin'] === undefined) return BLOCK;
  return dataset['margin'] === String(HELD) ? HELD : LINE;
}

export const TEXT = /[^ \t\n\f\r]/;

export const hasText = ({ textContent }: Node) => TEXT.test(textContent);
export const isParagraph = ({ type }: Node) => type.name === 'paragraph';
export const isHeading = ({ type }: Node) => type.name === 'heading';
export const isList = ({ type }: Node) => type.name === 'bulletList' || type.name === 'orderedList';
