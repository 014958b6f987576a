import type { Transaction } from 'kysely';
import type { Schema } from './schema.ts';
import type { Database } from './statements.ts';

/** Runs `act` in a transaction. A dry run is rolled back at its end: it returns and throws the same, and changes nothing. */
export async function runTransaction<Result>(
  db: Database,
  { isDryRun = false }: { isDryRun?: boolean | undefined },
  act: (trx: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  if (!isDryRun) return db.transaction().execute(act);
  const trx = await db.startTransaction().execute();
  try {
    return await act(trx);
  } finally {
    await trx.rollback().execute();
  }
}
