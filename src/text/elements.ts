import { BOLD, ITALIC, PLAIN } from './document.ts';
import { enlargeColumns, giveBackColumns, takeColumns } from './element-columns.ts';
import { BODY_TAG, type WrittenTag } from './tags.ts';

export const BODY = 0;

/** What a text lies in beside blocks, in one number: its style, and above that the element of its link, `BODY` outside of links. */
export type Inline = number;

const STYLE_BITS = 2;
const STYLE_MASK = BOLD | ITALIC;
export const BARE: Inline = (BODY << STYLE_BITS) | PLAIN;
const UNKNOWN = -1;
// To forget elements is worth its while once there are so many more of them.
const MANY = 2_048;

// The states of an element.
const OPEN = 1;
const BLOCK = 2;

/**
 * The elements of a document by number, the first of them its body. They know their tag, the element around them, what that makes of
 * their text, and whether they are open. Kept as columns, because a quarter of a megabyte of misnested tags makes almost a million
 * of them.
 */
export class Elements {
  /** As they were written; elements that are copies of others share theirs. */
  #tags: WrittenTag[] = [];
  #columns = takeColumns();
  #count = 0;
  /** The first of those that may have moved into others since they were made. */
  #unsettled = 1;
  #manyAt = MANY;
  #hasMoved = false;

  constructor() {
    this.create(BODY_TAG, BODY);
  }

  create(tag: WrittenTag, parent: number): number {
    return this.#add(this.#tags.push(tag) - 1, tag, parent);
  }

  copy(element: number, parent: number): number {
    return this.#add(this.#columns.tagIndexes[element] ?? BODY, this.tag(element), parent);
  }

