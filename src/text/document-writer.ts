import { BOLD, ITALIC, PLAIN, type Document, type Line, type Style, type Warning } from './document.ts';
import { settleAddresses, type DraftRun } from './addresses.ts';
import { hasMailDetails, looksLikeOtherTarget, parenthesizedTarget, tellsTarget, writtenTarget } from './link.ts';
import type { HtmlSink, Role } from './tags.ts';

/** From one block to the next: two line breaks, so an empty line between them. Within a list: one. */
const BLOCK_GAP = 2;
const LINE_GAP = 1;

// What HTML takes for white space, and what would break a line in a message though it does not in HTML.
const WHITE_SPACE = /[\t\n\v\f\r \u0085\u2028\u2029]+/g;
// Nobody can see these, and no messenger takes them.
const CONTROLS = /[^\P{Cc}\t\n\v\f\r\u0085]/gu;
const UNSETTLED = /\p{Cc}|[\u2028\u2029]| {2}/u;

const WARNINGS = {
  list_flattened: 'WhatsApp has no lists within lists: inner items are written as "- ◦ item".',
  link_shows_other_target: 'The text of a link looks like another address than the one it leads to.',
  link_without_text: 'A link without text is left out.',
  link_details_dropped: 'Of an e-mail link only the address is written: a message cannot carry its subject or text.',
} as const;

interface List {
  ordered: boolean;
  next: number;
}

interface DraftLine {
  head: Line['head'];
  runs: DraftRun[];
}

interface Link {
  target: string;
  text: string;
  /** The line its text began in, and how many runs that line had by then; undefined while it has no text. */
  line: DraftLine | undefined;
  runs: number;
}

/** Makes a document of what a reader of HTML tells. Use one for each document, and `finish` it once. */
export class DocumentWriter implements HtmlSink {
  readonly #lines: DraftLine[] = [];
  readonly #warnings = new Set<keyof typeof WARNINGS>();
  readonly #lists: List[] = [];
  /** The line that text goes to; undefined until the next text begins one. */
  #line: DraftLine | undefined;
  /** Line breaks between the last line and the next. */
  #gap = 0;
  /** The marker of an item whose first text is still to come. */
  #marker: { head: Line['head']; text: string } | undefined;
  #bold = 0;
  #italic = 0;
  #items = 0;
  #link: Link | undefined;

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
        this.#lists.push({ ordered: role === 'numbers', next: firstNumber(value) });
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
    const settled = UNSETTLED.test(text) ? text.replace(CONTROLS, '').replace(WHITE_SPACE, ' ') : text;
    const fresh = settled.startsWith(' ') && this.#endsInSpace() ? settled.slice(1) : settled;
    if (fresh === '') return;
    if (this.#link) this.#link.text += fresh;
    this.#append(fresh, this.#style());
  }

  /** The document, and what its author should know. */
  finish(): { document: Document; warnings: Warning[] } {
    this.#endLine(0);
    const document = this.#lines.map(({ head, runs }) => ({ head, runs: settleAddresses(joinPieces(runs)) }));
    const warnings = Array.from(this.#warnings, (code) => ({ code, message: WARNINGS[code] }));
    return { document, warnings };
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
    this.#marker = this.#nextMarker();
  }

  #nextMarker(): { head: Line['head']; text: string } {
    const list = this.#lists.at(-1);
    const number = list?.ordered ? list.next++ : undefined;
    if (this.#lists.length <= 1) return { head: number ?? 'bullet', text: '' };
    this.#warnings.add('list_flattened');
    const inner = this.#lists.length === 2 ? '◦ ' : '▪ ';
    return { head: 'bullet', text: number === undefined ? inner : `${number}. ` };
  }

  #openLink(target: string | undefined): void {
    if (target !== undefined) this.#link = { target, text: '', line: undefined, runs: 0 };
  }

  #closeLink(): void {
    const link = this.#link;
    this.#link = undefined;
    if (link === undefined) return;
    const text = link.text.trim();
    if (text === '') return void this.#warnings.add('link_without_text');
    if (hasMailDetails(link.target)) this.#warnings.add('link_details_dropped');
    if (looksLikeOtherTarget(text, link.target)) this.#warnings.add('link_shows_other_target');
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
      line.runs.length = link.runs;
      line.runs.push({ text: writtenTarget(link.target), style: PLAIN, link: true });
    }
    if (spaced) line.runs.push({ text: ' ', style: this.#style() });
  }
}

function trimEnd(line: DraftLine): void {
  for (let last = line.runs.at(-1); last?.text.endsWith(' '); last = line.runs.at(-1)) {
    last.text = last.text.slice(0, -1);
    if (last.text !== '') break;
    line.runs.pop();
  }
}

/** Text that came in pieces becomes one run where nothing but a link's border parts it. */
function joinPieces(runs: readonly DraftRun[]): DraftRun[] {
  const joined: DraftRun[] = [];
  for (const run of runs) {
    const last = joined.at(-1);
    if (last?.style === run.style && !last.link && !run.link) last.text += run.text;
    else joined.push(run);
  }
  return joined;
}

/** The `start` of an `ol` by HTML's rules for integers: what stands after the digits is ignored, what is no number counts as 1. */
function firstNumber(start: string | undefined): number {
  const digits = /^[\t\n\f\r ]*([+-]?\d{1,10})(?!\d)/.exec(start ?? '')?.[1];
  const number = digits === undefined ? 1 : Number(digits);
  return Math.abs(number) < 2 ** 31 ? number : 1;
}
