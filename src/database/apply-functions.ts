import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { sql, type Transaction } from 'kysely';
import type { Schema } from './schema.ts';

/**
 * Defines the functions of a folder, `name.sql` the one of that name, where the database has another text of it or none: the text
 * stands in the function's comment, as its hash. Resolves to the files that were applied. To be called before the tables are
 * made, which need some of them; so a signature may name only types that PostgreSQL brings along.
 */
export async function applyFunctions(trx: Transaction<Schema>, folder: URL): Promise<string[]> {
  const { rows } = await sql<{ name: string; hash: string | null }>`
    select proname as name, obj_description(oid, 'pg_proc') as hash
    from pg_proc where pronamespace = current_schema()::regnamespace`.execute(trx);
  const present = new Map(rows.map(({ name, hash }) => [name, hash]));
  // What a function says of tables is looked up when it is called.
  await sql`set local check_function_bodies = off`.execute(trx);
  const applied: string[] = [];
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()) {
    const name = file.slice(0, -'.sql'.length);
    const text = await readFile(new URL(file, folder), 'utf8');
    const hash = `sha256 ${createHash('sha256').update(text).digest('hex')}`;
    if (present.get(name) === hash) continue;
    await dropUnlessNeeded(trx, name);
    await sql.raw(text).execute(trx);
    await sql`comment on function ${sql.id(name)} is ${sql.lit(hash)}`.execute(trx);
    applied.push(file);
  }
  return applied;
}

/**
 * With other arguments it would be a second function beside the first, and with another result it would be refused. What a table
 * or a trigger is made with cannot be dropped, and keeps its signature.
 */
async function dropUnlessNeeded(trx: Transaction<Schema>, name: string): Promise<void> {
  const { rows } = await sql<{ signature: string }>`
    select oid::regprocedure::text as signature from pg_proc
    where proname = ${name} and pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend where refclassid = 'pg_proc'::regclass and refobjid = pg_proc.oid)`.execute(
    trx,
  );
  for (const { signature } of rows) await sql.raw(`drop function ${signature}`).execute(trx);
}
