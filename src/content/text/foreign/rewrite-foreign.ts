import { hasVisible } from '../boundaries.ts';
import { boxOf, levelsBelow, readListTraits } from '../reading/list-markers.ts';
import { AllowedWriter, BLOCK_GAP, LINE_GAP, type ItemStart, type Link } from './allowed-writer.ts';
import { attributeOf, isElement, isText, textOf, type ForeignElement, type ForeignNode } from './node.ts';
import { readLook, readStyleSheet, type Look, type StyleSheet } from './styles.ts';
import { isLineRow, rowsOf, shownCells } from './tables.ts';
import { effectOf, type Effect } from './tag-rules.ts';
import { isListPart, readWordItems } from './word-lists.ts';

export interface Rewritten {
  /** HTML of allowed tags that says the same. */
  html: string;
  /** Texts that were left out since a reader of the page does not see them, each once. */
  hidden: Set<string>;
  hasEmptyLink: boolean;
  /** Whether something was struck through, code or a quote, which only its text is left of. */
  isPlainer: boolean;
}

/**
 * Rewrites HTML of any program as HTML of the allowed tags, as a browser shows it: editors, word processors, mails. It has no parser and
 * knows no browser, so that the service and the dashboard's editor read the same.
 */
export function rewriteForeign(nodes: readonly ForeignNode[]): Rewritten {
  return new Rewriter(readStyleSheet(nodes)).rewrite(nodes);
}

/** What the elements around a node decide. */
interface Context {
  isBold: boolean;
  isItalic: boolean;
  /** Whether its text is too small to be seen. */
  isTiny: boolean;
  shift: Look['shift'];
  link: Link | undefined;
  keepsLines: boolean;
  /** Lists around it. */
  depth: number;
  /** What the list around it says about its items. */
  list: Pick<Look, 'letters' | 'kind'> | undefined;
}

const OUTERMOST: Context = {
  isBold: false,
  isItalic: false,
  isTiny: false,
  shift: undefined,
  link: undefined,
  keepsLines: false,
  depth: 0,
  list: undefined,
};
/** Many pages show emoji as images. */
const EMOJI = /\p{RGI_Emoji}|\p{Extended_Pictographic}\ufe0f?/gv;
/** Those that are breaks wherever they stand: of PowerPoint, and of what is typed on a Mac. */
const BREAK = /[\v\u2028\u2029]/;
const ANY_BREAK = /\r\n?|[\n\v\u2028\u2029]/;
const PLAINER = new Set(['s', 'strike', 'del', 'code', 'kbd', 'tt', 'pre', 'blockquote']);

class Rewriter {
  readonly #sheet: StyleSheet;
  readonly #writer = new AllowedWriter();
  readonly #found: Omit<Rewritten, 'html'> = { hidden: new Set(), hasEmptyLink: false, isPlainer: false };
  /** Attributes of links that have text. Copies of a link, which misnesting makes, share them. */
  readonly #linksWithText = new Set<unknown>();

  constructor(sheet: StyleSheet) {
    this.#sheet = sheet;
  }

  rewrite(nodes: readonly ForeignNode[]): Rewritten {
    this.#walkAll(nodes, OUTERMOST);
    return { html: this.#writer.finish(), ...this.#found };
  }

  #walkAll(nodes: readonly ForeignNode[], context: Context): void {
    let listParts: ForeignElement[] = [];
    const endList = () => {
      if (listParts.length > 0) this.#writeWordList(listParts, context);
      listParts = [];
    };
    for (const node of nodes) {
      if (isElement(node) && isListPart(node)) listParts.push(node);
      else if (listParts.length === 0 || !isText(node) || node.value.trim() !== '') {
        endList();
        this.#walk(node, context);
      }
    }
    endList();
  }

