import { DOMParser, Fragment, Slice, type Node, type ParseOptions, type Schema } from '@tiptap/pm/model';
import { BLOCK, hasText, HELD, isHeading, isParagraph, LINE, TEXT } from './line-model.ts';

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
      // A heading keeps its distance in the editor, too.
      const own = isHeading(line) || (before && isHeading(before)) ? BLOCK : LINE;
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
        if (hasText(block)) add(block);
        continue;
      }
      for (const [index, line] of atBreaks(block).entries()) {
        if (index > 0) breaks++;
        if (hasText(line)) add(schema.node('paragraph', null, line.content));
      }
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

function atBreaks(paragraph: Node): Node[] {
  const lines: Node[][] = [[]];
  for (const node of paragraph.content.content)
    if (node.type.name === 'hardBreak') lines.push([]);
    else lines.at(-1)?.push(node);
  return lines.map((content) => paragraph.copy(Fragment.from(content)));
}

/**
 * `LinesSerializer` writes lines between list items into the list, so that no empty line separates them. This moves them out again, marked
 * `HELD`, and splits the list.
 */
function takeLinesOut(list: Element): void {
  const nodes = [...list.childNodes];
  const isItem = ({ nodeName }: ChildNode) => /^(?:LI|UL|OL)$/.test(nodeName);
  const isBlank = (node: ChildNode) => node.nodeName !== 'BR' && !TEXT.test(node.textContent ?? '');
  if (list.parentElement?.closest('ul, ol') || nodes.every((node) => isItem(node) || isBlank(node))) return;
  const page = list.ownerDocument;
  const pieces: HTMLElement[] = [];
  let number = Number.parseInt(list.getAttribute('start') ?? '', 10) || 1;
  for (const node of nodes) {
    const tag = isItem(node) ? list.tagName : 'P';
    let piece = pieces.at(-1);
    if (piece?.tagName !== tag) {
      if (isBlank(node) && !isItem(node)) continue;
      pieces.push((piece = page.createElement(tag)));
      if (tag === 'OL') piece.setAttribute('start', String(number));
      if (tag === 'P') piece.dataset['margin'] = String(HELD);
    }
    if (node.nodeName === 'LI') number++;
    piece.append(node);
  }
  for (const piece of pieces.filter(({ tagName }) => tagName === 'P'))
    for (const inner of piece.querySelectorAll('p')) inner.dataset['margin'] = String(HELD);
  list.replaceWith(page.createElement('p'), ...pieces, page.createElement('p'));
}
