import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectDatabase } from '../../../src/platform/database/connect.ts';
import { watchSchema } from '../../../src/platform/database/watch-schema.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { startTestApp } from '../../support/app.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

test.for([
  ['a column', 'select nothing from users', 'alter table users rename first_name to given_name'],
  ['a table', 'select from nothing', 'drop table group_sums'],
  ['a function', 'select nothing()', 'drop function measure_use'],
] as const)(
  'is not ready after a statement fails for a missing %s, until the schema is whole',
  async ([, statement, damage]) => {
    let ms = 0;
    const schema = watchSchema(() => ms);
    const db = connectDatabase(database.address, { log: createLog('silent'), poolSize: 1, onError: schema.record });
    const isReady = () =>
      schema.check(database.db).then(
        () => true,
        () => false,
      );
    const run = (text: string) => sql.raw(text).execute(db);
    expect(await isReady()).toBe(true);

    await expect(run(statement)).rejects.toThrow('does not exist');
    expect(await isReady()).toBe(false);
    ms += 14_999;
    expect(await isReady()).toBe(false);
    ms += 1;
    expect(await isReady()).toBe(true);

    await run(damage);
    await expect(run(statement)).rejects.toThrow('does not exist');
    ms += 60_000;
    expect(await isReady()).toBe(false);
    await expect(run('selec')).rejects.toThrow('syntax error');
    await db.destroy();
  },
);

test('ignores other errors of statements', async () => {
  const schema = watchSchema();
  for (const statement of ['selec', 'select 1 / 0', "select 'x'::int"])
    await sql.raw(statement).execute(database.db).catch(schema.record);
  await expect(schema.check(database.db)).resolves.toBeUndefined();
});

test('reports a service as not ready whose statements fail for a missing column', async () => {
  const app = await startTestApp({}, database);
  const ready = async () => {
    const answer = await fetch(`${app.url}/health/ready`);
    return [answer.status, await answer.json()];
  };
  await app.signUp('alice');
  expect(await ready()).toMatchObject([200, { checks: { schema: 'ok' } }]);
  await sql`alter table memberships rename role to rank`.execute(database.db);
  const { status } = await app.call('user/authorize_user', { user_name: 'alice', password: 'correct horse battery' });
  expect(status).toBe(500);
  expect(await ready()).toMatchObject([
    503,
    {
      status: 'unavailable',
      message: 'The database lacks a table, a column or a function that this version needs: see "campanile doctor"',
      checks: { database: 'ok', schema: 'failed' },
    },
  ]);
  await app.stop();
});
