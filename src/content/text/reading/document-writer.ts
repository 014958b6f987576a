import { withoutTokens, type PlaceholderReader } from '../placeholders.ts';
import { settleAddresses } from '../addresses.ts';
import { hasVisible } from '../boundaries.ts';
import { BOLD, ITALIC, PLAIN, TEXT_LIMIT, type Document, type Line, type Style } from '../document.ts';
import type { Warning, TextWarningCode } from '../warnings.ts';
import { appendTarget, appendText, beginLine, collapseSpace, cutAt, endOf, splitTyped, trimEnd } from './draft-line.ts';
import type { DraftLine, LinePosition } from './draft-line.ts';
import { hasMailDetails, resemblesOtherTarget, parenthesizedTarget, showsTarget, writtenTarget } from './link.ts';
import { NO_TRAITS, nextMarker, openList, type List, type ListTraits, type Marker } from './list-markers.ts';
import { spaceOut } from './no-break-spaces.ts';
import type { Role } from './tags.ts';
import { WarningsInOrder } from './warnings-in-order.ts';

/** The line breaks between two blocks: two, so an empty line between them. Within a list: one. */
const BLOCK_GAP = 2;
const LINE_GAP = 1;

// One for all of them: nothing is ever written in it.
const BLANK = beginLine(undefined);
const LINE_START: LinePosition = { at: 0, runs: 0, ofLast: 0 };

interface Link {
  target: string;
  text: string;
  /** The line its text began in; undefined while it has no text. */
  line: DraftLine | undefined;
  lineNumber: number;
  /** The position in that line. */
  place: LinePosition;
}

/**
 * Builds a document from events in the order of the HTML: every `open` has its `close`. Blocks are well nested, and links are never
 * nested. Use one for each document, and `finish` it once.
 */
export class DocumentWriter {
  readonly #lines: DraftLine[] = [];
  readonly #warnings = new WarningsInOrder();
  readonly #lists: List[] = [];
  /** The line that text goes to; undefined until the next text begins one. */
  #line: DraftLine | undefined;
  /** Line breaks between the last line and the next. */
  #gap = 0;
  /** Invisible text at the beginning of a line. It is dropped with a line that has nothing else. */
  readonly #held: Array<{ text: string; style: Style }> = [];
  /** The marker of an item whose first text is still to come. */
  #marker: Marker | undefined;
  #bold = 0;
  #italic = 0;
  #items = 0;
  #link: Link | undefined;
  /** The total length of written link targets: a long target may repeat in thousands of paragraphs. */
  #targetsLength = 0;

  /** Undefined: the text has no placeholders. */
  readonly #fields: PlaceholderReader | undefined;

  constructor(fields?: PlaceholderReader) {
    this.#fields = fields;
  }

  /** `value` is the checked target of a link, or the `start` of numbers; undefined where the author gave none. `traits` are of lists and items. */
  open(role: Role, value: string | undefined, traits = NO_TRAITS): void {
    switch (role) {
      case 'heading':
        this.#breakBlock();
        this.#bold++;
        break;
      case 'bold':
        this.#bold++;
        break;
      case 'italic':
        this.#italic++;
        break;
      case 'paragraph':
        this.#breakBlock();
        break;
      case 'break':
        this.#breakLine();
        break;
      case 'link':
        this.#openLink(value);
        break;
      case 'bullets':
      case 'numbers':
        this.#breakBlock();
        this.#lists.push(openList(role === 'numbers', traits));
        break;
      case 'item':
        this.#openItem(traits);
        break;
      case 'plain':
        break;
      default:
        role satisfies never;
    }
  }

  close(role: Role): void {
    switch (role) {
      case 'heading':
        this.#bold--;
        this.#breakBlock();
        break;
      case 'bold':
        this.#bold--;
        break;
      case 'italic':
        this.#italic--;
        break;
      case 'paragraph':
        this.#breakBlock();
        break;
      case 'link':
        this.#closeLink();
        break;
      case 'bullets':
      case 'numbers':
        this.#lists.pop();
        this.#breakBlock();
        break;
      case 'item':
        this.#items--;
        this.#endLine(LINE_GAP);
        this.#marker = undefined;
        break;
      case 'break':
      case 'plain':
        break;
      default:
        role satisfies never;
    }
  }

