import { sql, type Transaction } from 'kysely';
import type { Database } from './statements.ts';
import type { Schema } from './schema.ts';

/** Runs statements that only read, and that all see the database as it is at the first of them. */
export function inSnapshot<Result>(db: Database, read: (trx: Transaction<Schema>) => Promise<Result>): Promise<Result> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);
}

/** Runs statements that only read, and that the server cancels after so long: a measurement must not cost more than it is worth. */
export function readWithin<Result>(
  db: Database,
  ms: number,
  read: (trx: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  return db
    .transaction()
    .setAccessMode('read only')
    .execute(async (trx) => {
      await sql`select set_config('statement_timeout', ${String(ms)}, true)`.execute(trx);
      return read(trx);
    });
}
