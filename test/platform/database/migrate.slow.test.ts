import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sql, type RawBuilder } from 'kysely';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { connectDatabase } from '../../../src/platform/database/connect.ts';
import type { Connection } from '../../../src/platform/database/statements.ts';
import { migrate, type MigrateOptions } from '../../../src/platform/database/migrate.ts';
import { migrateDatabase } from '../../../src/platform/database/migrate-database.ts';
import { loadSchemaFiles } from '../../../src/platform/database/schema-files.ts';
import { StartupError } from '../../../src/platform/errors/errors.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { sleep } from '../../../src/platform/time/time.ts';
import { createEmptyDatabase } from '../../support/database.ts';
import { createFirstSchema } from '../../support/first-schema.ts';

const log = createLog('silent');
const files = readdirSync(join(import.meta.dirname, '../../../src/platform/database/migrations')).sort();
/** Of every database. */
const ours = ['001-schema.sql', ...files];

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
beforeEach(async () => {
  database = await createEmptyDatabase();
});
afterEach(() => database.drop());

test('applies each migration once when several processes start together', async () => {
  const pools = Array.from({ length: 4 }, () => connectDatabase(database.address, { log }));
  const outcomes = await Promise.allSettled(pools.map((pool) => migrate(pool, log)));
  await Promise.all(pools.map((pool) => pool.destroy()));
  expect(outcomes.map(({ status }) => status)).toEqual(pools.map(() => 'fulfilled'));
  expect((await applied(database.db)).map(({ name }) => name)).toEqual(ours);
});

describe('two processes that start at once', () => {
  /** Starts both, with a backup that takes a moment. Returns the number of backups. */
  async function startBoth(): Promise<number> {
    let backups = 0;
    const backUp: MigrateOptions['backUp'] = async () => {
      backups += 1;
      await sleep(50);
    };
    await Promise.all([1, 2].map(() => migrateDatabase(database.address, log, backUp)));
    expect((await applied(database.db)).map(({ name }) => name)).toEqual(ours);
    return backups;
  }

  test('back up nothing on an empty database', async () => {
    expect(await startBoth()).toBe(0);
  });

  test('back up an old database once, before its first migration', async () => {
    await createFirstSchema(database.db);
    expect(await startBoth()).toBe(1);
  });

  test('leave an old database unchanged where its backup fails, and the second tries again', async () => {
    await createFirstSchema(database.db);
    const before = await snapshot(database.db);
    const failing = [1, 2].map(() =>
      migrateDatabase(database.address, log, () => Promise.reject(new StartupError('no room'))),
    );
    const outcomes = await Promise.allSettled(failing);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await snapshot(database.db)).toEqual(before);
  });
});

test('changes nothing when it is repeated', async () => {
  await migrate(database.db, log);
  const before = await snapshot(database.db);
  await migrate(database.db, log);
  expect(await snapshot(database.db)).toEqual(before);
});

