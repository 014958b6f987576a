import { isolate } from './isolate.ts';

export type Batcher<Item, Result> = ReturnType<typeof createBatcher<Item, Result>>;

interface BatchOptions<Item> {
  /** So many batches run at once. */
  parallel: number;
  /** Of so many items each. */
  most: number;
  /** How many items an item counts for; one unless given. An item heavier than `most` runs alone. */
  weigh?: (item: Item) => number;
  /** Whether an error is about an item: then its batch is split until only the failing items are left. */
  isAboutItem?: (error: unknown) => boolean;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (reason: unknown) => void;
}

/**
 * Batching: collects single items into batches. Items that arrive while a batch runs form the next one. So a single item never waits for
 * others, and many items cost one round trip. `run` resolves to one result per item, in order; with `isAboutItem` it must be safe to repeat.
 */
export function createBatcher<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  { parallel, most, weigh = () => 1, isAboutItem = () => false }: BatchOptions<Item>,
) {
  const waiting: Array<Waiting<Item, Result>> = [];
  let underWay = 0;

  function countNext(): number {
    let weight = 0;
    const next = waiting.findIndex(({ item }) => (weight += weigh(item)) > most);
    return next === -1 ? waiting.length : Math.max(next, 1);
  }

  function startBatches() {
    while (underWay < parallel && waiting.length > 0) {
      underWay += 1;
      void runBatch(waiting.splice(0, countNext())).finally(() => {
        underWay -= 1;
        startBatches();
      });
    }
  }

  async function runBatch(batch: Array<Waiting<Item, Result>>): Promise<void> {
    try {
      const { failures } = await isolate(batch, runItems, isAboutItem);
      for (const { item, error } of failures) item.reject(error);
    } catch (error) {
      // Items that succeeded before have resolved already.
      for (const { reject } of batch) reject(error);
    }
  }

  async function runItems(some: ReadonlyArray<Waiting<Item, Result>>): Promise<void> {
    const results = await run(some.map(({ item }) => item));
    if (results.length !== some.length) throw new Error(`${some.length} items came to ${results.length} results`);
    some.forEach(({ resolve }, index) => resolve(results[index] as Result));
  }

  return {
    /** Resolves to the item's own result; rejects when its batch did, or, with `isAboutItem`, when the item itself did. */
    add(item: Item) {
      return new Promise<Result>((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        // Items that are added in the same tick form one batch from the start.
        if (waiting.length === 1) queueMicrotask(startBatches);
      });
    },
  };
}
