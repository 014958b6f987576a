import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { expectCatalog, findDifferences } from '../../../src/platform/database/fingerprint.ts';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { readCatalog } from '../../../src/platform/database/read-catalog.ts';
import { loadSchemaFiles, SCHEMA_FOLDER, sumSchemaFiles } from '../../../src/platform/database/schema-files.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { createEmptyDatabase } from '../../support/database.ts';
import { computeFingerprints, raiseEpoch } from '../../../scripts/write-schema.ts';

const log = createLog('silent');
const files = await loadSchemaFiles();

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
beforeEach(async () => {
  database = await createEmptyDatabase();
});
afterEach(() => database.drop());

const run = (text: string) => sql.raw(text).execute(database.db);
const differences = async () => findDifferences(expectCatalog(files.migrations), await readCatalog(database.db));

test('equals the recorded fingerprints of the migrations, on each PostgreSQL', async () => {
  const computed = await computeFingerprints(database.db, files);
  const kept = new Map(files.migrations.map(({ name, fingerprint }) => [name, fingerprint]));
  expect(kept, 'run "npm run schema", which writes src/platform/database/fingerprints/').toEqual(computed);
  const names = readdirSync(new URL('fingerprints/', SCHEMA_FOLDER)).map((name) => name.replace('.txt', '.sql'));
  expect(names).toEqual(files.migrations.map(({ name }) => name));
});

test('has an epoch raised for the present migrations and functions', () => {
  expect(
    files.epoch.sha256,
    'A migration or a function of the database has changed: run "npm run schema", which raises the epoch in src/platform/database/epoch.txt, so that no older process puts its own functions back',
  ).toBe(sumSchemaFiles(files));
});

test('freezes 001-schema.sql', () => {
  expect(files.migrations[0]?.sha256, 'it never changes again: add a migration').toBe(
    '3180c526b09a1ba47cf5c6695f9f0e5481873df030897d3bf5f205dda31c7e46',
  );
});

test('names each missing or different object', async () => {
  await migrate(database.db, log);
  await run(`
    drop table group_sums;
    alter table users drop column email;
    alter table users alter column time_zone set not null;
    alter table groups drop constraint groups_pkey cascade;
    alter table groups add constraint groups_pkey primary key (workspace_id, group_id);
    drop index users_number;
    create index users_number on users (user_id);
    alter table media disable trigger media_added;
    drop trigger media_removed on media;
    alter type group_kind add value 'list';
    drop sequence revision_numbers;
    alter table lanes set unlogged;
    alter table whatsapp_version alter column version drop default;
  `);
  expect(await differences()).toMatchInlineSnapshot(`
    [
      "column users.email is missing",
      "sequence revision_numbers is missing",
      "table group_sums is missing",
      "trigger media.media_removed is missing",
      "constraint group_accounts.group_accounts_group_id_fkey is missing",
      "constraint senders.senders_group_id_fkey is missing",
      "column users.time_zone is "text not null" and not "text"",
      "constraint groups.groups_pkey is "PRIMARY KEY (workspace_id, group_id)" and not "PRIMARY KEY (group_id)"",
      "index users.users_number is "btree (user_id)" and not "btree (whatsapp_digits)"",
      "table lanes is "unlogged" and not "logged"",
      "type group_kind is "enum (group, community, channel, list)" and not "enum (group, community, channel)"",
      "trigger media.media_added is "AFTER INSERT ON media FOR EACH ROW WHEN (new.bytes IS NOT NULL) EXECUTE FUNCTION count_stored_bytes() disabled" and not "AFTER INSERT ON media FOR EACH ROW WHEN (new.bytes IS NOT NULL) EXECUTE FUNCTION count_stored_bytes()"",
    ]
  `);
});

test('ignores objects and settings that an operator has added', async () => {
  await migrate(database.db, log);
  await run(`
    create table bells (name text);
    create view ringing as select user_id from users;
    create index users_own on users (created_at);
    alter table users add column colour text, add constraint users_colour check (colour <> 'red');
    create trigger users_own before update on users for each row execute function suppress_redundant_updates_trigger();
    alter table deliveries set (autovacuum_vacuum_scale_factor = 0.01, fillfactor = 80);
    alter index lanes_wake set (fillfactor = 70);
    alter table contents alter column group_ids set storage extended;
    alter table users alter column user_name set statistics 500;
    create statistics users_together on user_name, created_at from users;
    grant select on users to public;
    alter sequence revision_numbers restart with 1000;
    comment on table users is 'ours';
  `);
  expect(await differences()).toEqual([]);
});

test('does not depend on settings of the server', async () => {
  await migrate(database.db, log);
  const name = 'database' in database.address ? database.address.database : '';
  await run(`
    alter database ${name} set timezone = 'Asia/Kolkata';
    alter database ${name} set datestyle = 'German';
    alter database ${name} set intervalstyle = 'iso_8601';
    alter database ${name} set quote_all_identifiers = on;
    select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid();
  `);
  expect(await differences()).toEqual([]);
});

test('is the same after pg_dump and pg_restore', async ({ skip }) => {
  const { rows } = await sql<{
    major: number;
  }>`select current_setting('server_version_num')::int / 10000 as major`.execute(database.db);
  const { stdout } = spawnSync('pg_dump', ['--version'], { encoding: 'utf8' });
  const tool = Number(/(\d+)/.exec(stdout ?? '')?.[1] ?? 0);
  if (tool < (rows[0]?.major ?? 0)) skip('there is no pg_dump of this server');
  await migrate(database.db, log);
  const restored = await createEmptyDatabase();
  onTestFinished(() => restored.drop());
  const connectionOf = ({ address }: typeof database) => {
    if ('url' in address) throw new Error('tests need a server on a Unix socket');
    return [
      '--host',
      address.socketFolder,
      '--port',
      `${address.port}`,
      '--username',
      address.user,
      '--dbname',
      address.database,
    ];
  };
  const dump = execFileSync('pg_dump', ['--format=custom', ...connectionOf(database)], { maxBuffer: 2 ** 28 });
  execFileSync('pg_restore', ['--no-owner', '--exit-on-error', ...connectionOf(restored)], { input: dump });
  expect(await readCatalog(restored.db)).toEqual(await readCatalog(database.db));
});

test('takes the higher epoch of a merge conflict, and raises it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'campanile-epoch-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const kind of ['migrations', 'functions']) mkdirSync(join(folder, kind));
  const [ours, theirs] = ['a', 'b'].map((digit) => digit.repeat(64));
  const sides = `<<<<<<< HEAD\nepoch 7\nsha256 ${ours}\n=======\nepoch 8\nsha256 ${theirs}\n>>>>>>> other\n`;
  writeFileSync(join(folder, 'epoch.txt'), sides);
  const merged = await loadSchemaFiles(pathToFileURL(`${folder}/`));
  expect(merged.epoch.number).toBe(8);
  const raised = raiseEpoch(merged);
  expect(raised).toEqual({ number: 9, sha256: sumSchemaFiles(merged) });
  expect(raiseEpoch({ ...merged, epoch: raised })).toEqual(raised);
});
