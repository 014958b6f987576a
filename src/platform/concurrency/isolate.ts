/** The results of a batch that succeeded, and the items that failed by themselves. */
export interface Isolated<Item, Result> {
  results: Result[];
  failures: Array<{ item: Item; error: unknown }>;
}

/**
 * Poison message: runs all items in one go. Where that fails with an error that is about an item it runs each half by itself, and so on,
 * until only the items at fault have failed. A repeat of `run` must do no harm. Throws any other error at once: the items of before stay
 * done.
 */
export async function isolate<Item, Result>(
  items: readonly Item[],
  run: (some: readonly Item[]) => Promise<Result>,
  isAboutItem: (error: unknown) => boolean,
): Promise<Isolated<Item, Result>> {
  const [first] = items;
  if (first === undefined) return { results: [], failures: [] };
  try {
    return { results: [await run(items)], failures: [] };
  } catch (error) {
    if (!isAboutItem(error)) throw error;
    if (items.length === 1) return { results: [], failures: [{ item: first, error }] };
  }
  const middle = Math.ceil(items.length / 2);
  const left = await isolate(items.slice(0, middle), run, isAboutItem);
  const right = await isolate(items.slice(middle), run, isAboutItem);
  return { results: [...left.results, ...right.results], failures: [...left.failures, ...right.failures] };
}
