import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { connectDatabase, type Connection } from '../../src/database/connect.ts';
import { migrate } from '../../src/database/migrate.ts';
import { StartupError } from '../../src/lib/errors.ts';
import { createLog } from '../../src/lib/log.ts';
import { createEmptyDatabase } from '../support/database.ts';

const log = createLog('silent');
const ours = readdirSync(join(import.meta.dirname, '../../src/database/migrations')).sort();

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
beforeEach(async () => {
  database = await createEmptyDatabase();
});
afterEach(() => database.drop());

test('processes that start at the same moment all succeed, and each migration ran once', async () => {
  const pools = Array.from({ length: 4 }, () => connectDatabase(database.address, { log }));
  const outcomes = await Promise.allSettled(pools.map((pool) => migrate(pool, log)));
  await Promise.all(pools.map((pool) => pool.destroy()));
  expect(outcomes.map(({ status }) => status)).toEqual(pools.map(() => 'fulfilled'));
  expect((await applied(database.db)).map(({ name }) => name)).toEqual(ours);
});

test('migrating again changes nothing', async () => {
  await migrate(database.db, log);
  const before = await snapshot(database.db);
  await migrate(database.db, log);
  expect(await snapshot(database.db)).toEqual(before);
});

test('a database written by a newer version is refused, and left as it is', async () => {
  await migrate(database.db, log);
  await sql`insert into migrations (number, name) values (999, '999-of-the-future.sql')`.execute(database.db);
  const before = await snapshot(database.db);
  const refused = migrate(database.db, log);
  await expect(refused).rejects.toThrow(StartupError);
  await expect(refused).rejects.toThrow(
    /written by a newer version of Campanile \(schema 999, this version knows \d+\)/,
  );
  expect(await snapshot(database.db)).toEqual(before);
});

test('a migration that fails leaves nothing half-done, keeps those before it and can be tried again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'campanile-migrations-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const run = () => migrate(database.db, log, pathToFileURL(`${folder}/`));
  writeFileSync(join(folder, '001-bells.sql'), 'create table bells (name text);');
  writeFileSync(join(folder, '002-ropes.sql'), "create table ropes (length int); insert into ropes values ('long');");
  await expect(run()).rejects.toThrow('invalid input syntax');
  expect(await tables(database.db)).toEqual(['bells', 'migrations']);
  expect((await applied(database.db)).map(({ number }) => number)).toEqual([1]);

  writeFileSync(join(folder, '002-ropes.sql'), 'create table ropes (length int); insert into ropes values (12);');
  await run();
  expect(await tables(database.db)).toEqual(['bells', 'migrations', 'ropes']);
});

test('only files with a number are migrations', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'campanile-migrations-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, '001-bells.sql'), 'create table bells (name text);');
  writeFileSync(join(folder, '001-bells.sql.orig'), 'no sql at all');
  writeFileSync(join(folder, 'notes.sql'), 'no sql at all');
  await migrate(database.db, log, pathToFileURL(`${folder}/`));
  expect(await tables(database.db)).toEqual(['bells', 'migrations']);
});

async function applied(db: Connection): Promise<Array<{ number: number; name: string }>> {
  const { rows } = await sql<{
    number: number;
    name: string;
  }>`select number, name, applied_at from migrations order by number`.execute(db);
  return rows;
}

async function tables(db: Connection): Promise<string[]> {
  const { rows } = await sql<{
    name: string;
  }>`select tablename::text as name from pg_tables where schemaname = 'public' order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

/** Which migrations were applied when, and every table, index, sequence and function with the transaction that wrote it. */
async function snapshot(db: Connection): Promise<unknown> {
  const { rows } = await sql`
    select 'relation', oid::int, xmin::text from pg_class where relnamespace = 'public'::regnamespace
    union all select 'function', oid::int, xmin::text from pg_proc where pronamespace = 'public'::regnamespace
    order by 1, 2`.execute(db);
  return { applied: await applied(db), rows };
}