test('rejects a database of a newer version, and leaves it as it is', async () => {
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

test('rejects a database with an unknown migration, and leaves it as it is', async () => {
  await migrate(database.db, log);
  await sql`update migrations set name = '002-of-somebody-else.sql' where number = 2`.execute(database.db);
  const before = await snapshot(database.db);
  await expect(migrate(database.db, log)).rejects.toThrow(
    /this version does not know its migration 002-of-somebody-else\.sql\. Nothing was changed/,
  );
  expect(await snapshot(database.db)).toEqual(before);
});

test('rolls back a failed migration, keeps earlier ones, and can be retried', async () => {
  const { write, run } = createFolder();
  await run();
  write('migrations/002-bells.sql', 'create table bells (name text);');
  write('migrations/003-ropes.sql', "create table ropes (length int); insert into ropes values ('long');");
  const failed = run();
  await expect(failed).rejects.toThrow(StartupError);
  await expect(failed).rejects.toThrow(
    /^The migration 003-ropes.sql failed, and the database is as it was before it: invalid input syntax .*Start the version of before/,
  );
  expect(await tables(database.db)).toEqual(['bells', 'migrations']);
  expect((await applied(database.db)).map(({ number }) => number)).toEqual([1, 2]);

  write('migrations/003-ropes.sql', 'create table ropes (length int); insert into ropes values (12);');
  await run();
  expect(await tables(database.db)).toEqual(['bells', 'migrations', 'ropes']);
});

test('sets no timeout for a migration, also on a pooled connection with one', async () => {
  const { write, run } = createFolder();
  write('schema.sql', 'select pg_sleep(0.3); create table bells (name text);');
  const pooled = connectDatabase(database.address, { log, poolSize: 1, silenceMs: Infinity });
  await sql`set statement_timeout = 100`.execute(pooled);
  await run(pooled);
  await pooled.destroy();
  expect(await tables(database.db)).toEqual(['bells', 'migrations']);
});

test('records each migration and the epoch, also in a list begun without it', async () => {
  await createFirstSchema(database.db);
  await migrate(database.db, log);
  expect((await applied(database.db)).map(({ name }) => name)).toEqual(ours);
  const { epoch } = await loadSchemaFiles();
  expect(await rows(sql`select max(epoch) as epoch from migrations`)).toEqual([{ epoch }]);
});

test('rejects a schema that differs from its migrations, before any write', async () => {
  await migrate(database.db, log);
  await sql.raw(`drop table notice_reader; alter table users drop column kept_token_id`).execute(database.db);
  await sql`comment on function close_runs is null`.execute(database.db);
  const before = await snapshot(database.db);
  const refused = migrate(database.db, log);
  await expect(refused).rejects.toThrow(StartupError);
  await expect(refused).rejects.toThrow(
    `The schema of the database is not that of its migrations (up to ${files.at(-1)}): column users.kept_token_id is missing; table notice_reader is missing.`,
  );
  await expect(refused).rejects.toThrow(
    /Start the version that wrote it \(Campanile .*\), .* restore a backup .*DATA_DIR/,
  );
  expect(await snapshot(database.db)).toEqual(before);
});

test('rejects an older schema that was changed by hand, once its migrations are applied', async () => {
  await createFirstSchema(database.db);
  await sql`drop table recovery_codes`.execute(database.db);
  await expect(migrate(database.db, log)).rejects.toThrow(
    /is not that of its migrations .*table recovery_codes is missing/,
  );
});

test('keeps newer functions when an older process starts, and replaces older ones', async () => {
  const { write, run } = createFolder();
  const pitch = (tone: string) =>
    `create or replace function pitch() returns text language sql as $$ select '${tone}' $$;`;
  write('functions/pitch.sql', pitch('c'));
  write('epoch.txt', 'epoch 1\n');
  await run();
  write('functions/pitch.sql', pitch('d'));
  write('epoch.txt', 'epoch 2\n');
  await run();
  expect(await rows(sql`select pitch()`)).toEqual([{ pitch: 'd' }]);

  write('functions/pitch.sql', pitch('c'));
  write('epoch.txt', 'epoch 1\n');
  const older = run();
  await expect(older).rejects.toThrow(StartupError);
  await expect(older).rejects.toThrow(
    /brought up to date by a newer version, Campanile \d\S* \(epoch 2, this version has 1\): start that version/,
  );
  expect(await rows(sql`select pitch()`)).toEqual([{ pitch: 'd' }]);
});

test('backs up a database in use before a migration or a new epoch, and changes nothing if that fails', async () => {
  const { write, run } = createFolder();
  let backups = 0;
  const backUp = () => Promise.resolve(void backups++);
  write('schema.sql', 'create table bells (name text);');
  await run(database.db, backUp);
  await run(database.db, backUp);
  expect(backups).toBe(0);

  write('migrations/002-ropes.sql', 'create table ropes (length int);');
  write('migrations/003-wheels.sql', 'create table wheels (size int);');
  const before = await snapshot(database.db);
  await expect(run(database.db, () => Promise.reject(new StartupError('no room')))).rejects.toThrow('no room');
  expect(await snapshot(database.db)).toEqual(before);
  await run(database.db, backUp);
  expect(backups).toBe(1);
  expect(await tables(database.db)).toEqual(['bells', 'migrations', 'ropes', 'wheels']);

  write('epoch.txt', 'epoch 1\n');
  await run(database.db, backUp);
  expect(backups).toBe(2);
});

test('rejects two migrations with one number', async () => {
  const { write, run } = createFolder();
  write('migrations/002-bells.sql', '');
  write('migrations/002-ropes.sql', '');
  await expect(run()).rejects.toThrow('two migrations have the number of 002-ropes.sql');
});

test('ignores files without a number', async () => {
  const { write, run } = createFolder();
  await run();
  write('migrations/002-bells.sql', 'create table bells (name text);');
  write('migrations/002-bells.sql.orig', 'no sql at all');
  write('migrations/notes.sql', 'no sql at all');
  await run();
  expect(await tables(database.db)).toEqual(['bells', 'migrations']);
});

test('replaces a changed function in an existing database, and no other', async () => {
  const { write, run } = createFolder();
  const functions = () =>
    rows(sql<{ name: string; oid: number; xmin: string }>`
    select proname as name, oid::int, xmin::text from pg_proc where pronamespace = 'public'::regnamespace order by 1`);
  // A function may depend on tables of a migration.
  write(
    'functions/count_bells.sql',
    'create or replace function count_bells() returns bigint language sql as $$ select count(*) from bells $$;',
  );
  write('functions/pitch.sql', "create or replace function pitch() returns text language sql as $$ select 'c' $$;");
  write('schema.sql', 'create table bells (pitch text default pitch()); insert into bells values (default);');
  await run();
  const [count, pitch] = await functions();

  write('functions/pitch.sql', "create or replace function pitch() returns text language sql as $$ select 'd' $$;");
  await run();
  const [sameCount, otherPitch] = await functions();
  expect(sameCount).toEqual(count);
  expect(otherPitch).toMatchObject({ oid: pitch?.oid });
  expect(otherPitch?.xmin).not.toBe(pitch?.xmin);
  await sql`insert into bells values (default)`.execute(database.db);
  expect(await rows(sql`select pitch, count_bells() from bells`)).toEqual([
    { pitch: 'c', count_bells: 2 },
    { pitch: 'd', count_bells: 2 },
  ]);
});

test('replaces a function whose arguments or result have changed', async () => {
  const { write, run } = createFolder();
  write(
    'functions/ring.sql',
    "create or replace function ring(bell int) returns text language sql as $$ select 'ding' $$;",
  );
  await run();
  write(
    'functions/ring.sql',
    'create or replace function ring(bell int, times int) returns int language sql as $$ select times $$;',
  );
  await run();
  write(
    'functions/ring.sql',
    'create or replace function ring(hour int, times int) returns bigint language sql as $$ select times + 1 $$;',
  );
  await run();
  expect(await rows(sql`select ring(1, 2), ring(hour => 1, times => 2) as named`)).toEqual([{ ring: 3, named: 3 }]);
  await expect(rows(sql`select ring(1)`)).rejects.toThrow('does not exist');
});

test('has functions that fit the tables', async () => {
  await migrate(database.db, log);
  const folder = new URL('../../../src/platform/database/functions/', import.meta.url);
  for (const file of readdirSync(folder))
    await expect(rows(sql.raw(readFileSync(new URL(file, folder), 'utf8')))).resolves.toEqual([]);
});

/** A folder with migrations and functions of our own, as `src/platform/database/` has them. */
function createFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'campanile-migrations-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const kind of ['migrations', 'functions']) mkdirSync(join(folder, kind));
  return {
    write: (name: string, text: string) => writeFileSync(join(folder, name), text),
    run: (db = database.db, backUp?: MigrateOptions['backUp']) =>
      migrate(db, log, { folder: pathToFileURL(`${folder}/`), backUp }),
  };
}

async function rows<Row>(query: RawBuilder<Row>): Promise<Row[]> {
  return (await query.execute(database.db)).rows;
}

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

/** The applied migrations with their times, and every table, index, sequence and function with the transaction that wrote it. */
async function snapshot(db: Connection): Promise<unknown> {
  const { rows } = await sql`
    select 'relation', oid::int, xmin::text from pg_class where relnamespace = 'public'::regnamespace
    union all select 'function', oid::int, xmin::text from pg_proc where pronamespace = 'public'::regnamespace
    order by 1, 2`.execute(db);
  return { applied: await applied(db), rows };
}

test('documents the locks of each migration and how long it takes them', () => {
  const folder = join(import.meta.dirname, '../../../src/platform/database/migrations');
  const silent = files.filter((name) => !/^-- Locks: .{10}/m.test(readFileSync(join(folder, name), 'utf8')));
  expect(silent).toEqual([]);
});
