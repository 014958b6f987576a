import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('a test database is migrated and empty', async () => {
  const users = await database.db.selectFrom('users').select('user_id').execute();
  expect(users).toEqual([]);
});

test('databases created at the same time do not see each other', async () => {
  const others = await Promise.all(Array.from({ length: 8 }, () => createTestDatabase()));
  await sql`insert into test_clock values ('1 hour')`.execute(database.db);
  await Promise.all(
    others.map(async ({ db, drop }) => {
      const { rows } = await sql`select * from test_clock`.execute(db);
      expect(rows).toHaveLength(1);
      await drop();
    }),
  );
  await sql`delete from test_clock where shift = '1 hour'`.execute(database.db);
});

test('the clock of a test database can be set and advanced, and keeps running', async () => {
  await database.clock.set('2027-03-27T23:00:00Z');
  const before = await database.clock.now();
  expect(before.getTime() - Date.parse('2027-03-27T23:00:00Z')).toBeLessThan(60_000);
  await database.clock.advance({ days: 1 });
  await database.clock.advance(1_500);
  const passed = (await database.clock.now()).getTime() - before.getTime();
  expect(passed).toBeGreaterThanOrEqual(86_401_500);
  expect(passed).toBeLessThan(86_460_000);
});

test('the moved clock stays stable within a transaction', async () => {
  await database.db.transaction().execute(async (trx) => {
    const read = () => sql<{ now: Date }>`select campanile_now() as now, pg_sleep(0.01)`.execute(trx);
    const first = await read();
    const second = await read();
    expect(second.rows[0]?.now).toEqual(first.rows[0]?.now);
  });
});
