import { DEPTH_LIMIT, type Role } from './tags.ts';

/** A tag as its author wrote it. `value` is the checked target of a link, or the `start` of numbers. */
export interface Tag {
  name: string;
  role: Role;
  value: string | undefined;
}

/** What happens in the document, in order. `element` is the element a text or a link's beginning belongs to. */
export type Step =
  | { kind: 'open' | 'close'; tag: Tag }
  | { kind: 'break' }
  | { kind: 'link'; element: number }
  | { kind: 'text'; element: number; text: string };

const BODY: Tag = { name: 'body', role: 'plain', value: undefined };
const ROOT = 0;
const BLOCKS: ReadonlySet<Role> = new Set(['heading', 'paragraph', 'bullets', 'numbers', 'item']);

// Bounds of the HTML standard: how often an end tag mends misnesting, how many inner elements it carries along, and how many
// elements of one name open again in the next block.
const MENDINGS = 8;
const CARRIED_ALONG = 3;
const SAME_NAME = 3;

/**
 * Which elements tags open and close, as the HTML standard says for the body of a page ("in body", "the adoption agency algorithm")
 * but only for the tags we allow. Elements are numbers and know their parents only. Blocks open and close in the order of the
 * document; which marks and which link a text lies in is known once everything is read, since an end tag can still change it.
 */
export class OpenElements {
  readonly steps: Step[] = [];
  readonly #tags: Tag[] = [BODY];
  readonly #parents: number[] = [ROOT];
  readonly #isOpen: boolean[] = [true];
  readonly #stack: number[] = [ROOT];
  /** Marks and links that open again in the next block when theirs is closed before them. */
  readonly #formatting: number[] = [];

  get isTooDeep(): boolean {
    return this.#stack.length - 1 > DEPTH_LIMIT;
  }

  tagOf(element: number): Tag {
    return this.#tags[element] ?? BODY;
  }

  parentOf(element: number): number {
    return this.#parents[element] ?? ROOT;
  }

  text(text: string): void {
    this.#reopen();
    const element = this.#current();
    const last = this.steps.at(-1);
    if (last?.kind === 'text' && last.element === element) last.text += text;
    else this.steps.push({ kind: 'text', element, text });
  }

  start(tag: Tag): void {
    switch (tag.role) {
      case 'heading':
        this.#closeParagraph();
        if (this.#roleAt(this.#stack.length - 1) === 'heading') this.#pop();
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
        this.steps.push({ kind: 'break' });
        break;
      case 'plain':
        this.#reopen();
        this.#push(tag);
        break;
      case 'link':
        this.#endLink();
        this.#startFormatting(tag);
        this.steps.push({ kind: 'link', element: this.#current() });
        break;
      case 'bold':
      case 'italic':
        this.#startFormatting(tag);
        break;
      default:
        tag.role satisfies never;
    }
  }

  end(tag: Tag): void {
    switch (tag.role) {
      case 'heading':
        this.#popBlock(this.#findOpen(({ role }) => role === 'heading'));
        break;
      case 'bullets':
      case 'numbers':
        this.#popBlock(this.#findOpen(({ name }) => name === tag.name));
        break;
      case 'item':
        this.#popBlock(this.#findItem());
        break;
      case 'paragraph':
        // Browsers show an end tag alone as an empty paragraph, and that of a break as a break.
        if (!this.#closeParagraph()) this.#popBlock(this.#push(tag));
        break;
      case 'break':
        this.start(tag);
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

  /** Closes what is still open. */
  finish(): void {
    while (this.#stack.length > 1) this.#pop();
  }

  #current(): number {
    return this.#stack.at(-1) ?? ROOT;
  }

  #roleAt(index: number): Role {
    return this.tagOf(this.#stack[index] ?? ROOT).role;
  }

  #create(tag: Tag, parent: number): number {
    this.#tags.push(tag);
    this.#isOpen.push(true);
    return this.#parents.push(parent) - 1;
  }

  /** Answers where on the stack the new element is. */
  #push(tag: Tag): number {
    if (BLOCKS.has(tag.role)) this.steps.push({ kind: 'open', tag });
    return this.#stack.push(this.#create(tag, this.#current())) - 1;
  }

  #pop(): void {
    const element = this.#stack.pop() ?? ROOT;
    const tag = this.tagOf(element);
    this.#isOpen[element] = false;
    if (BLOCKS.has(tag.role)) this.steps.push({ kind: 'close', tag });
  }

  #popFrom(index: number): void {
    while (this.#stack.length > index) this.#pop();
  }

  /** Nothing is closed where there is no such block. */
  #popBlock(index: number): void {
    if (index > 0) this.#popFrom(index);
  }

  #findOpen(matches: (tag: Tag) => boolean): number {
    return this.#stack.findLastIndex((element) => matches(this.tagOf(element)));
  }

  #findItem(): number {
    const index = this.#findOpen(({ role }) => role === 'item' || role === 'bullets' || role === 'numbers');
    return this.#roleAt(index) === 'item' ? index : -1;
  }

