import { hasVisible } from '../boundaries.ts';
import type { Letters } from '../reading/list-markers.ts';

/** The style of a text in foreign HTML. */
export interface Style {
  isBold: boolean;
  isItalic: boolean;
  link: Link | undefined;
}

export interface Link {
  href: string;
  /** The last line with text of the link: in a message the address follows the whole text. */
  line: Run[] | undefined;
}

interface Run extends Style {
  text: string;
}

export interface ListStart {
  tag: 'ol' | 'ul';
  number?: number | undefined;
  letters?: Letters | undefined;
}

interface Frame extends ListStart {
  next: number;
  /** Whether it stands in the item before it, whose end it has taken off. */
  isInItem: boolean;
  /** Whether it is only a level below the list of the page. */
  isLevel: boolean;
}

export interface ItemStart {
  kind?: 'bullet' | 'ordered' | undefined;
  number?: number | undefined;
  /** Levels below the list that is open. */
  below: number;
}

export const LINE_GAP = 1;
export const BLOCK_GAP = 2;
const PLAIN: Style = { isBold: false, isItalic: false, link: undefined };

/** Writes lines, lists and headings as HTML of allowed tags. Gaps are line breaks, as in `DocumentWriter`. */
export class AllowedWriter {
  readonly #out: Array<string | Run[]> = [];
  readonly #lists: Frame[] = [];
  #items = 0;
  #line: Run[] = [];
  #gap = 0;
  /** The paragraph or heading that is open. */
  #block: string | undefined;
  #heading: string | undefined;
  /** Whether a line can follow the last output with a `<br>`. */
  #isAfterLine = false;
  /** Whether the open item has no line yet. */
  #isFreshItem = false;
  /** The sign of a box, in front of the next text: editors put it into a block of its own. */
  #box = '';
  /** In the row of a table a space is in place of each break. */
  #rows = 0;

