import { DOMSerializer, Fragment, type Node, type Schema } from '@tiptap/pm/model';
import { hasText, isList, isOwnBlock, isParagraph, LINE } from './line-model.ts';

/** Lines without an empty line between them, and the number of extra empty lines before them. */
interface Stanza {
  lines: Node[];
  emptyBefore: number;
  /** Its tag separates it from the stanza before, although there is no empty line. */
  isApart: boolean;
}

function stanzasOf(content: Fragment): Stanza[] {
  const stanzas: Stanza[] = [];
  let empty = 0;
  for (const line of content.content) {
    const stanza = stanzas.at(-1);
    if (line.isTextblock && !hasText(line)) empty++;
    else if (stanza && empty === 0 && continuesLines(stanza.lines, line)) stanza.lines.push(line);
    else {
      const isByBlock = isOwnBlock(line) || stanza?.lines.some(isOwnBlock) === true;
      const byTags = isByBlock ? 0 : LINE;
      stanzas.push({
        lines: [line],
        emptyBefore: stanza ? Math.max(0, empty - byTags) : 0,
        isApart: stanza !== undefined && empty === 0 && !isByBlock,
      });
      empty = 0;
    }
  }
  return stanzas;
}

/** Returns whether a line can join the element of the lines before it: their list, if there is one. */
function continuesLines(lines: readonly Node[], line: Node): boolean {
  if (lines.some(isOwnBlock)) return false;
  const list = lines.findLast(isList);
  if (!isList(line) || !list) return isParagraph(line) || isList(line);
  return lettersOf(line) === lettersOf(list);
}

/** The `type` of a list that is numbered by letters. */
function lettersOf({ attrs }: Node): unknown {
  return attrs['type'] ?? null;
}

/**
 * Returns the lists that are sent with an empty line before them although the editor shows none: lists of different letters cannot share an
 * element.
 */
export function listsApart(content: Fragment): Set<Node> {
  const lists = stanzasOf(content).flatMap(({ lines, isApart }) => (isApart ? lines.slice(0, 1) : []));
  return new Set(lists.filter(isList));
}

/** Serializes lines to the html of a campaign. */
export class LinesSerializer extends DOMSerializer {
  constructor(schema: Schema) {
    const { nodes, marks } = DOMSerializer.fromSchema(schema);
    super(nodes, marks);
  }

  /** With a `target`: serializes the content of one line. */
  override serializeFragment(
    content: Fragment,
    options: { document?: Document } = {},
    target?: HTMLElement | DocumentFragment,
  ): HTMLElement | DocumentFragment {
    if (target) return super.serializeFragment(content, options, target);
    const page = options.document ?? document;
    const written = page.createDocumentFragment();
    if (content.firstChild?.isInline) return super.serializeFragment(content, options, written);
    for (const { lines, emptyBefore } of stanzasOf(content)) {
      if (emptyBefore > 0) {
        const gap = page.createElement('p');
        for (let line = 0; line < emptyBefore; line++) gap.append(page.createElement('br'));
        written.append(gap);
      }
      written.append(this.#write(lines, page));
    }
    return written;
  }

  #write(lines: readonly Node[], page: Document): globalThis.Node {
    const [first] = lines;
    if (first && !isParagraph(first) && !isList(first)) return this.serializeNode(first, { document: page });
    const list = lines.find(isList);
    const tag = list
      ? (this.serializeNode(list.copy(Fragment.empty), { document: page }) as HTMLElement)
      : page.createElement('p');
    let next = Number(list?.attrs['start'] ?? 1);
    for (const [index, line] of lines.entries()) {
      const before = lines[index - 1];
      if (before && isParagraph(before) && isParagraph(line)) tag.append(page.createElement('br'));
      const written = page.createDocumentFragment();
      this.serializeFragment(line.content, { document: page }, written);
      const [first] = written.children;
      if (list && isList(line) && line.type !== list.type)
        for (const item of written.children) item.setAttribute('data-list', isNumbered(line) ? 'ordered' : 'bullet');
      if (isNumbered(line)) {
        const start = Number(line.attrs['start']);
        if (start !== next) first?.setAttribute('value', String(start));
        next = start + line.childCount;
      }
      tag.append(written);
    }
    return tag;
  }
}

function isNumbered({ type }: Node): boolean {
  return type.name === 'orderedList';
}
