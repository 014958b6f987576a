import { DOMParser, Fragment, Slice, type Node, type ParseOptions, type Schema } from '@tiptap/pm/model';
import { BLOCK, hasText, HELD, isBlank, isList, isOwnBlock, isParagraph, LINE, TEXT } from './line-model.ts';

/** ProseMirror would drop a `<br>` at the end of a block. */
const EVERY_BREAK = { ruleFromNode: () => null };

/** Parses html of a campaign or of the clipboard into lines. */
export class LinesParser extends DOMParser {
  constructor(schema: Schema) {
    super(schema, DOMParser.fromSchema(schema).rules);
  }

  override parse(dom: HTMLElement, options?: ParseOptions): Node {
    for (const list of dom.querySelectorAll('ul, ol')) takeLinesOut(list);
    const doc = super.parse(dom, options);
    return doc.type.create(null, this.#toLines(doc.content));
  }

  override parseSlice(dom: HTMLElement, options?: ParseOptions): Slice {
    for (const list of dom.querySelectorAll('ul, ol')) takeLinesOut(list);
    const { content } = super.parseSlice(dom, { ...options, ...EVERY_BREAK });
    // A slice of a list has no lines of its own.
    return content.firstChild?.type.name === 'listItem'
      ? Slice.maxOpen(content)
      : Slice.maxOpen(Fragment.from(this.#toLines(content)));
  }

  #toLines(content: Fragment): Node[] {
    const { schema } = this;
    const lines: Node[] = [];
    let breaks = 0;
    let marginBefore: number | undefined;
    const add = (line: Node) => {
      const before = lines.at(-1);
      // It keeps its distance in the editor, too.
      const own = isOwnBlock(line) || (before && isOwnBlock(before)) ? BLOCK : LINE;
      if (before) for (; breaks > own; breaks--) lines.push(schema.node('paragraph'));
      lines.push(line);
      breaks = 0;
    };
    for (const block of this.#inBlocks(content)) {
      const margin = isParagraph(block) ? Number(block.attrs['margin']) : BLOCK;
      const isHeld = margin === HELD || marginBefore === HELD;
      breaks = Math.max(breaks, isHeld ? LINE : Math.max(margin, marginBefore ?? 0));
      marginBefore = margin;
      if (!isParagraph(block)) {
        const { node, emptyLines } = isList(block) ? takeEmptyLinesOff(block) : { node: block, emptyLines: 0 };
        if (hasText(node)) add(node);
        else if (block.type.name === 'heading' && isBlank(block)) breaks++;
        else if (isList(block)) breaks += emptyLinesOf(block);
        if (emptyLines > 0) breaks = LINE + emptyLines;
        continue;
      }
      const own = atBreaks(block);
      for (const [index, line] of own.entries()) {
        if (index > 0) breaks++;
        if (hasText(line)) add(schema.node('paragraph', null, line.content));
      }
      // A break would have ended it.
      if (own.slice(-1).some(isBlank)) breaks++;
    }
    return lines.length > 0 ? lines : [schema.node('paragraph')];
  }

  /** Wraps inline content outside a block into a paragraph. */
  #inBlocks(content: Fragment): Node[] {
    const blocks: Node[] = [];
    let inline: Node[] = [];
    const end = () => {
      if (inline.length > 0) blocks.push(this.schema.node('paragraph', null, inline));
      inline = [];
    };
    for (const node of content.content) {
      if (node.isInline) inline.push(node);
      else {
        end();
        blocks.push(node);
      }
    }
    end();
    return blocks;
  }
}

/** Returns a list without the empty lines at the end of its last item: they separate it from what follows. */
function takeEmptyLinesOff(list: Node): { node: Node; emptyLines: number } {
  const item = list.lastChild;
  const kept = [...(item?.content.content ?? [])];
  let emptyLines = 0;
  for (let last = kept.pop(); last; last = kept.pop()) {
    if (isList(last)) {
      const inner = takeEmptyLinesOff(last);
      kept.push(inner.node);
      emptyLines += inner.emptyLines;
      break;
    }
    const lines = atBreaks(last);
    const shown = lines.findLastIndex(hasText) + 1;
    // A break at the end of an item only ends its line.
    if (shown < lines.length) emptyLines += lines.length - shown - (lines.slice(-1).some(isBlank) ? 0 : 1);
    if (shown === 0) continue;
    kept.push(shown < lines.length ? last.cut(0, endOfLine(last, shown)) : last);
    break;
  }
  if (!item || kept.length === 0) return { node: list, emptyLines: 0 };
  return {
    node: list.copy(list.content.replaceChild(list.childCount - 1, item.copy(Fragment.from(kept)))),
    emptyLines,
  };
}

/** Returns how many lines are empty in a list that shows nothing. */
function emptyLinesOf(list: Node): number {
  let emptyLines = 0;
  list.descendants((node) => {
    if (!isParagraph(node)) return;
    emptyLines += atBreaks(node)
      .slice(0, -1)
      .filter((line) => !isBlank(line)).length;
  });
  return emptyLines;
}

/** Returns the position of the break that ends the line of this number, from 1. */
function endOfLine(paragraph: Node, number: number): number {
  let breaks = 0;
  let end = paragraph.content.size;
  paragraph.forEach(({ type }, offset) => {
    if (type.name === 'hardBreak' && ++breaks === number) end = offset;
  });
  return end;
}

function atBreaks(paragraph: Node): Node[] {
  const lines: Node[][] = [[]];
  for (const node of paragraph.content.content)
    if (node.type.name === 'hardBreak') lines.push([]);
    else lines.at(-1)?.push(node);
  return lines.map((content) => paragraph.copy(Fragment.from(content)));
}

/**
 * `LinesSerializer` writes lines between list items, and items of another kind, into the list, so that no empty line separates them. This
 * moves the lines out again, marked `HELD`, and splits the list.
 */
function takeLinesOut(list: Element): void {
  const nodes = [...list.childNodes];
  if (list.parentElement?.closest('ul, ol') || nodes.every((node) => isOwnItem(node) || hasNoText(node))) return;
  const page = list.ownerDocument;
  const pieces: HTMLElement[] = [];
  const add = (tag: string) => {
    const piece = page.createElement(tag);
    pieces.push(piece);
    if (tag === 'P') piece.dataset['margin'] = String(HELD);
    const letters = list.getAttribute('type');
    if (tag === 'OL' && letters !== null) piece.setAttribute('type', letters);
    return piece;
  };
  let next = Number.parseInt(list.getAttribute('start') ?? '', 10) || 1;
  for (const node of nodes) {
    const tag = isItem(node) ? listTagOf(node, list) : 'P';
    const number = tag === 'OL' && node instanceof Element ? (numberOf(node) ?? next) : next;
    let piece = pieces.at(-1);
    if (piece?.tagName !== tag || number !== next) {
      if (hasNoText(node) && !isItem(node)) continue;
      if (tag !== 'P' && piece && piece.tagName !== 'P') add('P');
      piece = add(tag);
      if (tag === 'OL') piece.setAttribute('start', String(number));
    }
    if (node.nodeName === 'LI' && tag === 'OL') next = number + 1;
    piece.append(node);
  }
  for (const piece of pieces.filter(({ tagName }) => tagName === 'P'))
    for (const inner of piece.querySelectorAll('p')) inner.dataset['margin'] = String(HELD);
  list.replaceWith(page.createElement('p'), ...pieces, page.createElement('p'));
}

function isItem({ nodeName }: ChildNode): boolean {
  return /^(?:LI|UL|OL)$/.test(nodeName);
}

/** Whether a node is an item whose marker is that of its list. */
function isOwnItem(node: ChildNode): boolean {
  return isItem(node) && node instanceof Element && !node.hasAttribute('data-list') && numberOf(node) === undefined;
}

function hasNoText(node: ChildNode): boolean {
  return node.nodeName !== 'BR' && !TEXT.test(node.textContent ?? '');
}

function listTagOf(item: ChildNode, list: Element): string {
  const kind = item instanceof Element ? item.getAttribute('data-list') : null;
  return kind === null ? list.tagName : kind === 'ordered' ? 'OL' : 'UL';
}

function numberOf(item: Element): number | undefined {
  const number = Number.parseInt(item.getAttribute('value') ?? '', 10);
  return Number.isNaN(number) ? undefined : number;
}