  text(text: string, { isBold, isItalic, link }: Style): void {
    if (text === '' || (this.#line.length === 0 && /^[ \t\n\f\r]*$/.test(text))) return;
    if (this.#box !== '') this.#line.push({ ...PLAIN, text: this.#box });
    this.#box = '';
    this.#line.push({ text, isBold, isItalic, link });
    if (link && hasVisible(text)) link.line = this.#line;
  }

  writeBox(sign: string): void {
    this.#box ||= sign;
  }

  breakLine(): void {
    if (this.#line.length === 0 && this.#rows === 0) this.#gap++;
    this.endLine(LINE_GAP);
  }

  /** Ends a block; within a list its neighbours have no empty line. */
  endBlock(gap: number): void {
    this.endLine(this.#lists.length > 0 || this.#items > 0 ? LINE_GAP : gap);
  }

  endLine(gap: number): void {
    if (this.#rows > 0) return this.text(' ', PLAIN);
    const line = this.#line;
    this.#line = [];
    if (line.some(({ text }) => hasVisible(text))) this.#writeLine(line);
    else if (line.length > 0 && !this.#isFreshItem) this.#gap++;
    this.#gap = Math.max(this.#gap, gap);
  }

  openHeading(tag: string): void {
    this.endBlock(BLOCK_GAP);
    this.#heading = tag;
  }

  closeHeading(): void {
    this.endBlock(BLOCK_GAP);
    this.#heading = undefined;
  }

  openRow(): void {
    this.endLine(LINE_GAP);
    this.#rows++;
  }

  closeRow(): void {
    this.#rows--;
    this.endLine(LINE_GAP);
  }

  openList(start: ListStart): void {
    if (this.#rows > 0) return this.endLine(LINE_GAP);
    this.endBlock(BLOCK_GAP);
    // Lexical has an item of its own for an inner list.
    if (this.#isFreshItem && this.#box === '' && this.#out.at(-2) === '</li>') this.#out.splice(-2);
    this.#openFrame(start, false);
  }

  closeList(gap: number): void {
    if (this.#rows > 0) return this.endLine(LINE_GAP);
    this.endLine(LINE_GAP);
    while (this.#lists.at(-1)?.isLevel) this.#closeFrame();
    this.#closeFrame();
    this.endBlock(gap);
  }

  openItem({ kind, number, below }: ItemStart): void {
    this.endLine(LINE_GAP);
    if (this.#rows > 0) return;
    this.#closeBlock();
    this.#openLevels(kind, below);
    const list = this.#lists.at(-1);
    const isNumbered = kind === undefined ? list?.tag === 'ol' : kind === 'ordered';
    let attributes = '';
    if (list && isNumbered !== (list.tag === 'ol')) attributes += ` data-list="${isNumbered ? 'ordered' : 'bullet'}"`;
    if (list && isNumbered && number !== undefined && number !== list.next) attributes += ` value="${number}"`;
    if (list && isNumbered) list.next = (number ?? list.next) + 1;
    this.#push(`<li${attributes}>`);
    this.#items++;
    this.#isFreshItem = true;
  }

  closeItem(): void {
    this.endLine(LINE_GAP);
    if (this.#rows > 0) return;
    if (this.#gap > LINE_GAP && this.#isAfterLine) this.#out.push('<br>'.repeat(this.#gap));
    this.#push('</li>');
    this.#items--;
    this.#isFreshItem = false;
    this.#box = '';
  }

  finish(): string {
    this.endLine(0);
    this.#closeBlock();
    return this.#out.map((piece) => (typeof piece === 'string' ? piece : writeRuns(piece))).join('');
  }

  #writeLine(line: Run[]): void {
    const breaks = '<br>'.repeat(Math.max(this.#gap, LINE_GAP));
    const isInList = this.#lists.length > 0 || this.#items > 0;
    const isBold = isInList && this.#heading !== undefined;
    if (isInList || (this.#block !== undefined && this.#gap <= LINE_GAP)) {
      if (this.#isAfterLine) this.#out.push(breaks);
    } else {
      this.#closeBlock();
      this.#writeGap();
      this.#block = this.#heading ?? 'p';
      this.#out.push(`<${this.#block}>`);
    }
    if (isBold) for (const run of line) run.isBold = true;
    trimEnd(line);
    this.#out.push(line);
    this.#gap = 0;
    this.#isAfterLine = true;
    this.#isFreshItem = false;
  }

  /** Empty lines beyond the one that blocks have between them anyway. */
  #writeGap(): void {
    if (this.#gap > BLOCK_GAP && this.#out.length > 0) this.#out.push(`<p>${'<br>'.repeat(this.#gap - BLOCK_GAP)}</p>`);
    this.#gap = 0;
  }

  #closeBlock(): void {
    if (this.#block !== undefined) this.#push(`</${this.#block}>`);
    this.#block = undefined;
  }

  #push(tag: string): void {
    this.#out.push(tag);
    this.#isAfterLine = false;
  }

  #openFrame(start: ListStart, isLevel: boolean): void {
    this.#closeBlock();
    if (this.#lists.length === 0 && this.#items === 0) this.#writeGap();
    const isInItem = this.#lists.length > 0 && this.#out.at(-1) === '</li>';
    if (isInItem) this.#out.pop();
    const { tag, number, letters } = start;
    const first = number === undefined || number === 1 ? '' : ` start="${number}"`;
    this.#push(`<${tag}${tag === 'ol' ? first : ''}${letters === undefined ? '' : ` type="${letters}"`}>`);
    this.#lists.push({ ...start, next: number ?? 1, isInItem, isLevel });
  }

  #closeFrame(): void {
    const list = this.#lists.pop();
    if (list) this.#push(`</${list.tag}>`);
    if (list?.isInItem) this.#push('</li>');
  }

  #openLevels(kind: ItemStart['kind'], below: number): void {
    const page = this.#lists.findLastIndex(({ isLevel }) => !isLevel);
    const inner = kind === undefined ? (this.#lists[page]?.tag ?? 'ul') : kind === 'ordered' ? 'ol' : 'ul';
    while (this.#lists.length - 1 - page > below) this.#closeFrame();
    if (below > 0 && this.#lists.length - 1 - page === below && this.#lists.at(-1)?.tag !== inner) this.#closeFrame();
    while (this.#lists.length - 1 - page < below) this.#openFrame({ tag: inner }, true);
  }
}

/** Removes what nobody sees at the end of a line, such as the end of a paragraph in Word for the web. */
function trimEnd(line: Run[]): void {
  for (const run of line.toReversed()) {
    run.text = run.text.trimEnd();
    if (run.text !== '') return;
    line.pop();
  }
}

function writeRuns(line: Run[]): string {
  let html = '';
  let open: Link | undefined;
  for (const { text, isBold, isItalic, link: around } of line) {
    const link = around?.line === line ? around : undefined;
    if (link !== open) {
      if (open) html += '</a>';
      if (link) html += `<a href="${escape(link.href).replaceAll('"', '&quot;')}">`;
      open = link;
    }
    const inner = isItalic ? `<i>${escape(text)}</i>` : escape(text);
    html += isBold ? `<b>${inner}</b>` : inner;
  }
  return open ? `${html}</a>` : html;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
