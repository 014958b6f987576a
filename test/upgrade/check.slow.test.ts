/** `campanile upgrade --check`, and a process whose database a newer version has upgraded. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.ts';
import { campanile } from '../support/service/campanile.ts';
import { removeService, startService } from '../support/service/service.ts';
import { temporaryFolder } from '../support/servers/embedded.ts';

let database: TestDatabase;
let dataDir: string;
beforeEach(async () => {
  database = await createTestDatabase();
  dataDir = temporaryFolder();
});
afterEach(() => database.drop());

function environmentOf({ address }: Pick<TestDatabase, 'address'>): Record<string, string> {
  if ('url' in address) throw new Error('tests need a server on a Unix socket');
  const { user, port, database: name, socketFolder } = address;
  const url = `postgres://${user}@localhost:${port}/${name}?host=${encodeURIComponent(socketFolder)}`;
  return { DATABASE_URL: url, DATA_DIR: dataDir };
}

/** With a pg_dump that is new enough, wherever the test runs. */
async function check(...words: string[]) {
  const folder = temporaryFolder();
  await writeFile(join(folder, 'pg_dump'), '#!/bin/sh\necho "pg_dump (PostgreSQL) 99.1"\n', { mode: 0o755 });
  const PATH = `${folder}:${process.env['PATH']}`;
  return campanile({ ...environmentOf(database), ...more, PATH }, 'upgrade', ...words);
}
let more: Record<string, string> = {};

test('the exit code tells whether the next start changes the database or fails', async () => {
  expect(await check('--check')).toEqual({
    code: 0,
    said: expect.stringMatching(/^The database is up to date \(epoch \d+\)\. The next start changes nothing\.\n$/),
  });

  await sql`update migrations set epoch = 0`.execute(database.db);
  await sql`delete from migrations where number = 2`.execute(database.db);
  await sql`comment on function close_runs is null`.execute(database.db);
  const pending = await check('--check');
  expect(pending.code).toBe(3);
  expect(pending.said).toMatch(
    /^The next start upgrades the database \(.* MiB\) from epoch 0 to \d+ with 1 migration\.\n/,
  );
  expect(pending.said).toMatch(
    /\n {2}002-ledger-epoch\.sql\n {6}locks: `migrations` exclusively.* Within a second\.\n/,
  );
  expect(pending.said).toContain('  Functions to replace: close_runs\n');
  expect(pending.said).toContain(
    `No backup was found in ${dataDir}/backups.\nThe start first writes a backup to ${dataDir}/backups (`,
  );
  expect(pending.said).toMatch(/GiB free\)\.\nThis check changed nothing\.\n$/);

  // As a folder that the service may not write to.
  const file = join(dataDir, 'file');
  await writeFile(file, '');
  more = { BACKUP_TO: join(file, 'backups'), BACKUP_PASSPHRASE: 'a passphrase that is long' };
  expect(await check('--check')).toEqual({
    code: 1,
    said: `The next start would fail. The backup before the upgrade would fail: ${file}/backups is not a folder. Nothing was changed. Fix the cause, or back up by other means and set BACKUP_BEFORE_UPGRADE=false for this start.\n`,
  });
  more = { ...more, BACKUP_BEFORE_UPGRADE: 'false' };
  expect((await check('--check')).code).toBe(3);
  more = {};

  await sql`insert into migrations (number, name) values (2, '002-ledger-epoch.sql')`.execute(database.db);
  await sql`drop table group_sums`.execute(database.db);
  const refused = await check('--check');
  expect(refused).toEqual({
    code: 1,
    said: expect.stringMatching(/^The next start would fail\. .*table group_sums is missing/),
  });
  expect((await check()).code).toBe(2);
});

test('reports that the next start creates the schema of an empty database', async () => {
  const empty = await createEmptyDatabase();
  onTestFinished(() => empty.drop());
  const { code, said } = await campanile(environmentOf(empty), 'upgrade', '--check');
  expect(code).toBe(3);
  expect(said).toBe('The database is empty. The next start creates the schema. This check changed nothing.\n');
});

test('epoch fence: a process stops once a newer version has upgraded the database, and cannot start again', async () => {
  const environment = {
    ...environmentOf(database),
    JWT_SECRET: 'a secret of at least thirty-two letters',
    ENCRYPTION_KEY: '0'.repeat(64),
  };
  const service = await startService({ environment });
  onTestFinished(() => removeService(service));
  await sql`update migrations set epoch = epoch + 1, version = '9.9.9'`.execute(database.db);
  expect(await service.ended).toBe(1);
  expect(service.log()).toMatch(/a newer version, Campanile 9\.9\.9, has brought the database up to date \(epoch/);
  await expect(startService({ environment, folder: service.folder })).rejects.toThrow(
    /The database was brought up to date by a newer version, Campanile 9\.9\.9 \(epoch/,
  );
});
