import { BOLD, ITALIC, PLAIN, TEXT_LIMIT } from './document.ts';
import type { Document, Line } from './document.ts';
import { settleAddresses } from './addresses.ts';
import {
  appendText,
  beginLine,
  beginsWithSpace,
  collapseSpace,
  cutAt,
  endOf,
  leastLength,
  trimEnd,
} from './draft-line.ts';
import type { DraftLine, Place } from './draft-line.ts';
import { hasMailDetails, looksLikeOtherTarget, parenthesizedTarget, tellsTarget, writtenTarget } from './link.ts';
import { bulletedList, numberedList, takeMarker, type List, type Marker } from './list-markers.ts';
import { ADDRESS, hasSigns, SIGNS, surveyText, UNSETTLED } from './survey-text.ts';
import type { HtmlSink, Role } from './tags.ts';
import type { Warning, WarningCode } from './warnings.ts';
import { WarningsInOrder } from './warnings-in-order.ts';

/** From one block to the next: two line breaks, so an empty line between them. Within a list: one. */
const BLOCK_GAP = 2;
const LINE_GAP = 1;

// One for all of them: nothing is ever written in it.
const BLANK = beginLine(undefined);
const LINE_START: Place = { at: 0, runs: 0, ofLast: 0 };

interface Link {
  target: string;
  text: string;
  /** The line its text began in; undefined while it has no text. */
  line: DraftLine | undefined;
  lineNumber: number;
  /** Where in that line. */
  place: Place;
}

/**
 * Makes a document of what a reader of HTML tells. Use one for each document, and `finish` it once. Once a document is longer than a
 * message can be, or than `limit`, what follows is left out.
 */
export class DocumentWriter implements HtmlSink {
  readonly #lines: DraftLine[] = [];
  readonly #warnings = new WarningsInOrder();
  readonly #lists: List[] = [];
  /** The line that text goes to; undefined until the next text begins one. */
  #line: DraftLine | undefined;
  /** Line breaks between the last line and the next. */
  #gap = 0;
  /** The marker of an item whose first text is still to come. */
  #marker: Marker | undefined;
  #bold = 0;
  #italic = 0;
  #items = 0;
  #link: Link | undefined;
  /** How long the text is at least, but for its last line: writing it only ever adds. */
  #length = 0;
  #isFull = false;
  readonly #limit: number;

  constructor(limit = TEXT_LIMIT) {
    this.#limit = limit;
  }

