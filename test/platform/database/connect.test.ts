import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LEASE_MS } from '../../../src/sending/leases/leases.ts';
import { connectDatabase, pingDatabase } from '../../../src/platform/database/connect.ts';
import type { Connection } from '../../../src/platform/database/statements.ts';
import { waitForDatabase } from '../../../src/platform/database/wait.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { startProxy } from '../../support/servers/proxy.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('fails the transaction of a connection that is cut off, and keeps the process', async () => {
  const db = connectDatabase(database.address, { log: createLog('silent'), poolSize: 1 });
  const transaction = db.transaction().execute(async (trx) => {
    const pid = await backendPid(trx);
    await sql`select pg_terminate_backend(${pid}, 5000)`.execute(database.db);
    // The error arrives while no statement runs.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await backendPid(trx);
  });
  await expect(transaction).rejects.toThrow('not queryable');
  expect(await backendPid(db)).toBeGreaterThan(0);
  await db.destroy();
});

test('replaces an idle connection that is cut off', async () => {
  const db = connectDatabase(database.address, { log: createLog('silent'), poolSize: 1 });
  const pid = await backendPid(db);
  await sql`select pg_terminate_backend(${pid}, 5000)`.execute(database.db);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await backendPid(db)).not.toBe(pid);
  await db.destroy();
});

test('times out a statement on a stalled network', async () => {
  const { address } = database;
  if ('url' in address) throw new Error('tests need a server on a Unix socket');
  const network = await startProxy(() => ({ path: `${address.socketFolder}/.s.PGSQL.${address.port}` }));
  const url = `postgres://${address.user}@127.0.0.1:${network.port}/${address.database}`;
  const db = connectDatabase({ url }, { log: createLog('silent'), poolSize: 1, silenceMs: 1_500 });
  const pid = await backendPid(db);
  network.stall();
  await expect(backendPid(db)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  await expect(db.transaction().execute(backendPid)).rejects.toThrow('the database has said nothing');
  network.heal();
  expect(await backendPid(db)).not.toBe(pid);
  await db.destroy();
  await network.close();
});

test('gives back a new connection whose session settings fail', async () => {
  // A statement timeout that PostgreSQL rejects.
  const db = connectDatabase(database.address, { log: createLog('silent'), poolSize: 1, silenceMs: 2 ** 32 });
  for (const _ of [1, 2, 3]) await expect(pingDatabase(db)).rejects.toMatchObject({ code: '22023' });
  await db.destroy();
});

test('waits at start for a server behind a proxy that is already up', async () => {
  const { address } = database;
  if ('url' in address) throw new Error('tests need a server on a Unix socket');
  const network = await startProxy(() => ({ path: `${address.socketFolder}/.s.PGSQL.${address.port}` }));
  network.cut();
  const url = `postgres://${address.user}@127.0.0.1:${network.port}/${address.database}`;
  const log = createLog('silent');
  const db = connectDatabase({ url }, { log, poolSize: 1 });
  await expect(pingDatabase(db)).rejects.toBeInstanceOf(Error);
  const waiting = waitForDatabase(db, log);
  network.heal();
  await waiting;
  await db.destroy();
  await network.close();
});

test('releases the locks of a frozen or disconnected process before its lease expires', async () => {
  const { address } = database;
  if ('url' in address) throw new Error('tests need a server on a Unix socket');
  const network = await startProxy(() => ({ path: `${address.socketFolder}/.s.PGSQL.${address.port}` }));
  const url = `postgres://${address.user}@127.0.0.1:${network.port}/${address.database}`;
  const db = connectDatabase({ url }, { log: createLog('silent'), poolSize: 1 });
  const { rows } = await sql<{ ms: number }>`
    select setting::int as ms from pg_settings where name = 'idle_in_transaction_session_timeout'`.execute(db);
  expect(rows[0]?.ms).toBeGreaterThan(0);
  expect(rows[0]?.ms).toBeLessThan(LEASE_MS);
  await db.destroy();
  await network.close();
});

async function backendPid(db: Connection): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  return rows[0]?.pid ?? 0;
}
