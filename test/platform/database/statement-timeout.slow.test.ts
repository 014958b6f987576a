import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase } from '../../../src/platform/database/connect.ts';
import type { Database } from '../../../src/platform/database/statements.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';
import { startOwnPostgres } from '../../support/servers/own-postgres.ts';
import { expectPutOff } from '../../../harness/witness/witnessed-service.ts';

let app: TestApp;
/** The connection of an operator, without a timeout. */
let byHand: Database;
beforeAll(async () => {
  app = await startTestApp();
  byHand = connectDatabase(app.database.address, { log: createLog('silent'), poolSize: 1, silenceMs: Infinity });
});
afterAll(async () => {
  await byHand.destroy();
  await app.stop();
});

/** Locks a table exclusively during `work`. */
async function whileHeld(table: string, work: () => Promise<void>): Promise<void> {
  await byHand.transaction().execute(async (trx) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx);
    await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(trx);
    await work();
  });
}

/** Counts the statements that the server still runs for sessions of that name. */
async function countUnderWay(db: Database, name: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from pg_stat_activity
    where datname = current_database() and application_name = ${name} and state = 'active'`.execute(db);
  return rows[0]?.count ?? 0;
}

test('cancels a statement in the server before it times out in the client', async () => {
  const name = 'who waits for a lock';
  const db = connectDatabase(app.database.address, { log: createLog('silent'), poolSize: 1, silenceMs: 2_000, name });
  const read = () => sql`select position from deliveries`.execute(db);
  await whileHeld('deliveries', async () => {
    const reading = read();
    await until(
      () => countUnderWay(app.database.db, name),
      (count) => count === 1,
    );
    await expect(reading).rejects.toBeInstanceOf(Error);
    expect(await countUnderWay(app.database.db, name)).toBe(0);
    await expect(read()).rejects.toMatchObject({ code: '57014' });
  });
  expect((await read()).rows).toEqual([]);
  await db.destroy();
});

test('answers 503 with the reason to requests that wait too long for the database, and leaves no statement running', async () => {
  const alice = await app.signUp('alice');
  const ask = () => alice.call('venom/list-campaigns', {});
  await whileHeld('campaigns', async () => {
    for (const answer of await Promise.all([ask(), ask()])) {
      expectPutOff(answer);
      expect(answer.body.message).toBe('The database takes too long just now');
    }
    const { rows } = await sql<{ query: string }>`
      select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and query like '%"campaigns"%' and clock_timestamp() - query_start > interval '9 seconds'`.execute(
      app.database.db,
    );
    expect(rows).toEqual([]);
  });
  expect((await ask()).status).toBe(200);
});

test('never reports a commit as done that a replica has not confirmed', async () => {
  const postgres = await startOwnPostgres({ synchronous_standby_names: 'nobody' });
  const db = connectDatabase(postgres.address(), { log: createLog('silent'), poolSize: 1, silenceMs: 1_000 });
  // A statement timeout must not end the wait of a commit: it would be reported as done.
  await expect(sql`create table accepted ()`.execute(db)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  await db.destroy();
  await postgres.remove();
});

test('sets no statement timeout for long operations', async () => {
  const { rows } = await sql<{ limit: string }>`select current_setting('statement_timeout') as limit`.execute(byHand);
  expect(rows).toEqual([{ limit: '0' }]);
});
