import { execute, readColumn, sql, type RawBuilder } from './statements.ts';
import { isolateStatement, ownedBy } from './isolate-statement.ts';
import type { QuarantineDeps } from './quarantine.ts';

const CHUNK = 10_000;
const OWNERS_FOUND = 1_000;

/** Each kind of owner is quarantined by itself. */
const BATCH_OF = {
  account_id: 'old rows of accounts',
  workspace_id: 'old rows of workspaces',
  user_id: 'old rows of users',
} as const;

export interface OldRows {
  table: string;
  /** The column that says whose a row is. */
  owner: keyof typeof BATCH_OF;
  /** Of a row `o`. */
  isOld: RawBuilder<unknown>;
}

/** Removes old rows, in chunks that hold no lock for long. Rows of one owner that cannot be removed keep none of another's. */
export async function clearOldRows(deps: QuarantineDeps, old: OldRows): Promise<void> {
  let removed: number;
  do removed = await clearSomeRows(deps, { ...old, limit: CHUNK });
  while (removed >= CHUNK);
}

/** The same for `limit` rows. Answers how many were removed. */
export async function clearSomeRows(
  deps: QuarantineDeps,
  { table, owner, isOld, limit }: OldRows & { limit: number },
): Promise<number> {
  const removed = await isolateStatement(deps, BATCH_OF[owner], {
    findOwners: () =>
      readColumn<number>(deps.db)`
        select distinct ${sql.ref(owner)} as id from ${sql.table(table)} o where ${isOld} limit ${OWNERS_FOUND}`,
    run: (owners) =>
      execute(deps.db)`
        delete from ${sql.table(table)} where ctid = any(array(
          select o.ctid from ${sql.table(table)} o where ${isOld} and ${ownedBy(`o.${owner}`, owners)}
          limit ${limit} for update skip locked))`,
  });
  return removed.reduce((sum, count) => sum + count, 0);
}