  text(text: string): void {
    const settled = collapseSpace(this.#fields ? withoutTokens(text) : text);
    const isSpaced = this.#line?.endsInSpace ?? this.#held.at(-1)?.text.endsWith(' ') ?? true;
    const fresh = settled.startsWith(' ') && isSpaced ? settled.slice(1) : settled;
    if (fresh === '') return;
    if (this.#line === undefined && !hasVisible(fresh)) this.#held.push({ text: fresh, style: this.#style() });
    else this.#append((this.#line ??= this.#beginLine()), fresh, this.#style());
  }

  /** A paragraph that is sent as typed. */
  typed(text: string): void {
    this.#breakBlock();
    // Without any visible line it is nothing, as an empty paragraph is.
    for (const typed of hasVisible(text) ? splitTyped(this.#fields ? withoutTokens(text) : text) : []) {
      if (!hasVisible(typed)) this.#breakLine();
      else {
        const line = this.#beginLine();
        line.isTyped = true;
        appendText(line, typed, PLAIN);
        this.#line = line;
        this.#endLine(LINE_GAP);
      }
    }
    this.#breakBlock();
  }

  /** Returns the document and the warnings for its author. */
  finish(): { document: Document; warnings: Warning[] } {
    this.#endLine(0);
    spaceOut(this.#lines);
    const document = this.#lines.map((line, number) => this.#settleLine(line, number));
    return { document, warnings: this.#warnings.list() };
  }

  #settleLine({ head, runs: draft, isTyped }: DraftLine, number: number): Line {
    const read = this.#fields?.readLine(draft.map(({ text }) => text));
    const runs = read ? draft.map((run, index) => ({ ...run, text: read[index] ?? '' })) : draft;
    if (isTyped) return { head, runs: runs.map(({ text, style }) => ({ text, style })), isTyped };
    const settled = settleAddresses(runs);
    if (settled.unmarkedAt !== undefined) this.#warnings.add('mark_not_kept', number, settled.unmarkedAt);
    return { head, runs: settled.runs };
  }

  #style(): Style {
    return (this.#bold > 0 ? BOLD : PLAIN) | (this.#italic > 0 ? ITALIC : PLAIN);
  }

  #append(line: DraftLine, text: string, style: Style): void {
    if (this.#link !== undefined) {
      this.#link.text += text;
      if (this.#link.line === undefined) {
        this.#link.line = line;
        this.#link.lineNumber = this.#lines.length - 1;
        this.#link.place = endOf(line);
      }
    }
    appendText(line, text, style);
  }

  #beginLine(): DraftLine {
    // The gap before the first line is nobody's to see.
    for (; this.#lines.length > 0 && this.#gap > LINE_GAP; this.#gap--) this.#lines.push(BLANK);
    this.#gap = 0;
    const marker = this.#marker;
    this.#marker = undefined;
    const line = beginLine(marker?.head);
    if (marker !== undefined && marker.text !== '') {
      appendText(line, marker.text, PLAIN);
      line.from = marker.text.length;
      if (marker.isInner) this.#warnings.add('list_flattened', this.#lines.length, 0);
    }
    this.#lines.push(line);
    for (const { text, style } of this.#held.splice(0)) appendText(line, text, style);
    return line;
  }

  #endLine(gap: number): void {
    if (this.#line) trimEnd(this.#line);
    this.#line = undefined;
    // A line with nothing to see is an empty line, unless it is an item.
    if (this.#held.length > 0 && this.#marker === undefined) this.#gap++;
    this.#held.length = 0;
    this.#gap = Math.max(this.#gap, gap);
    if (this.#link) this.#link.text += ' ';
  }

  #breakBlock(): void {
    this.#endLine(this.#items > 0 || this.#lists.length > 0 ? LINE_GAP : BLOCK_GAP);
  }

  #breakLine(): void {
    if (this.#line === undefined && this.#held.length === 0) this.#gap++;
    this.#endLine(LINE_GAP);
  }

  #openItem(traits: ListTraits): void {
    this.#endLine(LINE_GAP);
    this.#items++;
    this.#marker = nextMarker(this.#lists, traits);
  }

  #openLink(target: string | undefined): void {
    if (target !== undefined) this.#link = { target, text: '', line: undefined, lineNumber: 0, place: LINE_START };
  }

  #closeLink(): void {
    // More of them fit into no message.
    if (this.#link !== undefined && this.#targetsLength <= TEXT_LIMIT) this.#endLink(this.#link);
    this.#link = undefined;
  }

  #endLink(link: Link): void {
    const text = this.#fields?.read(link.text.trim()) ?? link.text.trim();
    if (!hasVisible(text)) return this.#warn('link_without_text', link);
    const showsUrl = showsTarget(text, link.target);
    if (resemblesOtherTarget(text, link.target)) this.#warn('link_shows_other_target', link);
    else if (!showsUrl) this.#warn('link_text_differs', link);
    if (hasMailDetails(link.target)) this.#warn('link_details_dropped', link);
    this.#writeTarget(link, showsUrl);
  }

  #writeTarget(link: Link, isShown: boolean): void {
    const line = this.#line ?? this.#lines.at(-1);
    // A telephone number that messengers recognise stays as written. So does a link text of several lines.
    if (line === undefined || (isShown && (link.target.startsWith('tel:') || link.line !== line))) return;
    const isSpaced = line === this.#line && line.endsInSpace;
    trimEnd(line);
    if (isShown && cutAt(line, link.place)) this.#warn('mark_not_kept', link);
    const written = isShown ? writtenTarget(link.target) : ` (${parenthesizedTarget(link.target)})`;
    appendTarget(line, written);
    this.#targetsLength += written.length;
    if (isSpaced) appendText(line, ' ', PLAIN);
  }

  #warn(code: TextWarningCode, { line, lineNumber, place }: Link): void {
    if (line !== undefined) return this.#warnings.add(code, lineNumber, place.at);
    const last = this.#lines.length - 1;
    if (this.#line === undefined) this.#warnings.add(code, last + 1, 0);
    else this.#warnings.add(code, last, this.#line.length);
  }
}
