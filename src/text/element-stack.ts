import { BODY, type Elements } from './elements.ts';
import type { Role, WrittenTag } from './tags.ts';

// So far it is as quick to look again.
const NEAR = 8;

/** The elements that are open, each within the one before; the first is the body. */
export class ElementStack {
  readonly elements: Elements;
  /** By their numbers. */
  readonly list: number[] = [BODY];
  /** How many tags are open. */
  depth = 0;
  #paragraphs = 0;
  /** Where what was looked for far off is, by its name or role, as long as the stack is the same: end tags may come by the thousand. */
  #found: Map<string, number> | undefined;

  constructor(elements: Elements) {
    this.elements = elements;
  }

  /** The innermost. */
  current(): number {
    return this.list.at(-1) ?? BODY;
  }

  tagAt(index: number): WrittenTag {
    return this.elements.tag(this.list[index] ?? BODY);
  }

  isBlockAt(index: number): boolean {
    return this.elements.isBlock(this.list[index] ?? BODY);
  }

  push(tag: WrittenTag): void {
    if (tag.role === 'paragraph') this.#paragraphs++;
    this.list.push(this.elements.create(tag, this.current()));
    this.depth += tag.depth;
    this.forgetFound();
  }

  /** Puts open elements right around one that is open. They were a part of it, so nothing gets any deeper. */
  insertBefore(element: number, outer: readonly number[]): void {
    this.list.splice(this.list.lastIndexOf(element), 0, ...outer);
    this.forgetFound();
  }

  /** Closes the innermost and answers its tag. */
  pop(): WrittenTag {
    const element = this.list.pop() ?? BODY;
    this.elements.close(element);
    const tag = this.elements.tag(element);
    if (tag.role === 'paragraph') this.#paragraphs--;
    this.depth -= tag.depth;
    this.forgetFound();
    return tag;
  }

  /** Closes one that is anywhere; those within it stay open. */
  remove(element: number): void {
    this.elements.close(element);
    this.list.splice(this.list.indexOf(element), 1);
    this.depth--;
    this.forgetFound();
  }

  /** To be called when `list` was changed from outside. */
  forgetFound(): void {
    this.#found = undefined;
  }

  /** Where the innermost block of a role is; 0 when there is none. */
  findRole(role: Role): number {
    let index = this.#found?.get(role) ?? this.list.length - 1;
    while (index > 0 && !(this.isBlockAt(index) && this.tagAt(index).role === role)) index--;
    return this.#remember(role, index);
  }

  findName(name: string): number {
    let index = this.#found?.get(name) ?? this.list.length - 1;
    while (index > 0 && this.tagAt(index).name !== name) index--;
    return this.#remember(name, index);
  }

  /** Where the innermost element of a name that is no block is, if there is no block in it; otherwise 0. */
  findInline(name: string): number {
    let index = this.#found?.get(name) ?? this.list.length - 1;
    while (index > 0 && this.tagAt(index).name !== name && !this.isBlockAt(index)) index--;
    this.#remember(name, index);
    return this.isBlockAt(index) ? 0 : index;
  }

  findParagraph(): number {
    return this.#paragraphs === 0 ? 0 : this.findRole('paragraph');
  }

  /** The item that an end tag closes. */
  findItem(): number {
    const item = this.findRole('item');
    const list = Math.max(this.findRole('bullets'), this.findRole('numbers'));
    return item > list ? item : 0;
  }

  /** The item that a new one closes: not through another block than a paragraph. */
  findItemBefore(): number {
    let index = this.list.length - 1;
    while (index > 0 && (!this.isBlockAt(index) || this.tagAt(index).role === 'paragraph')) index--;
    return this.tagAt(index).role === 'item' ? index : 0;
  }

  /** Where the first block within an element on the stack is; -1 when there is none. */
  findBlockIn(at: number): number {
    for (let index = at + 1; index < this.list.length; index++) if (this.isBlockAt(index)) return index;
    return -1;
  }

  #remember(key: string, index: number): number {
    if (this.list.length - index > NEAR) (this.#found ??= new Map()).set(key, index);
    return index;
  }
}
