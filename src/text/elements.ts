import type { WrittenTag } from './tags.ts';

export const BODY = 0;

const FIRST_ROOM = 512;
const BODY_TAG: WrittenTag = { name: 'body', role: 'plain', value: undefined, isBlock: false };

/**
 * The elements of a document by number, the first of them its body. They know their tag, the element around them and whether they
 * are open. Kept as columns of numbers, because a quarter of a megabyte of misnested tags makes almost a million of them.
 */
export class Elements {
  /** As they were written; elements that are copies of others share theirs. */
  readonly #tags: WrittenTag[] = [BODY_TAG];
  #tagIndexes = new Int32Array(FIRST_ROOM);
  #parents = new Int32Array(FIRST_ROOM);
  #open = new Uint8Array(FIRST_ROOM).fill(1, BODY, BODY + 1);
  #count = 1;

  get count(): number {
    return this.#count;
  }

  create(tag: WrittenTag, parent: number): number {
    return this.#add(this.#tags.push(tag) - 1, parent);
  }

  copy(element: number, parent: number): number {
    return this.#add(this.#tagIndexes[element] ?? BODY, parent);
  }

  tag(element: number): WrittenTag {
    return this.#tags[this.#tagIndexes[element] ?? BODY] ?? BODY_TAG;
  }

  /** Makes an element one of the kind of another. */
  liken(element: number, to: number): void {
    this.#tagIndexes[element] = this.#tagIndexes[to] ?? BODY;
  }

  parent(element: number): number {
    return this.#parents[element] ?? BODY;
  }

  move(element: number, parent: number): void {
    this.#parents[element] = parent;
  }

  isOpen(element: number): boolean {
    return this.#open[element] === 1;
  }

  close(element: number): void {
    this.#open[element] = 0;
  }

  #add(tagIndex: number, parent: number): number {
    if (this.#count === this.#parents.length) this.#makeRoom();
    const element = this.#count++;
    this.#tagIndexes[element] = tagIndex;
    this.#parents[element] = parent;
    this.#open[element] = 1;
    return element;
  }

  #makeRoom(): void {
    const room = this.#count * 4;
    this.#tagIndexes = copyInto(new Int32Array(room), this.#tagIndexes);
    this.#parents = copyInto(new Int32Array(room), this.#parents);
    this.#open = copyInto(new Uint8Array(room), this.#open);
  }
}

function copyInto<Column extends Int32Array | Uint8Array>(larger: Column, column: Column): Column {
  larger.set(column);
  return larger;
}
