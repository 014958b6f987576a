import { BODY, Elements } from './elements.ts';
import { forget, mend } from './mend-misnesting.ts';
import type { TagTaker } from './scan-html.ts';
import { DEPTH_LIMIT, type HtmlSink, type Role, type WrittenTag } from './tags.ts';
import { StepTeller, type Step } from './tell-steps.ts';

// Bounds of the HTML standard: how often an end tag mends misnesting, and how many marks of one name open again in the next block.
const MENDINGS = 8;
const SAME_NAME = 3;
const BREAK: Step = { kind: 'break' };

/**
 * Which elements tags open and close, as the HTML standard says for the body of a page ("in body", "the adoption agency algorithm")
 * but only for the tags we allow. Blocks open and close in the order of the document; which marks and which link a text lies in is
 * only known once these have ended, since an end tag can still change it. Until then the sink is not told.
 */
export class OpenElements implements TagTaker {
  readonly #elements = new Elements();
  readonly #teller: StepTeller;
  readonly #sink: HtmlSink;
  readonly #stack: number[] = [BODY];
  /** Marks and links that open again in the next block when theirs is closed before them. Without any, no text can still move. */
  readonly #formatting: number[] = [];
  /** What the sink is not told yet. */
  #steps: Step[] = [];
  /** A mark or link that begins where none is open: most have nothing but text in them, and then they need no element. */
  #held: WrittenTag | undefined;
  #heldText = '';
  #hasCopies = false;
  #paragraphs = 0;

  constructor(sink: HtmlSink) {
    this.#sink = sink;
    this.#teller = new StepTeller(this.#elements, sink);
  }

