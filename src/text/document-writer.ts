import { BOLD, ITALIC, leastLength, PLAIN, TEXT_LIMIT } from './document.ts';
import type { Document, Line, Run, Style } from './document.ts';
import { settleAddresses } from './addresses.ts';
import { collapseSpace, joinPieces, trimEnd, type DraftLine } from './draft-line.ts';
import { hasMailDetails, looksLikeOtherTarget, parenthesizedTarget, tellsTarget, writtenTarget } from './link.ts';
import { bulletedList, numberedList, takeMarker, type List, type Marker } from './list-markers.ts';
import type { HtmlSink, Role } from './tags.ts';
import { warningOf, type Warning, type WarningCode } from './warnings.ts';

/** From one block to the next: two line breaks, so an empty line between them. Within a list: one. */
const BLOCK_GAP = 2;
const LINE_GAP = 1;

interface Link {
  target: string;
  text: string;
  /** The line its text began in, and how many runs that line had by then; undefined while it has no text. */
  line: DraftLine | undefined;
  runs: number;
}

/**
 * Makes a document of what a reader of HTML tells. Use one for each document, and `finish` it once. Once a document is longer than a
 * message can be, what follows is left out.
 */
export class DocumentWriter implements HtmlSink {
  readonly #lines: DraftLine[] = [];
  readonly #warnings = new Set<WarningCode>();
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
  /** How long the text is at least, but for its last line. */
  #length = 0;

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

  text(text: string): void {
    if (this.#length > TEXT_LIMIT) return;
    const settled = collapseSpace(text);
    const fresh = settled.startsWith(' ') && this.#endsInSpace() ? settled.slice(1) : settled;
    if (fresh === '') return;
    if (this.#link) this.#link.text += fresh;
    this.#append(fresh, this.#style());
  }

  /** The document, and what its author should know. */
  finish(): { document: Document; warnings: Warning[] } {
    this.#endLine(0);
    const document = this.#lines.map((line) => this.#settleLine(line));
    return { document, warnings: Array.from(this.#warnings, warningOf) };
  }

  #settleLine({ head, runs }: DraftLine): Line {
    const joined = joinPieces(runs);
    const settled = settleAddresses(joined);
    if (settled !== joined && markedLength(settled) < markedLength(joined)) this.#warnings.add('mark_not_kept');
    return { head, runs: settled };
  }

  #style(): Style {
    return (this.#bold > 0 ? BOLD : PLAIN) | (this.#italic > 0 ? ITALIC : PLAIN);
  }

  #endsInSpace(): boolean {
    return this.#line?.runs.at(-1)?.text.endsWith(' ') ?? true;
  }

  #append(text: string, style: Style): void {
    this.#line ??= this.#beginLine();
    if (this.#link !== undefined && this.#link.line === undefined) {
      this.#link.line = this.#line;
      this.#link.runs = this.#line.runs.length;
    }
    this.#line.runs.push({ text, style });
  }

  #beginLine(): DraftLine {
    const before = this.#lines.at(-1);
    if (before !== undefined) this.#length += leastLength(before) + Math.max(this.#gap, LINE_GAP);
    // The gap before the first line is nobody's to see.
    for (; this.#lines.length > 0 && this.#gap > LINE_GAP; this.#gap--) this.#lines.push({ head: undefined, runs: [] });
    this.#gap = 0;
    const marker = this.#marker;
    this.#marker = undefined;
    const line: DraftLine = { head: marker?.head, runs: [] };
    if (marker !== undefined && marker.text !== '') line.runs.push({ text: marker.text, style: PLAIN });
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
    if (this.#lists.length > 1) this.#warnings.add('list_flattened');
  }

  #openLink(target: string | undefined): void {
    if (target !== undefined) this.#link = { target, text: '', line: undefined, runs: 0 };
  }

  #closeLink(): void {
    const link = this.#link;
    this.#link = undefined;
    if (link === undefined || this.#length > TEXT_LIMIT) return;
    const text = link.text.trim();
    if (text === '') return void this.#warnings.add('link_without_text');
    if (hasMailDetails(link.target)) this.#warnings.add('link_details_dropped');
    if (looksLikeOtherTarget(text, link.target)) this.#warnings.add('link_shows_other_target');
    else if (!tellsTarget(text, link.target)) this.#warnings.add('link_text_differs');
    this.#writeTarget(link, text);
  }

  #writeTarget(link: Link, text: string): void {
    const line = this.#line ?? this.#lines.at(-1);
    if (line === undefined) return;
    const spaced = line === this.#line && this.#endsInSpace();
    trimEnd(line);
    if (!tellsTarget(text, link.target)) {
      line.runs.push({ text: ` (${parenthesizedTarget(link.target)})`, style: PLAIN, link: true });
    } else if (!link.target.startsWith('tel:') && link.line === line) {
      if (markedLength(line.runs.slice(link.runs)) > 0) this.#warnings.add('mark_not_kept');
      line.runs.length = link.runs;
      line.runs.push({ text: writtenTarget(link.target), style: PLAIN, link: true });
    }
    if (spaced) line.runs.push({ text: ' ', style: PLAIN });
  }
}

/** How many UTF-16 units are bold or italic. */
function markedLength(runs: readonly Run[]): number {
  let length = 0;
  for (const { text, style } of runs) if (style !== PLAIN) length += text.length;
  return length;
}
