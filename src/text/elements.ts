import type { WrittenTag } from './tags.ts';

export const BODY = 0;

const FIRST_ROOM = 512;
const BODY_TAG: WrittenTag = { name: 'body', role: 'plain', value: undefined, isBlock: false };

/**
 * The elements of a document by number, the first of them its body. They know their tag, the element around them and whether they
 * are open. Kept as columns of numbers, because a quarter of a megabyte of misnested tags makes almost a million of them.
 */
export class Elements {
  readonly #tags: WrittenTag[] = [BODY_TAG];
  #parents = new Int32Array(FIRST_ROOM);
  #open = new Uint8Array(FIRST_ROOM).fill(1, BODY, BODY + 1);

  create(tag: WrittenTag, parent: number): number {
    const element = this.#tags.length;
    if (element === this.#parents.length) this.#makeRoom();
    this.#tags.push(tag);
    this.#parents[element] = parent;
    this.#open[element] = 1;
    return element;
  }

  tag(element: number): WrittenTag {
    return this.#tags[element] ?? BODY_TAG;
  }

  rename(element: number, tag: WrittenTag): void {
    this.#tags[element] = tag;
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

  #makeRoom(): void {
    const parents = new Int32Array(this.#parents.length * 2);
    const open = new Uint8Array(this.#open.length * 2);
    parents.set(this.#parents);
    open.set(this.#open);
    this.#parents = parents;
    this.#open = open;
  }
}
