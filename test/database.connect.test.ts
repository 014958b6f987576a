import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, type Connection } from '../src/database/connect.ts';
import { createLog } from '../src/lib/log.ts';
import { createTestDatabase, type TestDatabase } from './support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('a connection that is cut off within a transaction fails the transaction, not the process', async () => {
  const db = connectDatabase(database.address, { log: createLog('silent'), poolSize: 1 });
  const transaction = db.transaction().execute(async (trx) => {
    const pid = await backendPid(trx);
    await sql`select pg_terminate_backend(${pid}, 5000)`.execute(database.db);
    // Lets the news of it arrive while no statement is under way.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await backendPid(trx);
  });
  await expect(transaction).rejects.toThrow('not queryable');
  expect(await backendPid(db)).toBeGreaterThan(0);
  await db.destroy();
});

test('an idle connection that is cut off is replaced', async () => {
  const db = connectDatabase(database.address, { log: createLog('silent'), poolSize: 1 });
  const pid = await backendPid(db);
  await sql`select pg_terminate_backend(${pid}, 5000)`.execute(database.db);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await backendPid(db)).not.toBe(pid);
  await db.destroy();
});

async function backendPid(db: Connection): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  return rows[0]?.pid ?? 0;
}