  open(role: Role, value: string | undefined): void {
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
        this.#lists.push(role === 'numbers' ? numberedList(value) : bulletedList());
        break;
      case 'item':
        this.#openItem();
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
        this.#marker = undefined;
        this.#endLine(LINE_GAP);
        break;
      case 'break':
      case 'plain':
        break;
      default:
        role satisfies never;
    }
  }

  isFull(): boolean {
    return this.#isFull;
  }

  /** How long the text is at least: the space its last line ends in may go, and so may the text of a link when it tells its target. */
  #lengthWith(last: DraftLine): number {
    return this.#length + (this.#link?.line === last ? this.#link.place.at : last.length - 1);
  }

  text(text: string): void {
    if (this.isFull()) return;
    const traits = surveyText(text);
    const settled = (traits & UNSETTLED) === 0 ? text : collapseSpace(text);
    const fresh = beginsWithSpace(settled) && this.#endsInSpace() ? settled.slice(1) : settled;
    if (fresh === '') return;
    const line = (this.#line ??= this.#beginLine());
    if ((traits & SIGNS) !== 0) line.hasSigns = true;
    // What was unsettled may have kept the parts of an address from each other.
    if ((traits & (ADDRESS | UNSETTLED)) !== 0) line.hasAddresses = true;
    this.#append(line, fresh);
    this.#isFull = this.#lengthWith(line) > this.#limit;
  }

  /** The document, and what its author should know. It is empty when it `isTooLong` for a message. */
  finish(): { document: Document; warnings: Warning[]; isTooLong: boolean } {
    this.#endLine(0);
    const isTooLong = this.isFull();
    const document = isTooLong ? [] : this.#lines.map((line, number) => this.#settleLine(line, number));
    return { document, warnings: this.#warnings.list(), isTooLong };
  }

  #settleLine({ head, runs, hasSigns, hasAddresses, hasLinks }: DraftLine, number: number): Line {
    if (!hasAddresses && !hasLinks) return { head, runs, hasSigns };
    const settled = settleAddresses(runs, hasAddresses);
    if (settled.unmarkedAt !== undefined) this.#warnings.add('mark_not_kept', number, settled.unmarkedAt);
    return { head, runs: settled.runs, hasSigns };
  }

  #endsInSpace(): boolean {
    return this.#line === undefined || this.#line.endsInSpace;
  }

  #append(line: DraftLine, text: string): void {
    if (this.#link !== undefined) {
      this.#link.text += text;
      if (this.#link.line === undefined) {
        this.#link.line = line;
        this.#link.lineNumber = this.#lines.length - 1;
        this.#link.place = endOf(line);
      }
    }
    appendText(line, text, (this.#bold > 0 ? BOLD : PLAIN) | (this.#italic > 0 ? ITALIC : PLAIN));
  }

  #beginLine(): DraftLine {
    const before = this.#lines.at(-1);
    if (before !== undefined) this.#length += leastLength(before) + Math.max(this.#gap, LINE_GAP);
    // The gap before the first line is nobody's to see.
    for (; this.#lines.length > 0 && this.#gap > LINE_GAP; this.#gap--) this.#lines.push(BLANK);
    this.#gap = 0;
    const marker = this.#marker;
    this.#marker = undefined;
    const line = beginLine(marker?.head);
    if (marker !== undefined && marker.text !== '') {
      appendText(line, marker.text, PLAIN);
      this.#warnings.add('list_flattened', this.#lines.length, 0);
    }
    this.#lines.push(line);
    return line;
  }

  #endLine(gap: number): void {
    if (this.#line) trimEnd(this.#line);
    this.#line = undefined;
    this.#gap = Math.max(this.#gap, gap);
    if (this.#link) this.#link.text += ' ';
  }

  #breakBlock(): void {
    this.#endLine(this.#items > 0 || this.#lists.length > 0 ? LINE_GAP : BLOCK_GAP);
  }

  #breakLine(): void {
    if (this.#line === undefined) this.#gap++;
    this.#endLine(LINE_GAP);
  }

  #openItem(): void {
    this.#endLine(LINE_GAP);
    this.#items++;
    this.#marker = takeMarker(this.#lists);
  }

  #openLink(target: string | undefined): void {
    if (target !== undefined) this.#link = { target, text: '', line: undefined, lineNumber: 0, place: LINE_START };
  }

  #closeLink(): void {
    // Until its target is written, its text may still go.
    if (this.#link !== undefined && !this.isFull()) this.#endLink(this.#link);
    this.#link = undefined;
  }

  #endLink(link: Link): void {
    const text = link.text.trim();
    if (text === '') return this.#warn('link_without_text', link);
    const tells = tellsTarget(text, link.target);
    // To look takes long, and may make no difference any more.
    const isWarned =
      this.#warnings.has('link_shows_other_target') && (tells || this.#warnings.has('link_text_differs'));
    if (!isWarned && looksLikeOtherTarget(text, link.target)) this.#warn('link_shows_other_target', link);
    else if (!tells) this.#warn('link_text_differs', link);
    if (hasMailDetails(link.target)) this.#warn('link_details_dropped', link);
    this.#writeTarget(link, tells);
  }

  #writeTarget(link: Link, isTold: boolean): void {
    const line = this.#line ?? this.#lines.at(-1);
    // What messengers read as a telephone number can stay as it was written, and so must what goes over several lines.
    if (line === undefined || (isTold && (link.target.startsWith('tel:') || link.line !== line))) return;
    const isSpaced = line === this.#line && line.endsInSpace;
    trimEnd(line);
    if (isTold && cutAt(line, link.place)) this.#warn('mark_not_kept', link);
    pushTarget(line, isTold ? writtenTarget(link.target) : ` (${parenthesizedTarget(link.target)})`, link.target);
    if (isSpaced) appendText(line, ' ', PLAIN);
  }

  #warn(code: WarningCode, { line, lineNumber, place }: Link): void {
    // Links end in the order they begin in, so a later one gives no earlier cause.
    if (this.#warnings.has(code)) return;
    if (line !== undefined) return this.#warnings.add(code, lineNumber, place.at);
    const last = this.#lines.length - 1;
    if (this.#line === undefined) this.#warnings.add(code, last + 1, 0);
    else this.#warnings.add(code, last, this.#line.length);
  }
}

function pushTarget(line: DraftLine, text: string, target: string): void {
  line.runs.push({ text, style: PLAIN, link: true });
  line.length += text.length;
  line.hasLinks = true;
  line.endsInSpace = false;
  // What is written of a target has no sign that it has not, or would have without percent-encoding.
  if (target.includes('%') || hasSigns(target)) line.hasSigns = true;
}
