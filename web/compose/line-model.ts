import type { Node } from '@tiptap/pm/model';

/**
 * In the editor every paragraph is a line, an empty one an empty line, and what stands under each other there stands so in WhatsApp.
 * In the html of a campaign a `<br>` is a line break, and paragraphs, headings and lists are parted by an empty line
 * (docs/reference/formatting.md). `lines-parser.ts` and `lines-serializer.ts` convert between the two.
 */

/** Line breaks around a block, as its tag makes them; of neighbours the greater counts. `HELD`: one, whatever the neighbour says. */
export const HELD = 0;
export const LINE = 1;
export const BLOCK = 2;

/** An attribute that paragraphs have while html is read; in the editor each has the default. */
export const MARGIN = {
  default: LINE,
  rendered: false,
  keepOnSplit: false,
  parseHTML: (element: HTMLElement) => marginOf(element),
};

/** Says of a paragraph of html that is going to be read that no empty line parts it from others. */
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
