/** Poison message: finds the items that make a batch over many accounts fail, quarantines and retries them alone, and lets the rest run. */
import { isDataError } from '../errors/database-errors.ts';
import { isolate, type Isolated } from '../concurrency/isolate.ts';
import { endQuarantine, quarantine, readQuarantined, type BatchName, type QuarantineDeps } from './quarantine.ts';

export interface BatchWork<Item, Result> {
  /** Returns the owner of an item: the id of an account, a workspace or a user, as in `BATCHES`. */
  idOf: (item: Item) => number;
  /** Works on some items in one go. A repeat does no harm. */
  run: (some: readonly Item[]) => Promise<Result>;
}

export interface Outcome<Item, Result> {
  /** The result of each run that succeeded. */
  results: Result[];
  /** Items that are in quarantine now: they have failed, or are not due to be tried again. */
  left: Item[];
}

/** If so many fail and nobody succeeds, the fault is not theirs. */
const SYSTEMIC_FAILURES = 10;

/**
 * Runs all items in one batch, without the owners in quarantine. If it fails because of the data (`isDataError`), finds the failing items,
 * puts their owners into quarantine (`quarantine.ts`) and runs the rest. Owners whose quarantine is over are tried alone. Throws every
 * other error, and the first error of a batch in which ten or more items fail and none succeeds.
 */
export function isolateFailures<Item, Result>(
  deps: QuarantineDeps,
  batch: BatchName,
  items: readonly Item[],
  { idOf, run }: BatchWork<Item, Result>,
): Promise<Outcome<Item, Result>> {
  return isolateBatch(deps, batch, items, { idOf, run: (some) => isolate(some, run, isDataError) });
}

/** `isolateFailures` for work that goes item by item; one after the other unless `isParallel`. */
export function isolateEach<Item, Result>(
  deps: QuarantineDeps,
  batch: BatchName,
  items: readonly Item[],
  {
    idOf,
    run,
    isParallel = false,
  }: { idOf: (item: Item) => number; run: (item: Item) => Promise<Result>; isParallel?: boolean },
): Promise<Outcome<Item, Result>> {
  return isolateBatch(deps, batch, items, { idOf, run: (some) => runEach(some, run, isParallel) });
}

async function runEach<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
  isParallel: boolean,
): Promise<Isolated<Item, Result>> {
  const runOne = (item: Item) => isolate([item], () => run(item), isDataError);
  const all = isParallel ? await Promise.all(items.map(runOne)) : [];
  if (!isParallel) for (const item of items) all.push(await runOne(item));
  return { results: all.flatMap(({ results }) => results), failures: all.flatMap(({ failures }) => failures) };
}

async function isolateBatch<Item, Result>(
  deps: QuarantineDeps,
  batch: BatchName,
  items: readonly Item[],
  { idOf, run }: { idOf: (item: Item) => number; run: (some: readonly Item[]) => Promise<Isolated<Item, Result>> },
): Promise<Outcome<Item, Result>> {
  if (items.length === 0) return { results: [], left: [] };
  const { held, due } = await readQuarantined(deps.db, batch);
  const { results, failures } = await run(items.filter((item) => !held.has(idOf(item)) && !due.has(idOf(item))));
  const [first] = failures;
  if (first && failures.length >= SYSTEMIC_FAILURES && results.length === 0) throw first.error;
  const alone = Map.groupBy(
    items.filter((item) => due.has(idOf(item))),
    idOf,
  );
  for (const [id, own] of alone) {
    const attempt = await run(own);
    results.push(...attempt.results);
    failures.push(...attempt.failures);
    if (attempt.failures.length === 0) await endQuarantine(deps, batch, id);
  }
  for (const [id, error] of new Map(failures.map((one) => [idOf(one.item), one.error])))
    await quarantine(deps, batch, { id, error });
  return { results, left: [...items.filter((item) => held.has(idOf(item))), ...failures.map(({ item }) => item)] };
}