  #closeParagraph(): boolean {
    const index = this.#findOpen(({ role }) => role === 'paragraph');
    this.#popBlock(index);
    return index > 0;
  }

  /** A new item closes the one before it, but not through another block than a paragraph. */
  #closeItem(): void {
    const index = this.#findOpen(({ role }) => role !== 'paragraph' && BLOCKS.has(role));
    if (this.#roleAt(index) === 'item') this.#popFrom(index);
  }

  #endInline(name: string): void {
    const index = this.#findOpen((tag) => tag.name === name || BLOCKS.has(tag.role));
    if (index > 0 && this.tagOf(this.#stack[index] ?? ROOT).name === name) this.#popFrom(index);
  }

  #startFormatting(tag: Tag): void {
    this.#reopen();
    this.#push(tag);
    const same = this.#formatting.filter((element) => this.tagOf(element).name === tag.name);
    if (same.length >= SAME_NAME) this.#forget(same[0] ?? ROOT);
    this.#formatting.push(this.#current());
  }

  /** Opens again what was closed along with a block before its own end tag. */
  #reopen(): void {
    let next = this.#formatting.length;
    while (next > 0 && this.#isOpen[this.#formatting[next - 1] ?? ROOT] === false) next--;
    for (; next < this.#formatting.length; next++) {
      this.#push(this.tagOf(this.#formatting[next] ?? ROOT));
      this.#formatting[next] = this.#current();
    }
  }

  /** Links do not nest: the next one ends the one before. */
  #endLink(): void {
    const link = this.#formatting.find((element) => this.tagOf(element).role === 'link');
    if (link === undefined) return;
    this.#endFormatting(this.tagOf(link).name);
    this.#forget(link);
    const index = this.#stack.indexOf(link);
    if (index > 0) this.#takeOut(index);
  }

  #forget(element: number): void {
    const index = this.#formatting.indexOf(element);
    if (index >= 0) this.#formatting.splice(index, 1);
  }

  #takeOut(index: number): void {
    for (const element of this.#stack.splice(index, 1)) this.#isOpen[element] = false;
  }

  #endFormatting(name: string): void {
    const current = this.#current();
    if (this.tagOf(current).name === name && !this.#formatting.includes(current)) return this.#pop();
    for (let mending = 0; mending < MENDINGS; mending++) {
      const element = this.#formatting.findLast((candidate) => this.tagOf(candidate).name === name);
      if (element === undefined) return this.#endInline(name);
      if (this.#isOpen[element] === false) return this.#forget(element);
      const at = this.#stack.lastIndexOf(element);
      const block = this.#stack.findIndex((open, index) => index > at && BLOCKS.has(this.tagOf(open).role));
      if (block < 0) {
        this.#popFrom(at);
        return this.#forget(element);
      }
      this.#mend(at, block);
    }
  }

  /**
   * Lets a mark end around a block that began within it: the block moves out, what it has so far stays marked, and what comes
   * next in it is marked until the end tag is looked at again.
   */
  #mend(at: number, block: number): void {
    const element = this.#stack[at] ?? ROOT;
    const inside = this.#stack[block] ?? ROOT;
    // Everything in the block knows the block's number, so that number becomes the mark within and the block gets a new one.
    const moved = this.#create(this.tagOf(inside), ROOT);
    const { outermost, kept, bookmark } = this.#carryAlong(at, block, moved);
    this.#parents[outermost] = this.#stack[at - 1] ?? ROOT;
    this.#parents[inside] = moved;
    this.#tags[inside] = this.tagOf(element);
    this.#formatting.splice(bookmark, 0, inside);
    this.#forget(element);
    this.#isOpen[element] = false;
    this.#stack.splice(at, block + 1 - at, ...kept, moved, inside);
  }

  /** Gives the marks between a mark and the block that moves out of it copies outside, and leaves out all but the innermost. */
  #carryAlong(at: number, block: number, moved: number): { outermost: number; kept: number[]; bookmark: number } {
    const kept: number[] = [];
    let outermost = moved;
    let bookmark = this.#formatting.indexOf(this.#stack[at] ?? ROOT);
    for (let index = block - 1; index > at; index--) {
      const element = this.#stack[index] ?? ROOT;
      const place = this.#formatting.indexOf(element);
      this.#isOpen[element] = false;
      if (place >= 0 && block - index > CARRIED_ALONG) {
        this.#formatting.splice(place, 1);
        if (place < bookmark) bookmark--;
      } else if (place >= 0) {
        const copy = this.#create(this.tagOf(element), ROOT);
        this.#formatting[place] = copy;
        if (outermost === moved) bookmark = place + 1;
        this.#parents[outermost] = copy;
        outermost = copy;
        kept.unshift(copy);
      }
    }
    return { outermost, kept, bookmark };
  }
}
