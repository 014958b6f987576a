import { sql } from 'kysely';
import type { Connection } from './connect.ts';

/**
 * Runs a part of a transaction in a savepoint. If the part fails, only the part is rolled back, its error is thrown, and the transaction
 * can continue.
 */
export async function inSavepoint<Result>(trx: Connection, act: () => Promise<Result>): Promise<Result> {
  await sql`savepoint part`.execute(trx);
  let result: Result;
  try {
    result = await act();
  } catch (error) {
    await sql`rollback to savepoint part`.execute(trx);
    throw error;
  }
  await sql`release savepoint part`.execute(trx);
  return result;
}
