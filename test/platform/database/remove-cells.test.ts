import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { StartupError } from '../../../src/platform/errors/errors.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { createEmptyDatabase } from '../../support/database.ts';
import { migrateFromFirst } from '../../support/first-schema.ts';

const log = createLog('silent');
const REMOVES_CELLS = '007-remove-cells.sql';

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
beforeEach(async () => {
  database = await createEmptyDatabase();
  await migrateFromFirst(database.db, { below: 7 });
  await insertUser('alice');
  await insertUser('bob');
});
afterEach(() => database.drop());

test('keeps the rows of a database without moved workspaces, and removes the schema of cells', async () => {
  await sql`update ledger set cell = 3`.execute(database.db);
  await sql`insert into moves (move_id, workspace_id, direction, cell)
            values (gen_random_uuid(), 1, 'taken_back', 4), (gen_random_uuid(), 2, 'arrived', 4)`.execute(database.db);
  await migrate(database.db, log);
  expect(await readNames()).toEqual(['alice', 'bob']);
  expect(await readRemains()).toEqual([]);
  expect(await isApplied()).toBe(true);
});

test('rejects the upgrade before any change if a workspace has moved away', async () => {
  await moveAway('bob');
  const before = await readSchema();
  const refused = migrate(database.db, log);
  await expect(refused).rejects.toThrow(StartupError);
  await expect(refused).rejects.toThrow(/workspace of bob .*would send its posts a second time.*workspace take-back/);
  expect(await readSchema()).toEqual(before);
});

test('names every moved workspace', async () => {
  await moveAway('alice');
  await moveAway('bob');
  await expect(migrate(database.db, log)).rejects.toThrow('workspace of alice, bob ');
});

test('upgrades a workspace that was taken back', async () => {
  await moveAway('bob');
  await expect(migrate(database.db, log)).rejects.toThrow(StartupError);
  await sql`update workspaces set moved_to = null`.execute(database.db);
  await migrate(database.db, log);
  expect(await isApplied()).toBe(true);
});

test('upgrades a moved workspace of a deleted user', async () => {
  await moveAway('bob');
  await sql`update users set deleted_at = now(), user_name = '' where user_name = 'bob'`.execute(database.db);
  await migrate(database.db, log);
  expect(await isApplied()).toBe(true);
});

async function insertUser(name: string): Promise<void> {
  await sql`
    with u as (
      insert into users (first_name, last_name, user_name, email, phone_number, whatsapp_number, whatsapp_digits, password_hash)
      values (${name}, '', ${name}, ${name}, '1', '1', '1', 'none') returning user_id
    ), w as (
      insert into workspaces default values returning workspace_id
    )
    insert into memberships (workspace_id, user_id, role) select workspace_id, user_id, 'owner' from w, u`.execute(
    database.db,
  );
}

async function moveAway(name: string): Promise<void> {
  await sql`
    update workspaces set moved_to = 2
    where workspace_id = (select workspace_id from memberships join users using (user_id) where user_name = ${name})`.execute(
    database.db,
  );
}

async function readNames(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select user_name as name from users join memberships using (user_id) join workspaces using (workspace_id)
    order by 1`.execute(database.db);
  return rows.map(({ name }) => name);
}

/** Returns the remaining columns, tables and indexes of cells. */
async function readRemains(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname || '.' || attname as name from pg_attribute join pg_class on attrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace and attname in ('moved_to', 'cell') and not attisdropped
    union select relname from pg_class where relname in ('moves', 'workspaces_moved')`.execute(database.db);
  return rows.map(({ name }) => name);
}

async function isApplied(): Promise<boolean> {
  const { rows } = await sql`select from migrations where name = ${REMOVES_CELLS}`.execute(database.db);
  return rows.length === 1;
}

/** The applied migrations, and every relation and function with the transaction that wrote it. */
async function readSchema(): Promise<unknown[]> {
  const { rows } = await sql`
    select 'migration', number::text, name from migrations
    union all select 'relation', relname, xmin::text from pg_class where relnamespace = 'public'::regnamespace
    union all select 'function', proname, xmin::text from pg_proc where pronamespace = 'public'::regnamespace
    order by 1, 2, 3`.execute(database.db);
  return rows;
}
