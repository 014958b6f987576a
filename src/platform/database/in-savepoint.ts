import { execute, type Connection } from './statements.ts';

/**
 * Runs a part of a transaction in a savepoint. If the part fails, only the part is rolled back, its error is thrown, and the transaction
 * can continue.
 */
export async function inSavepoint<Result>(trx: Connection, act: () => Promise<Result>): Promise<Result> {
  await execute(trx)`savepoint part`;
  let result: Result;
  try {
    result = await act();
  } catch (error) {
    await execute(trx)`rollback to savepoint part`;
    throw error;
  }
  await execute(trx)`release savepoint part`;
  return result;
}
