import { ElementStack } from './element-stack.ts';
import { Elements } from './elements.ts';
import { Formatting } from './formatting.ts';
import type { TagTaker } from './scan-html.ts';
import { DEPTH_LIMIT, type HtmlSink, type WrittenTag } from './tags.ts';
import { StepTeller } from './tell-steps.ts';

// Of the HTML standard: how often an end tag mends misnesting.
const MENDINGS = 8;

/**
 * Which elements tags open and close, as the HTML standard says for the body of a page ("in body", "the adoption agency algorithm")
 * but only for the tags we allow. Blocks open and close in the order of the document; which marks and which link a text lies in is
 * only known once these have ended, since an end tag can still change it. Until then the sink is not told.
 */
export class OpenElements implements TagTaker {
  readonly #elements = new Elements();
  readonly #stack = new ElementStack(this.#elements);
  /** Without any, no text can still move. */
  readonly #formatting = new Formatting(this.#stack);
  readonly #teller: StepTeller;
  readonly #sink: HtmlSink;
  /** A mark or link that begins where none is open: most have nothing but text in them, and then they need no element. */
  #held: WrittenTag | undefined;
  #heldText = '';

  constructor(sink: HtmlSink) {
    this.#sink = sink;
    this.#teller = new StepTeller(this.#elements, sink);
  }

  isFull(): boolean {
    return this.#sink.isFull();
  }

  text(text: string): void {
    if (this.isFull()) return;
    if (this.#held !== undefined) {
      this.#heldText += text;
      return;
    }
    this.#formatting.reopen();
    const element = this.#stack.current();
    if (this.#formatting.isEmpty()) this.#teller.text(element, text);
    else this.#teller.textLater(element, text);
  }

  /** False when the tags are nested too deep, as far as the sink is not full. */
  start(tag: WrittenTag): boolean {
    if (this.isFull()) return true;
    // Links do not nest: the next one ends the one before.
    if (tag.role === 'link') this.#endLink();
    if (this.#held !== undefined) this.#startHeld(this.#held);
    if (tag.isFormatting && this.#formatting.isEmpty()) {
      this.#held = tag;
      return this.#stack.depth < DEPTH_LIMIT;
    }
    this.#start(tag);
    if (tag.isBlock) this.#tellSettledSteps();
    return this.#stack.depth <= DEPTH_LIMIT;
  }

  end(tag: WrittenTag): void {
    if (this.isFull()) return;
    if (this.#held?.name === tag.name) return this.#endHeld(this.#held);
    if (this.#held !== undefined) this.#startHeld(this.#held);
    this.#end(tag);
    if (tag.isBlock || this.#formatting.isEmpty()) this.#tellSettledSteps();
  }

  /** Closes what is still open. */
  finish(): void {
    if (this.#held !== undefined) this.#startHeld(this.#held);
    this.#popFrom(1);
    this.#elements.settle();
    this.#teller.tellSteps();
    this.#teller.finish();
    this.#elements.giveBack();
  }

  #endHeld(tag: WrittenTag): void {
    this.#teller.wrapped(this.#stack.current(), tag, this.#heldText);
    this.#letGo();
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

  /** Only an open mark can still be mended, and only a link that opens again still find its text. */
  #tellSettledSteps(): void {
    if (this.#formatting.hasOpen()) return;
    this.#elements.settle();
    if (this.#teller.hasSteps()) {
      const empty = this.#teller.linksWithoutText();
      if (empty !== undefined && this.#formatting.hasAnyOf(empty)) return;
      this.#teller.tellSteps();
    }
    if (this.#elements.areMany()) this.#teller.renumber(this.#formatting.forgetOthers(this.#teller.link()));
  }

  #start(tag: WrittenTag): void {
    switch (tag.role) {
      case 'heading':
        this.#closeParagraph();
        if (this.#stack.tagAt(this.#stack.list.length - 1).role === 'heading') this.#pop();
        this.#push(tag);
        break;
      case 'item':
        this.#popFrom(this.#stack.findItemBefore());
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
        this.#formatting.reopen();
        if (this.#formatting.isEmpty()) this.#sink.open('break', undefined);
        else this.#teller.breakLater();
        break;
      case 'plain':
        this.#formatting.reopen();
        this.#push(tag);
        break;
      case 'link':
        this.#startFormatting(tag);
        if (tag.value !== undefined) this.#teller.linkLater(this.#stack.current());
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
        this.#popFrom(this.#stack.findRole('heading'));
        break;
      case 'bullets':
      case 'numbers':
        this.#popFrom(this.#stack.findName(tag.name));
        break;
      case 'item':
        this.#popFrom(this.#stack.findItem());
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
        this.#popFrom(this.#stack.findInline(tag.name));
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

  #push(tag: WrittenTag): void {
    if (tag.opening && !this.#formatting.isEmpty()) this.#teller.blockLater(tag.opening);
    else if (tag.isBlock) this.#sink.open(tag.role, tag.value);
    this.#stack.push(tag);
  }

  #pop(): void {
    const tag = this.#stack.pop();
    if (tag.closing && !this.#formatting.isEmpty()) this.#teller.blockLater(tag.closing);
    else if (tag.isBlock) this.#sink.close(tag.role);
  }

  /** Nothing is closed when the index is that of nothing. */
  #popFrom(index: number): void {
    if (index > 0) for (let left = this.#stack.list.length - index; left > 0; left--) this.#pop();
  }

  #closeParagraph(): boolean {
    const index = this.#stack.findParagraph();
    this.#popFrom(index);
    return index > 0;
  }

  #startFormatting(tag: WrittenTag): void {
    this.#formatting.reopen();
    this.#push(tag);
    this.#formatting.add();
  }

  #endLink(): void {
    if (this.#held?.role === 'link') return this.#endHeld(this.#held);
    const link = this.#formatting.isEmpty() ? undefined : this.#formatting.findLink();
    if (link === undefined) return;
    this.#endFormatting(this.#elements.tag(link).name);
    this.#formatting.forget(link);
    if (this.#elements.isOpen(link)) this.#stack.remove(link);
    if (this.#formatting.isEmpty()) this.#tellSettledSteps();
  }

  #endFormatting(name: string): void {
    const current = this.#stack.current();
    if (this.#elements.tag(current).name === name) {
      const isLast = this.#formatting.isLast(current);
      if (isLast) this.#formatting.forget(current);
      if (isLast || !this.#formatting.includes(current)) return this.#pop();
    }
    for (let mending = 0; mending < MENDINGS; mending++) {
      const element = this.#formatting.findName(name);
      if (element === undefined) return this.#popFrom(this.#stack.findInline(name));
      if (!this.#elements.isOpen(element)) return this.#formatting.forget(element);
      const at = this.#stack.list.lastIndexOf(element);
      if (this.#stack.findBlockIn(at) < 0) {
        this.#popFrom(at);
        return this.#formatting.forget(element);
      }
      this.#formatting.mend(element);
    }
  }
}
