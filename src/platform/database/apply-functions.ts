import type { Transaction } from 'kysely';
import { execute, readRows, sql, type Connection } from './statements.ts';
import type { Schema } from './schema.ts';
import type { DatabaseFunction } from './schema-files.ts';

/**
 * Defines the SQL functions that are missing in the database or differ from it: the comment of a function stores the hash of its text.
 * Returns the files that were applied. Must run before the migrations, because tables use some of the functions; so a signature may name
 * only built-in types.
 */
export async function applyFunctions(trx: Transaction<Schema>, functions: readonly DatabaseFunction[]) {
  // PostgreSQL resolves the tables in a body when the function is called.
  await execute(trx)`set local check_function_bodies = off`;
  const changed = await findChangedFunctions(trx, functions);
  for (const one of changed) {
    await dropUnlessNeeded(trx, one.name);
    await sql.raw(one.sql).execute(trx);
    await execute(trx)`comment on function ${sql.id(one.name)} is ${sql.lit(hashComment(one))}`;
  }
  return changed.map(({ file }) => file);
}

/** Returns the functions that are missing in the database or have another text. */
export async function findChangedFunctions(
  db: Connection,
  functions: readonly DatabaseFunction[],
): Promise<DatabaseFunction[]> {
  const rows = await readRows<{ name: string; hash: string | null }>(db)`
    select proname as name, obj_description(oid, 'pg_proc') as hash
    from pg_proc where pronamespace = current_schema()::regnamespace`;
  const present = new Map(rows.map(({ name, hash }) => [name, hash]));
  return functions.filter((one) => present.get(one.name) !== hashComment(one));
}

const hashComment = ({ sha256 }: DatabaseFunction) => `sha256 ${sha256}`;

/**
 * `create or replace` with other arguments would add an overload, and with another result it would fail. A function that a table or a
 * trigger depends on cannot be dropped, and keeps its signature.
 */
async function dropUnlessNeeded(trx: Transaction<Schema>, name: string): Promise<void> {
  const rows = await readRows<{ signature: string }>(trx)`
    select oid::regprocedure::text as signature from pg_proc
    where proname = ${name} and pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend where refclassid = 'pg_proc'::regclass and refobjid = pg_proc.oid)`;
  for (const { signature } of rows) await sql.raw(`drop function ${signature}`).execute(trx);
}
