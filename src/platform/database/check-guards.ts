import { sql, type Transaction } from 'kysely';
import { StartupError, errorCodeOf } from '../errors/errors.ts';
import type { Migration } from './schema-files.ts';
import type { Schema } from './schema.ts';

/** The guard of a migration: a block that raises an exception when the upgrade must not begin. */
const GUARD = /^do \$guard\$.*?\$guard\$;/ms;
/** raise_exception: the SQLSTATE of a plain `raise exception`. */
const RAISED = 'P0001';

/**
 * Runs the guards of the migrations that are still missing. A guard runs before the first of them is applied, so a refused upgrade
 * changes nothing and the earlier version still starts. It runs again in the transaction of its own migration; what it locks stays
 * locked until then. Throws a StartupError with the message that a guard raises.
 */
export async function checkGuards(trx: Transaction<Schema>, migrations: readonly Migration[]): Promise<void> {
  for (const migration of migrations) {
    const guard = GUARD.exec(migration.sql)?.[0];
    if (guard === undefined) continue;
    try {
      await sql.raw(guard).execute(trx);
    } catch (error) {
      throw error instanceof Error && errorCodeOf(error) === RAISED ? new StartupError(error.message, error) : error;
    }
  }
}
