import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../src/platform/database/statements.ts';
import { findDifferences, parseFingerprint } from '../../../src/platform/database/inspect-schema.ts';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { readCatalog } from '../../../src/platform/database/read-catalog.ts';
import { loadSchemaFiles, SCHEMA_FOLDER } from '../../../src/platform/database/schema-files.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { createEmptyDatabase } from '../../support/database.ts';
import { migrateFromFirst } from '../../support/first-schema.ts';
import { ROW_TYPES_FILE } from '../../../scripts/render-row-types.ts';
import { parseEpoch, raiseEpoch, renderFiles } from '../../../scripts/write-schema.ts';

const log = createLog('silent');
const files = await loadSchemaFiles();

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
beforeEach(async () => {
  database = await createEmptyDatabase();
});
afterEach(() => database.drop());

/** Everything that the schema holds, of any kind. */
async function listObjects(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select pg_describe_object(classid, objid, objsubid) as name from pg_depend
    where refclassid = 'pg_namespace'::regclass and refobjid = current_schema()::regnamespace order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

const run = (text: string) => sql.raw(text).execute(database.db);
const differences = async () => findDifferences(parseFingerprint(files.fingerprint), await readCatalog(database.db));

test('schema.sql, fingerprint.txt and the types of rows are what the migrations make of the first release, on each PostgreSQL', async () => {
  await migrateFromFirst(database.db);
  const { schema, fingerprint, rowTypes } = await renderFiles(database.db, files.schema);
  expect(fingerprint, 'run "npm run schema"').toBe(`${files.fingerprint.join('\n')}\n`);
  expect(schema, 'run "npm run schema"').toBe(files.schema);
  expect(rowTypes, 'run "npm run schema"').toBe(readFileSync(ROW_TYPES_FILE, 'utf8'));
});

test('a new database has the schema of one that began with the first release', async () => {
  await migrate(database.db, log);
  expect((await renderFiles(database.db, files.schema)).schema).toBe(files.schema);
  const old = await createEmptyDatabase();
  onTestFinished(() => old.drop());
  await migrateFromFirst(old.db);
  expect(await listObjects(database.db)).toEqual(await listObjects(old.db));
});

test('has an epoch raised for the present migrations and functions', () => {
  const epoch = parseEpoch(readFileSync(new URL('epoch.txt', SCHEMA_FOLDER), 'utf8'));
  expect(
    raiseEpoch(epoch, files),
    'A migration or a function of the database has changed: run "npm run schema", which raises the epoch in src/platform/database/epoch.txt, so that no older process puts its own functions back',
  ).toEqual(epoch);
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
      "constraint group_accounts.group_accounts_group_id_fkey is missing",
      "constraint group_values.group_values_group_id_fkey is missing",
      "constraint senders.senders_group_id_fkey is missing",
      "sequence revision_numbers is missing",
      "table group_sums is missing",
      "trigger media.media_removed is missing",
      "column users.time_zone is "text not null" and not "text"",
      "constraint groups.groups_pkey is "PRIMARY KEY (workspace_id, group_id)" and not "PRIMARY KEY (group_id)"",
      "index users.users_number is "btree (user_id)" and not "btree (whatsapp_digits)"",
      "table lanes is "unlogged" and not "logged"",
      "trigger media.media_added is "AFTER INSERT ON media FOR EACH ROW WHEN (new.bytes IS NOT NULL) EXECUTE FUNCTION count_stored_bytes() disabled" and not "AFTER INSERT ON media FOR EACH ROW WHEN (new.bytes IS NOT NULL) EXECUTE FUNCTION count_stored_bytes()"",
      "type group_kind is "enum (group, community, channel, list)" and not "enum (group, community, channel)"",
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

test('takes the higher epoch of a merge conflict, and raises it', () => {
  const [ours, theirs] = ['a', 'b'].map((digit) => digit.repeat(64));
  const sides = `<<<<<<< HEAD\nepoch 7\nsha256 ${ours}\n=======\nepoch 8\nsha256 ${theirs}\n>>>>>>> other\n`;
  const raised = raiseEpoch(parseEpoch(sides), files);
  expect(raised.number).toBe(9);
  expect(raiseEpoch(raised, files)).toEqual(raised);
});
