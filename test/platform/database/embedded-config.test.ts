import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { appendFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { connectDatabase } from '../../../src/platform/database/connect.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { ask, read, refusal, seeded, start, temporaryFolder, useSeed } from '../../support/servers/embedded.ts';

useSeed();

/** Settings that run commands, load code, open ports or write elsewhere; `%` stands for a folder of the test. */
const HOSTILE = [
  "restore_command = 'touch %/canary; false'",
  "archive_cleanup_command = 'touch %/canary'",
  "recovery_end_command = 'touch %/canary'",
  "archive_mode = 'on'",
  "archive_command = 'touch %/canary; false'",
  "shared_preload_libraries = '%/hostile'",
  "session_preload_libraries = '%/hostile'",
  "local_preload_libraries = 'hostile'",
  "jit_provider = '%/hostile'",
  "dynamic_library_path = '%'",
  "ssl = 'on'",
  "ssl_passphrase_command = 'touch %/canary'",
  "hba_file = '%/pg_hba.conf'",
  "ident_file = '%/pg_ident.conf'",
  "external_pid_file = '%/canary'",
  "logging_collector = 'on'",
  "log_directory = '%/canary'",
  "unix_socket_directories = '%'",
  "listen_addresses = '*'",
  "port = '1'",
  "primary_conninfo = 'host=192.0.2.1'",
  "include_if_exists = '%/more.conf'",
];

test.for(['postgresql.conf', 'postgresql.auto.conf'])('ignores every setting in %s', async (name) => {
  const dataDir = seeded();
  const elsewhere = temporaryFolder();
  const cluster = join(dataDir, 'postgres');
  await writeFile(join(elsewhere, 'more.conf'), "work_mem = '1MB'\n");
  await appendFile(join(cluster, name), `${HOSTILE.join('\n').replaceAll('%', elsewhere)}\n`);
  await writeFile(join(cluster, 'recovery.signal'), '');
  await writeFile(join(cluster, 'pg_hba.conf'), 'local all all reject\n');
  const { address } = await start({ dataDir });
  expect(await read(address)).toHaveLength(1);
  const foreign = sql`
    select name as answer from pg_settings
    where source = 'configuration file' or setting like ${`%${elsewhere}%`} or setting like '%hostile%'`;
  expect(await ask(address, foreign)).toEqual([]);
  expect(existsSync(join(elsewhere, 'canary'))).toBe(false);
});

test('starts a standby folder as a primary', async () => {
  const dataDir = seeded();
  await writeFile(join(dataDir, 'postgres/standby.signal'), '');
  const { address } = await start({ dataDir });
  expect(await ask(address, sql`select pg_is_in_recovery() as answer`)).toEqual([false]);
});

test('loads no libraries that the role or the database configures', async () => {
  const { address } = await start({ dataDir: seeded() });
  const db = connectDatabase(address, { log: createLog('silent'), poolSize: 1 });
  onTestFinished(() => db.destroy());
  for (const of of ['database postgres', 'role campanile'])
    for (const name of ['session_preload_libraries', 'local_preload_libraries'])
      await sql.raw(`alter ${of} set ${name} = '$libdir/plugins/hostile'`).execute(db);
  expect(
    await ask(
      address,
      sql`select current_setting('session_preload_libraries') || current_setting('local_preload_libraries') as answer`,
    ),
  ).toEqual(['']);
});

test('runs no event triggers, neither at login nor on DDL', async () => {
  const { address } = await start({ dataDir: seeded() });
  const db = connectDatabase(address, { log: createLog('silent'), poolSize: 1 });
  onTestFinished(() => db.destroy());
  await sql`
    create function hostile() returns event_trigger language plpgsql as $$ begin raise 'it ran'; end $$`.execute(db);
  await sql`create event trigger hostile_login on login execute function hostile()`.execute(db);
  await sql`create event trigger hostile_ddl on ddl_command_end execute function hostile()`.execute(db);
  await sql`create table after_it (id int)`.execute(db);
  expect(await read(address)).toHaveLength(1);
});

test.for([
  ['a tablespace elsewhere', 'pg_tblspc/16999'],
  ['a log elsewhere', 'pg_wal/archive_status/elsewhere'],
  ['a file elsewhere', 'postgresql.auto.conf'],
])('rejects symbolic links: %s', async ([, name = '']) => {
  const dataDir = seeded();
  const elsewhere = temporaryFolder();
  const target = join(elsewhere, 'target');
  mkdirSync(target);
  await rm(join(dataDir, 'postgres', name), { force: true });
  symlinkSync(target, join(dataDir, 'postgres', name));
  const said = await refusal({ dataDir });
  expect(said).toContain(join(dataDir, 'postgres', name));
  expect(said).toContain('symbolic link');
});

test('creates no links for a tablespace map', async () => {
  const dataDir = seeded();
  const elsewhere = temporaryFolder();
  await writeFile(join(dataDir, 'postgres/tablespace_map'), `16999 ${elsewhere}\n`);
  const { address } = await start({ dataDir });
  expect(await read(address)).toHaveLength(1);
  for (const name of ['tablespace_map', 'tablespace_map.old', 'pg_tblspc/16999'])
    expect(existsSync(join(dataDir, 'postgres', name))).toBe(false);
});
