import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { applyFunctions } from '../../src/platform/database/apply-functions.ts';
import type { Database } from '../../src/platform/database/statements.ts';
import { loadSchemaFiles } from '../../src/platform/database/schema-files.ts';

const FIRST_SCHEMA = join(import.meta.dirname, '../upgrade/first-schema.sql');

/** Makes an empty database one that the first release has made, with the functions of today and a list of migrations without sums. */
export async function createFirstSchema(db: Database): Promise<void> {
  const { functions } = await loadSchemaFiles();
  await db.transaction().execute((trx) => applyFunctions(trx, functions));
  await sql`
    create table migrations (number int primary key, name text not null, applied_at timestamptz not null default now())`.execute(
    db,
  );
  await sql.raw(readFileSync(FIRST_SCHEMA, 'utf8')).execute(db);
  await sql`insert into migrations (number, name) values (1, '001-schema.sql')`.execute(db);
}

/** Makes in an empty database the schema that an old one gets: of the first release, then by the migrations below a number. */
export async function migrateFromFirst(db: Database, { below = Infinity }: { below?: number } = {}): Promise<void> {
  await createFirstSchema(db);
  const { migrations } = await loadSchemaFiles();
  for (const { number, name, sql: text } of migrations.filter((one) => one.sql !== undefined && one.number < below)) {
    await sql.raw(text ?? '').execute(db);
    await sql`insert into migrations (number, name) values (${number}, ${name})`.execute(db);
  }
}
