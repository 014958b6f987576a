import { isolate } from './isolate.ts';

/**
 * Gathers what is asked for one by one into batches: what comes while a batch is under way goes together in the next one. So a
 * single item never waits for others, and many cost one round trip and not one each.
 */
export interface Batch<Item, Result> {
  /** Resolves to the item's own result; rejects when its batch did, or, with `isAboutItem`, when the item itself did. */
  add(item: Item): Promise<Result>;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (reason: unknown) => void;
}

/**
 * `carryOut` resolves to one result an item, in their order. At most `parallel` batches are under way at once, of at most `most`
 * items each; where items differ in size, `weigh` says how many each counts for, and one that is too heavy goes alone. A batch that fails
 * of an error of which `isAboutItem` holds is split until only the items at fault are left: `carryOut` must then do no harm when repeated.
 */
export function createBatcher<Item, Result>(
  carryOut: (items: Item[]) => Promise<Result[]>,
  {
    parallel,
    most,
    weigh = () => 1,
    isAboutItem = () => false,
  }: {
    parallel: number;
    most: number;
    weigh?: (item: Item) => number;
    isAboutItem?: (error: unknown) => boolean;
  },
): Batch<Item, Result> {
  const waiting: Array<Waiting<Item, Result>> = [];
  let underWay = 0;

  function countNext(): number {
    let weight = 0;
    const next = waiting.findIndex(({ item }) => (weight += weigh(item)) > most);
    return next === -1 ? waiting.length : Math.max(next, 1);
  }

  function carryOn() {
    while (underWay < parallel && waiting.length > 0) {
      underWay += 1;
      void carryOutNext(waiting.splice(0, countNext())).finally(() => {
        underWay -= 1;
        carryOn();
      });
    }
  }

  async function carryOutNext(batch: Array<Waiting<Item, Result>>): Promise<void> {
    try {
      const { failures } = await isolate(batch, carryOutSome, isAboutItem);
      for (const { item, error } of failures) item.reject(error);
    } catch (error) {
      // Those that were carried out before have resolved already.
      for (const { reject } of batch) reject(error);
    }
  }

  async function carryOutSome(some: ReadonlyArray<Waiting<Item, Result>>): Promise<void> {
    const results = await carryOut(some.map(({ item }) => item));
    if (results.length !== some.length) throw new Error(`${some.length} items came to ${results.length} results`);
    some.forEach(({ resolve }, index) => resolve(results[index] as Result));
  }

  return {
    add(item) {
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        // What is added in the same breath goes together from the first.
        if (waiting.length === 1) queueMicrotask(carryOn);
      });
    },
  };
}
