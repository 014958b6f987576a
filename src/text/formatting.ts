import { bundle, partsOf, splitAt } from './bundles.ts';
import type { ElementStack } from './element-stack.ts';
import { BODY, type Elements } from './elements.ts';
import { cutOut, mend } from './mend-misnesting.ts';
import type { WrittenTag } from './tags.ts';

// Of the HTML standard: how many marks of one name open again in the next block.
const SAME_NAME = 3;
// Fewer than this are opened again one by one as quickly.
const WORTH_A_BUNDLE = 4;
// To take bundles apart costs more than they save in a document whose tags have to do with single marks all the time.
const TAKEN_APART_AT_MOST = 64;

/**
 * The marks and links that open again in the next block when theirs is closed before them, the outermost first: "the list of active
 * formatting elements" of the HTML standard.
 *
 * Those that have opened again together are from then on one element, a bundle, until a tag has to do with one of them alone. A
 * bundle stands in this list and on the stack as others do. Without bundles, a quarter of a megabyte of paragraphs in marks would make
 * most of a million elements.
 */
export class Formatting {
  readonly #list: number[] = [];
  readonly #elements: Elements;
  readonly #stack: ElementStack;
  /** The part of the list that opened again together the last time, and that nothing had to do with since: `[from, to)`. */
  #from = 0;
  #to = 0;
  #takenApart = 0;
  #hasGathered = false;

  constructor(stack: ElementStack) {
    this.#stack = stack;
    this.#elements = stack.elements;
  }

  isEmpty(): boolean {
    return this.#list.length === 0;
  }

  hasOpen(): boolean {
    for (const element of this.#list) if (this.#elements.isOpen(element)) return true;
    return false;
  }

  /** Whether one of some tags is among them. */
  hasAnyOf(tags: ReadonlySet<WrittenTag>): boolean {
    return this.#list.some((_element, index) => this.#partsAt(index).some((tag) => tags.has(tag)));
  }

  /** Forgets all elements but those that are open or will open again, and one more. Answers their new numbers by the old. */
  forgetOthers(element: number): ReadonlyMap<number, number> {
    const numbers = this.#elements.keepOnly(this.#stack.list, [...this.#list, element]);
    for (const list of [this.#stack.list, this.#list]) {
      for (const [index, element] of list.entries()) list[index] = numbers.get(element) ?? BODY;
    }
    return numbers;
  }

  /** Opens again what was closed along with a block before its own end tag. */
  reopen(): void {
    const list = this.#list;
    let next = list.length;
    while (next > 0 && !this.#elements.isOpen(list[next - 1] ?? BODY)) next--;
    if (next === list.length) return;
    this.#gather(Math.max(next, this.#from), this.#to);
    this.#stack.depth += this.#elements.copyOnto(this.#stack.list, list, next);
    this.#stack.forgetFound();
    this.#from = next;
    this.#to = list.length;
  }

  /** Adds the innermost element of the stack. */
  add(): void {
    this.#makeRoomFor(this.#elements.tag(this.#stack.current()).name);
    this.#list.push(this.#stack.current());
  }

  isLast(element: number): boolean {
    return this.#list.at(-1) === element;
  }

  includes(element: number): boolean {
    return this.#list.includes(element);
  }

  /** The last of a name; undefined when there is none. */
  findName(name: string): number | undefined {
    return this.#findLast((tag) => tag.name === name);
  }

  findLink(): number | undefined {
    return this.#findLast((tag) => tag.role === 'link');
  }

  forget(element: number): void {
    const index = this.#list.lastIndexOf(element);
    if (index >= 0) this.#forgetAt(index);
  }

  /** Lets an open mark end though a block began within it, which is still open. See `mend`. */
  mend(mark: number): void {
    const { list: stack, elements } = this.#stack;
    const at = stack.lastIndexOf(mark);
    for (let index = this.#stack.findBlockIn(at) - 1; index > at; index--) {
      const tag = this.#stack.tagAt(index);
      if (tag.parts !== undefined) this.#replace(this.#list.indexOf(stack[index] ?? BODY), tag.parts);
    }
    const height = stack.length;
    mend({ elements, stack, formatting: this.#list }, at, this.#stack.findBlockIn(at));
    this.#stack.depth += stack.length - height;
    this.#stack.forgetFound();
    this.#to = 0;
  }

  #forgetAt(index: number): void {
    this.#to = Math.min(this.#to, index);
    cutOut(this.#list, index);
  }

  /** Makes one closed bundle of a part of the list. */
  #gather(from: number, to: number): void {
    if (to - from < WORTH_A_BUNDLE || this.#takenApart > TAKEN_APART_AT_MOST) return;
    const tags = this.#list.slice(from, to).map((element) => this.#elements.tag(element));
    const gathered = this.#elements.create(bundle(tags), BODY);
    this.#elements.close(gathered);
    this.#hasGathered = true;
    this.#list.splice(from, to - from, gathered);
  }

  #makeRoomFor(name: string): void {
    if (this.#list.length < SAME_NAME && !this.#hasGathered) return;
    let count = 0;
    let first = 0;
    for (let index = this.#list.length - 1; index >= 0; index--) {
      const named = countNamed(this.#elements.tag(this.#list[index] ?? BODY), name);
      if (named > 0) first = index;
      count += named;
    }
    if (count < SAME_NAME) return;
    const part = this.#partsAt(first).findIndex((tag) => tag.name === name);
    this.forget(this.#takeOut(first, part));
  }

  #findLast(isWanted: (tag: WrittenTag) => boolean): number | undefined {
    for (let index = this.#list.length - 1; index >= 0; index--) {
      const element = this.#list[index] ?? BODY;
      const tag = this.#elements.tag(element);
      if (tag.parts === undefined) {
        if (isWanted(tag)) return element;
        continue;
      }
      const part = tag.parts.findLastIndex(isWanted);
      if (part >= 0) return this.#takeOut(index, part);
    }
    return undefined;
  }

  #partsAt(index: number): readonly WrittenTag[] {
    return partsOf(this.#elements.tag(this.#list[index] ?? BODY));
  }

  /** A part of what stands at an index of the list, as an element of its own. */
  #takeOut(index: number, part: number): number {
    const parts = this.#partsAt(index);
    if (parts.length > 1) this.#replace(index, splitAt(parts, part));
    return this.#list[part === 0 ? index : index + 1] ?? BODY;
  }

  /** Puts elements, each within the one before, in the place of the bundle at an index of the list. They come to the same. */
  #replace(index: number, tags: readonly WrittenTag[]): void {
    // All that is in the bundle knows it by its number, so the number goes to the innermost.
    this.#takenApart++;
    const inner = this.#list[index] ?? BODY;
    const outer = this.#elements.split(inner, tags);
    this.#list.splice(index, 1, ...outer, inner);
    this.#to = Math.min(this.#to, index);
    if (this.#elements.isOpen(inner)) this.#stack.insertBefore(inner, outer);
  }
}

function countNamed(tag: WrittenTag, name: string): number {
  if (tag.parts === undefined) return tag.name === name ? 1 : 0;
  let count = 0;
  for (const part of tag.parts) if (part.name === name) count++;
  return count;
}
