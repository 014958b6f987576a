/** Poison message: a statement that finds its own rows is isolated by the accounts, workspaces or users whose rows it may find. */
import { sql, type RawBuilder } from 'kysely';
import { isDataError } from '../errors/database-errors.ts';
import { isolateFailures } from './isolate-failures.ts';
import { readQuarantined, type BatchName, type QuarantineDeps } from './quarantine.ts';

/** The owners whose rows a statement may find. */
export interface Owners {
  /** Nothing of theirs. */
  skipped: readonly number[];
  /** Nothing of anybody else's; null: of all. */
  wanted: readonly number[] | null;
}

/** The condition of a row that its owner is among those. A row without an owner is anybody's. */
export function ownedBy(column: string, { skipped, wanted }: Owners): RawBuilder<boolean> {
  const list = wanted && [...wanted];
  return sql`((${sql.ref(column)} <> all(${[...skipped]}::bigint[])) is not false
    and (${list}::bigint[] is null or ${sql.ref(column)} = any(${list}::bigint[])))`;
}

export interface StatementWork<Result> {
  /** Returns owners of rows that the statement would find now, some of them. Called only after a failure, and for owners to be retried. */
  findOwners: () => Promise<number[]>;
  run: (owners: Owners) => Promise<Result>;
}

/**
 * Poison message: runs a statement for all owners that are not in quarantine. If it fails because of the data, runs it for smaller and
 * smaller groups of owners, and quarantines each owner that fails alone. Owners whose quarantine is over are tried alone. Returns the
 * results of all runs that succeeded. Throws as `isolateFailures` does.
 */
export async function isolateStatement<Result>(
  deps: QuarantineDeps,
  batch: BatchName,
  { findOwners, run }: StatementWork<Result>,
): Promise<Result[]> {
  const { held, due } = await readQuarantined(deps.db, batch);
  const results: Result[] = [];
  const runApart = async (owners: readonly number[]) => {
    const work = { idOf: (id: number) => id, run: (some: readonly number[]) => run({ skipped: [], wanted: some }) };
    results.push(...(await isolateFailures(deps, batch, owners, work)).results);
  };
  try {
    results.push(await run({ skipped: [...held, ...due], wanted: null }));
  } catch (error) {
    if (!isDataError(error)) throw error;
    const owners = (await findOwners()).filter((id) => !held.has(id) && !due.has(id));
    // Nobody's: it is not a row that is at fault.
    if (owners.length === 0) throw error;
    await runApart(owners);
  }
  if (due.size > 0) await runApart((await findOwners()).filter((id) => due.has(id)));
  return results;
}