  /**
   * Copies the elements of a list from an index on, each copy within the one before it and the first within the innermost of a stack.
   * The copies take the places of the copied, and are put on the stack. Answers how many tags they stand for. There may be hundreds of
   * thousands of such copies, so they are made in one loop.
   */
  copyOnto(stack: number[], list: number[], from: number): number {
    while (this.#count + list.length - from > this.#columns.parents.length)
      this.#columns = enlargeColumns(this.#columns);
    const { tagIndexes, parents, inlines, states } = this.#columns;
    let depth = 0;
    let parent = stack.at(-1) ?? BODY;
    let inline = inlines[parent] ?? BARE;
    for (let index = from; index < list.length; index++) {
      const copy = this.#count++;
      const tagIndex = tagIndexes[list[index] ?? BODY] ?? BODY;
      const tag = this.#tags[tagIndex] ?? BODY_TAG;
      inline = within(inline, copy, tag);
      tagIndexes[copy] = tagIndex;
      parents[copy] = parent;
      inlines[copy] = inline;
      states[copy] = OPEN;
      list[index] = copy;
      stack.push(copy);
      parent = copy;
      depth += tag.depth;
    }
    return depth;
  }

  tag(element: number): WrittenTag {
    return this.#tags[this.#columns.tagIndexes[element] ?? BODY] ?? BODY_TAG;
  }

  /**
   * Makes an element, which is no block, the innermost of as many as there are tags, each within the one before. Answers the others, which are
   * open if it is.
   */
  split(element: number, tags: readonly WrittenTag[]): number[] {
    const outer: number[] = [];
    for (const tag of tags.slice(0, -1)) {
      const fresh = this.create(tag, this.#columns.parents[element] ?? BODY);
      if (!this.isOpen(element)) this.close(fresh);
      this.move(element, fresh);
      outer.push(fresh);
    }
    this.#columns.tagIndexes[element] = this.#tags.push(tags.at(-1) ?? BODY_TAG) - 1;
    return outer;
  }

  /** Makes an element one of the kind of another. */
  liken(element: number, to: number): void {
    const { tagIndexes, states } = this.#columns;
    tagIndexes[element] = tagIndexes[to] ?? BODY;
    states[element] = ((states[element] ?? 0) & OPEN) | ((states[to] ?? 0) & BLOCK);
    this.#hasMoved = true;
  }

  move(element: number, parent: number): void {
    this.#columns.parents[element] = parent;
    this.#hasMoved = true;
  }

  isOpen(element: number): boolean {
    return ((this.#columns.states[element] ?? 0) & OPEN) !== 0;
  }

  close(element: number): void {
    this.#columns.states[element] = (this.#columns.states[element] ?? 0) & BLOCK;
  }

  isBlock(element: number): boolean {
    return ((this.#columns.states[element] ?? 0) & BLOCK) !== 0;
  }

  /** What the text of an element lies in; once elements have moved, it is only known after `settle`. */
  inline(element: number): Inline {
    return this.#columns.inlines[element] ?? BARE;
  }

  areMany(): boolean {
    return this.#count >= this.#manyAt;
  }

  /**
   * Forgets all elements but those of a stack, their links and those of a list, and gives these new numbers, beginning with the stack:
   * what is written again and again stays near. Answers the new numbers by the old. Nothing may be left to `settle`.
   */
  keepOnly(stack: readonly number[], list: readonly number[]): ReadonlyMap<number, number> {
    const links = stack.map((element) => linkOf(this.inline(element)));
    const kept = Array.from(new Set([...stack, ...links, ...list]));
    const numbers = new Map(kept.map((element, number) => [element, number]));
    const { tagIndexes, parents, inlines, states } = this.#columns;
    const tags = kept.map((element) => this.tag(element));
    const renumbered = kept.map((element) => ({
      parent: numbers.get(parents[element] ?? BODY) ?? BODY,
      inline: renumber(this.inline(element), numbers),
      state: states[element] ?? 0,
    }));
    for (const [number, { parent, inline, state }] of renumbered.entries()) {
      tagIndexes[number] = number;
      parents[number] = parent;
      inlines[number] = inline;
      states[number] = state;
    }
    this.#tags = tags;
    this.#count = kept.length;
    this.#unsettled = this.#count;
    this.#manyAt = this.#count + MANY;
    return numbers;
  }

  /** To be called last, when nothing will be asked any more. */
  giveBack(): void {
    giveBackColumns(this.#columns);
  }

  #add(tagIndex: number, tag: WrittenTag, parent: number): number {
    const element = this.#count++;
    if (element === this.#columns.parents.length) this.#columns = enlargeColumns(this.#columns);
    const { tagIndexes, parents, inlines, states } = this.#columns;
    tagIndexes[element] = tagIndex;
    parents[element] = parent;
    inlines[element] = element === BODY ? BARE : within(inlines[parent] ?? BARE, element, tag);
    states[element] = tag.isBlock ? OPEN | BLOCK : OPEN;
    return element;
  }

  /** To be called when none of the elements there are will move any more, or once more. */
  settle(): void {
    if (this.#hasMoved) this.#workOutAgain();
    this.#hasMoved = false;
    this.#unsettled = this.#count;
  }

  /** Works out each element once: those around it first, in a loop, since misnesting makes deep trees. */
  #workOutAgain(): void {
    const { parents, inlines } = this.#columns;
    inlines.fill(UNKNOWN, this.#unsettled, this.#count);
    const waiting: number[] = [];
    for (let element = this.#unsettled; element < this.#count; element++) {
      let at = element;
      for (; inlines[at] === UNKNOWN; at = parents[at] ?? BODY) waiting.push(at);
      let inline = inlines[at] ?? BARE;
      for (let inner = waiting.pop(); inner !== undefined; inner = waiting.pop()) {
        inline = within(inline, inner, this.tag(inner));
        inlines[inner] = inline;
      }
    }
  }
}

export function styleOf(inline: Inline): number {
  return inline & STYLE_MASK;
}

/** The element of a link; `BODY` outside of links. */
export function linkOf(inline: Inline): number {
  return inline >> STYLE_BITS;
}

/** In a link and a style. */
export function inlineOf(link: number, style: number): Inline {
  return (link << STYLE_BITS) | style;
}

/** The same in elements of other numbers. */
export function renumber(inline: Inline, numbers: ReadonlyMap<number, number>): Inline {
  return inlineOf(numbers.get(linkOf(inline)) ?? BODY, styleOf(inline));
}

function within(outer: Inline, element: number, { role, value, style }: WrittenTag): Inline {
  return (role === 'link' && value !== undefined ? inlineOf(element, styleOf(outer)) : outer) | style;
}
