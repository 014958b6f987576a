import { setImmediate as letOthers } from 'node:timers/promises';
import { z } from 'zod';

/** To write so many takes some milliseconds, after which others have their turn. */
const ITEMS_PER_STEP = 500;

/** A list within an answer whose JSON is too long to be held whole: it is written while the client takes it. */
export class LongList<Item> {
  readonly #items: () => Iterable<Item>;

  /** `items`: the items from the first on, at each call. */
  constructor(items: () => Iterable<Item>) {
    this.#items = items;
  }

  map<Mapped>(convert: (item: Item) => Mapped): LongList<Mapped> {
    return new LongList(() => Iterator.from(this.#items()).map(convert));
  }

  /** Returns the JSON of the list. */
  async *pieces(): AsyncGenerator<string> {
    let separator = '[';
    let step: Item[] = [];
    for (const item of this.#items()) {
      step.push(item);
      if (step.length < ITEMS_PER_STEP) continue;
      yield separator + JSON.stringify(step).slice(1, -1);
      [separator, step] = [',', []];
      await letOthers();
    }
    if (step.length > 0) yield separator + JSON.stringify(step).slice(1);
    else yield separator === '[' ? '[]' : ']';
  }

  /** For answers that are sent whole, and for the check of answers in tests. */
  toJSON(): Item[] {
    return [...this.#items()];
  }
}

/** A field that is a list on the wire, which is all that clients see of it. */
export const longList = <Item extends z.ZodType>(item: Item) =>
  z.array(item) as z.ZodType as z.ZodType<
    Array<z.output<Item>>,
    ReadonlyArray<z.input<Item>> | LongList<z.input<Item>>
  >;