  #walk(node: ForeignNode, context: Context): void {
    if (isText(node)) return this.#writeText(node.value, context);
    if (!isElement(node)) return;
    const effect = effectOf(node.tagName);
    if (effect === 'unseen') return;
    const look = readLook(node, this.#sheet);
    if (look.isHidden || effect === 'gone') return this.#leaveOut(textOf(node));
    const isTiny = look.isTiny ?? context.isTiny;
    if (isTiny && !hasVisible(textOf(node))) return;
    this.#found.isPlainer ||= look.isStruck || PLAINER.has(node.tagName);
    this.#write(node, look.display === undefined ? effect : displayed(effect, look.display), look, {
      ...context,
      isTiny,
      shift: look.shift ?? (effect === 'raised' || effect === 'lowered' ? effect : context.shift),
      isBold: look.isBold ?? (context.isBold || effect === 'bold'),
      isItalic: look.isItalic ?? (context.isItalic || effect === 'italic'),
      keepsLines: look.keepsLines ?? (context.keepsLines || effect === 'pre'),
    });
  }

  #write(element: ForeignElement, effect: Effect | undefined, look: Look, context: Context): void {
    const writer = this.#writer;
    switch (effect) {
      case 'box':
        if (attributeOf(element, 'type') !== 'checkbox') return undefined;
        return writer.writeBox(boxOf({ isChecked: attributeOf(element, 'checked') !== undefined }));
      case 'break':
        return writer.breakLine();
      case 'image':
        return this.#writeText(emojiOf(element), context);
      case 'link':
        if (look.display === 'block') writer.endBlock(LINE_GAP);
        this.#writeLink(element, context);
        return look.display === 'block' ? writer.endBlock(LINE_GAP) : undefined;
      case 'list':
        return this.#writeList(element, look, context);
      case 'item':
        return this.#writeItem(element, look, context);
      case 'quote':
        writer.text('“', context);
        this.#walkAll(element.childNodes, context);
        return writer.text('”', context);
      case 'table':
        return this.#writeTable(element, context);
      case 'heading':
        writer.openHeading(element.tagName);
        this.#walkAll(element.childNodes, context);
        return writer.closeHeading();
      case 'line':
      case 'paragraph':
      case 'pre': {
        const gap = effect === 'line' || look.isTight ? LINE_GAP : BLOCK_GAP;
        writer.endBlock(gap);
        this.#walkAll(element.childNodes, context);
        return writer.endBlock(gap);
      }
      default:
        return this.#walkAll(element.childNodes, context);
    }
  }

  #writeText(text: string, context: Context): void {
    if (context.isTiny) return this.#leaveOut(text);
    const isBlank = text.trim() === '';
    const lines = isBlank ? [text] : text.split(context.keepsLines ? ANY_BREAK : BREAK);
    for (const [index, line] of lines.entries()) {
      if (index > 0) this.#writer.breakLine();
      this.#writer.text(shiftDigits(line, context.shift), context);
    }
  }

  #leaveOut(text: string): void {
    if (hasVisible(text)) this.#found.hidden.add(text.replaceAll(/\s+/g, ' ').trim());
  }

  #writeLink(element: ForeignElement, context: Context): void {
    const href = attributeOf(element, 'href');
    if (href === undefined) return this.#walkAll(element.childNodes, context);
    const link: Link = { href, line: undefined };
    this.#walkAll(element.childNodes, { ...context, link });
    if (link.line) this.#linksWithText.add(element.attrs);
    else this.#found.hasEmptyLink ||= !this.#linksWithText.has(element.attrs);
  }

  #writeList(element: ForeignElement, look: Look, context: Context): void {
    const first = element.childNodes.find(isElement);
    // Google Docs says it of the items.
    const { number, letters = look.letters ?? (first && readLook(first, this.#sheet).letters) } = readListTraits(
      element.attrs,
    );
    const isNumbered = element.tagName === 'ol';
    const own = { letters, kind: look.kind };
    this.#writer.openList({ tag: isNumbered ? 'ol' : 'ul', number, letters: isNumbered ? letters : undefined });
    this.#walkAll(element.childNodes, { ...context, depth: context.depth + 1, list: own });
    this.#writer.closeList(look.isTight ? LINE_GAP : BLOCK_GAP);
  }

  #writeItem(element: ForeignElement, look: Look, context: Context): void {
    const traits = readListTraits(element.attrs);
    const start: ItemStart = {
      kind: traits.kind ?? look.kind ?? context.list?.kind,
      number: traits.number,
      below: levelsBelow(traits, Math.max(1, context.depth)),
    };
    this.#writer.openItem(start);
    this.#writer.writeBox(boxOf(traits));
    this.#walkAll(element.childNodes, context);
    this.#writer.closeItem();
  }

  #writeWordList(parts: readonly ForeignElement[], context: Context): void {
    const items = readWordItems(parts, this.#sheet);
    const [first] = items;
    if (first === undefined) return;
    const tag = first.kind === 'ordered' ? 'ol' : 'ul';
    this.#writer.openList({ tag, number: first.below === 0 ? first.number : undefined, letters: first.letters });
    for (const item of items) {
      this.#writer.openItem(item);
      const look = readLook(item.element, this.#sheet);
      this.#walkAll(item.content, { ...context, isBold: look.isBold ?? context.isBold, depth: 1, list: undefined });
      this.#writer.closeItem();
    }
    this.#writer.closeList(BLOCK_GAP);
  }

  #writeTable(table: ForeignElement, context: Context): void {
    const writer = this.#writer;
    writer.endBlock(BLOCK_GAP);
    for (const row of rowsOf(table)) {
      writer.endBlock(LINE_GAP);
      const cells = shownCells(row, this.#sheet);
      const isLine = row.tagName === 'tr' && isLineRow(cells);
      if (isLine) writer.openRow();
      for (const [index, cell] of (row.tagName === 'tr' ? cells : [row]).entries()) {
        if (isLine && index > 0) writer.text(' | ', OUTERMOST);
        if (!isLine) writer.endBlock(LINE_GAP);
        this.#walkAll([cell], context);
        if (!isLine) writer.endBlock(LINE_GAP);
      }
      if (isLine) writer.closeRow();
    }
    writer.endBlock(BLOCK_GAP);
  }
}

/** Returns what `display` makes of the effect of a tag. */
function displayed(effect: Effect | undefined, display: 'block' | 'inline'): Effect | undefined {
  if (display === 'block') return effect === undefined || effect === 'bold' || effect === 'italic' ? 'line' : effect;
  return effect === 'line' || effect === 'paragraph' ? undefined : effect;
}

const SHIFTED = { raised: [...'⁰¹²³⁴⁵⁶⁷⁸⁹'], lowered: [...'₀₁₂₃₄₅₆₇₈₉'] };

/** Returns digits as raised or lowered ones: 10 with a raised 2 is not 102. */
function shiftDigits(text: string, shift: Context['shift']): string {
  if (shift === undefined) return text;
  return text.replaceAll(/\d/g, (digit) => SHIFTED[shift][Number(digit)] ?? digit);
}

function emojiOf(image: ForeignElement): string {
  const alt = attributeOf(image, 'alt') ?? '';
  return alt.replaceAll(EMOJI, '') === '' ? alt : '';
}