  text(text: string): void {
    if (this.#held !== undefined) {
      this.#heldText += text;
      return;
    }
    this.#reopen();
    const element = this.#current();
    if (this.#formatting.length === 0) return this.#teller.text(element, text);
    const last = this.#steps.at(-1);
    if (last?.kind === 'text' && last.element === element) last.text += text;
    else this.#steps.push({ kind: 'text', element, text });
  }

  /** False when the tags are nested too deep. */
  start(tag: WrittenTag): boolean {
    if (this.#held !== undefined) this.#startHeld(this.#held);
    if (tag.isFormatting && this.#formatting.length === 0) {
      this.#held = tag;
      return this.#stack.length <= DEPTH_LIMIT;
    }
    this.#start(tag);
    if (tag.isBlock) this.#tellSettledSteps();
    return this.#stack.length - 1 <= DEPTH_LIMIT;
  }

  end(tag: WrittenTag): void {
    if (this.#held?.name === tag.name) {
      this.#teller.wrapped(this.#current(), this.#held, this.#heldText);
      this.#letGo();
      return;
    }
    if (this.#held !== undefined) this.#startHeld(this.#held);
    this.#end(tag);
    if (tag.isBlock || this.#formatting.length === 0) this.#tellSettledSteps();
  }

  #letGo(): void {
    this.#held = undefined;
    this.#heldText = '';
  }

  #startHeld(tag: WrittenTag): void {
    const text = this.#heldText;
    this.#letGo();
    this.#start(tag);
    if (text !== '') this.text(text);
  }

  /** Closes what is still open. */
  finish(): void {
    if (this.#held !== undefined) this.#startHeld(this.#held);
    this.#popFrom(1);
    this.#tellSteps();
    this.#teller.finish();
    this.#elements.giveBack();
  }

  /** Only an open mark can still be mended, and only a link that opens again still find its text. */
  #tellSettledSteps(): void {
    if (this.#steps.length === 0) return;
    for (const element of this.#formatting)
      if (this.#elements.isOpen(element) || this.#elements.tag(element).role === 'link') return;
    this.#tellSteps();
  }

  #tellSteps(): void {
    this.#elements.settle();
    this.#teller.tell(this.#steps, this.#hasCopies);
    this.#steps = [];
    this.#hasCopies = false;
  }

  #start(tag: WrittenTag): void {
    switch (tag.role) {
      case 'heading':
        this.#closeParagraph();
        if (this.#tagAt(this.#stack.length - 1).role === 'heading') this.#pop();
        this.#push(tag);
        break;
      case 'item':
        this.#closeItem();
        this.#closeParagraph();
        this.#push(tag);
        break;
      case 'paragraph':
      case 'bullets':
      case 'numbers':
        this.#closeParagraph();
        this.#push(tag);
        break;
      case 'break':
        this.#reopen();
        if (this.#formatting.length === 0) this.#sink.open('break', undefined);
        else this.#steps.push(BREAK);
        break;
      case 'plain':
        this.#reopen();
        this.#push(tag);
        break;
      case 'link':
        this.#endLink();
        this.#startFormatting(tag);
        if (tag.value !== undefined) this.#steps.push({ kind: 'link', element: this.#current() });
        break;
      case 'bold':
      case 'italic':
        this.#startFormatting(tag);
        break;
      default:
        tag.role satisfies never;
    }
  }

  #end(tag: WrittenTag): void {
    switch (tag.role) {
      case 'heading':
        this.#popFrom(this.#findRole('heading'));
        break;
      case 'bullets':
      case 'numbers':
        this.#popFrom(this.#findName(tag.name));
        break;
      case 'item':
        this.#popFrom(this.#findItem());
        break;
      case 'paragraph':
        // An end tag alone is an empty paragraph to browsers, and that of a break is a break.
        if (!this.#closeParagraph()) {
          this.#push(tag);
          this.#pop();
        }
        break;
      case 'break':
        this.#start(tag);
        break;
      case 'plain':
        this.#endInline(tag.name);
        break;
      case 'link':
      case 'bold':
      case 'italic':
        this.#endFormatting(tag.name);
        break;
      default:
        tag.role satisfies never;
    }
  }

  #current(): number {
    return this.#stack.at(-1) ?? BODY;
  }

  #tagAt(index: number): WrittenTag {
    return this.#elements.tag(this.#stack[index] ?? BODY);
  }

  #isBlockAt(index: number): boolean {
    return this.#elements.isBlock(this.#stack[index] ?? BODY);
  }

  #push(tag: WrittenTag): void {
    if (tag.opening && this.#formatting.length > 0) this.#steps.push(tag.opening);
    else if (tag.isBlock) this.#sink.open(tag.role, tag.value);
    if (tag.role === 'paragraph') this.#paragraphs++;
    this.#stack.push(this.#elements.create(tag, this.#current()));
  }

  #pop(): void {
    const element = this.#stack.pop() ?? BODY;
    this.#elements.close(element);
    if (!this.#elements.isBlock(element)) return;
    const tag = this.#elements.tag(element);
    if (tag.closing && this.#formatting.length > 0) this.#steps.push(tag.closing);
    else this.#sink.close(tag.role);
    if (tag.role === 'paragraph') this.#paragraphs--;
  }

  /** Nothing is closed when the index is that of nothing. */
  #popFrom(index: number): void {
    if (index > 0) for (let left = this.#stack.length - index; left > 0; left--) this.#pop();
  }

  /** Where on the stack the innermost block of a role is; 0 when there is none. */
  #findRole(role: Role): number {
    let index = this.#stack.length - 1;
    while (index > 0 && !(this.#isBlockAt(index) && this.#tagAt(index).role === role)) index--;
    return index;
  }

  #findName(name: string): number {
    let index = this.#stack.length - 1;
    while (index > 0 && this.#tagAt(index).name !== name) index--;
    return index;
  }

  #findItem(): number {
    const item = this.#findRole('item');
    const list = Math.max(this.#findRole('bullets'), this.#findRole('numbers'));
    return item > list ? item : 0;
  }

  #closeParagraph(): boolean {
    if (this.#paragraphs === 0) return false;
    const index = this.#findRole('paragraph');
    this.#popFrom(index);
    return index > 0;
  }

  /** A new item closes the one before it, but not through another block than a paragraph. */
  #closeItem(): void {
    let index = this.#stack.length - 1;
    while (index > 0 && (!this.#isBlockAt(index) || this.#tagAt(index).role === 'paragraph')) index--;
    if (this.#tagAt(index).role === 'item') this.#popFrom(index);
  }

  #endInline(name: string): void {
    let index = this.#stack.length - 1;
    while (index > 0 && this.#tagAt(index).name !== name && !this.#isBlockAt(index)) index--;
    if (this.#tagAt(index).name === name) this.#popFrom(index);
  }

  #startFormatting(tag: WrittenTag): void {
    this.#reopen();
    this.#push(tag);
    this.#makeRoomFor(tag.name);
    this.#formatting.push(this.#current());
  }

  #makeRoomFor(name: string): void {
    let count = 0;
    let first = BODY;
    for (let index = this.#formatting.length - 1; index >= 0; index--) {
      const element = this.#formatting[index] ?? BODY;
      if (this.#elements.tag(element).name !== name) continue;
      count++;
      first = element;
    }
    if (count >= SAME_NAME) forget(this.#formatting, first);
  }

  /** Opens again what was closed along with a block before its own end tag. */
  #reopen(): void {
    let next = this.#formatting.length;
    while (next > 0 && !this.#elements.isOpen(this.#formatting[next - 1] ?? BODY)) next--;
    if (next === this.#formatting.length) return;
    this.#hasCopies = true;
    this.#elements.copyOnto(this.#stack, this.#formatting, next);
  }

  /** Links do not nest: the next one ends the one before. */
  #endLink(): void {
    if (this.#formatting.length === 0) return;
    const link = this.#formatting.findLast((element) => this.#elements.tag(element).role === 'link');
    if (link === undefined) return;
    this.#endFormatting(this.#elements.tag(link).name);
    forget(this.#formatting, link);
    if (!this.#elements.isOpen(link)) return;
    this.#elements.close(link);
    this.#stack.splice(this.#stack.indexOf(link), 1);
  }

  #endFormatting(name: string): void {
    const current = this.#current();
    if (this.#elements.tag(current).name === name) {
      const isLast = this.#formatting.at(-1) === current;
      if (isLast) this.#formatting.pop();
      if (isLast || !this.#formatting.includes(current)) return this.#pop();
    }
    for (let mending = 0; mending < MENDINGS; mending++) {
      const element = this.#formatting.findLast((candidate) => this.#elements.tag(candidate).name === name);
      if (element === undefined) return this.#endInline(name);
      if (!this.#elements.isOpen(element)) return forget(this.#formatting, element);
      const at = this.#stack.lastIndexOf(element);
      const block = this.#stack.findIndex((open, index) => index > at && this.#elements.isBlock(open));
      if (block < 0) {
        this.#popFrom(at);
        return forget(this.#formatting, element);
      }
      this.#hasCopies = true;
      mend({ elements: this.#elements, stack: this.#stack, formatting: this.#formatting }, at, block);
    }
  }
}
