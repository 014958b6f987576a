/** The encryption key belongs to the ledger: no new key is generated over sealed rows, and no process joins with another key. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StartupError } from '../../../src/platform/errors/errors.ts';
import { createVault } from '../../../src/platform/secrets/secret-box.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { createOwner } from '../../support/ledger.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let folder: string;
const apps: TestApp[] = [];
beforeEach(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'campanile-key-'));
});
afterEach(async () => {
  for (const app of apps.splice(0)) await app.stop();
  await database.drop();
  await rm(folder, { recursive: true });
});

const KEYS = Array.from({ length: 3 }, () => randomBytes(32)) as [Buffer, Buffer, Buffer];

type Settings = NonNullable<Parameters<typeof startTestApp>[0]>;
const dataDir = (name = 'data') => join(folder, name);
const keyFile = (name?: string) => join(dataDir(name), 'encryption-key');

/** Starts a process of the installation; a generated key is in its data folder. */
async function start(settings: Settings = {}): Promise<TestApp> {
  const app = await startTestApp({ dataDir: dataDir(), encryptionKey: undefined, ...settings }, database);
  apps.push(app);
  return app;
}

async function startAndStop(settings?: Settings): Promise<void> {
  await (await start(settings)).stop();
  apps.pop();
}

/** Returns the message of a rejected start. */
async function refusal(settings?: Settings): Promise<string> {
  try {
    await start(settings);
  } catch (error) {
    if (error instanceof StartupError) return error.message;
    throw error;
  }
  throw new Error('it started');
}

async function recordedIds() {
  const { rows } = await sql<{ present: string | null; former: string | null }>`
    select encryption_key_id as present, former_key_id as former from ledger`.execute(database.db);
  return rows[0];
}

/** An earlier version wrote sealed rows without the id of their key. */
const forgetIds = () =>
  sql`update ledger set encryption_key_id = null, former_key_id = null, jwt_secret_id = null`.execute(database.db);

/** Stores a second factor that is sealed with the key. */
async function sealFactor(key: Buffer, name = 'alice'): Promise<void> {
  await sql`
    with u as (insert into users (user_name, email, first_name, last_name, phone_number, whatsapp_number, whatsapp_digits, password_hash)
               values (${name}, '', '', '', '', '', '', 'x') returning user_id)
    insert into factors (user_id, kind, name, secret)
    select user_id, 'totp', '', ${createVault({ key }).seal(randomBytes(20), 'a test')}::bytea from u`.execute(
    database.db,
  );
}

test('does not start without its key file, generates no new key, and names the key, the path and the remedies', async () => {
  await startAndStop();
  const id = (await recordedIds())?.present;
  expect(id).toMatch(/^[\da-f]{16}$/);
  await rm(keyFile());
  const message = await refusal();
  expect(message).toContain(String(id));
  expect(message).toContain(keyFile());
  expect(message).toMatch(/backup.*campanile secrets give-up/s);
  expect(existsSync(keyFile())).toBe(false);
});

test('derives an id that reveals nothing of the key, and stores it in each sealed row', async () => {
  await startAndStop();
  const id = String((await recordedIds())?.present);
  expect(await readFile(keyFile(), 'utf8')).not.toContain(id);
  const { rows } = await sql<{ sealed: Buffer }>`select private_key as sealed from push_keys`.execute(database.db);
  expect(rows[0]?.sealed.toString('hex').startsWith(id.slice(0, 8))).toBe(true);
});

test('rejects a process with another key, from ENCRYPTION_KEY or from its own file', async () => {
  const living = await start();
  const id = String((await recordedIds())?.present);
  const byVariable = await refusal({ encryptionKey: KEYS[0] });
  expect(byVariable).toContain(id);
  expect(byVariable).toContain('ENCRYPTION_KEY_PREVIOUS');
  const withoutKey = await refusal({ dataDir: dataDir('second') });
  expect(withoutKey).toMatch(/Processes that share a database need the same ENCRYPTION_KEY/);
  expect(existsSync(keyFile('second'))).toBe(false);
  await startAndStop({
    encryptionKey: Buffer.from((await readFile(keyFile(), 'utf8')).trim(), 'hex'),
    dataDir: dataDir('second'),
  });
  expect((await fetch(`${living.url}/health/ready`)).status).toBe(200);
});

test('rejects one of two first starts in separate folders, and shares the key in one folder', async () => {
  const started = await Promise.allSettled([start({ dataDir: dataDir('one') }), start({ dataDir: dataDir('other') })]);
  expect(started.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect([keyFile('one'), keyFile('other')].filter((file) => existsSync(file))).toHaveLength(1);
  const winner = existsSync(keyFile('one')) ? 'one' : 'other';
  await Promise.all([startAndStop({ dataDir: dataDir(winner) }), startAndStop({ dataDir: dataDir(winner) })]);
});

test('rotates a key with the previous one beside it, which is required until all rows are resealed', async () => {
  const [first, second, third] = KEYS;
  await startAndStop({ encryptionKey: first });
  const before = await recordedIds();
  await startAndStop({ encryptionKey: second, encryptionKeyPrevious: first });
  const after = await recordedIds();
  expect(after?.present).not.toBe(before?.present);
  expect(after?.former).toBe(before?.present);
  expect(await refusal({ encryptionKey: first })).toContain(String(after?.present));

  // Workers reseal rows in steps, and one row is left.
  await sealFactor(first);
  const early = await refusal({ encryptionKey: second });
  expect(early).toMatch(/ENCRYPTION_KEY_PREVIOUS/);
  expect(early).toContain('1 authenticator app');
  expect(await refusal({ encryptionKey: third, encryptionKeyPrevious: second })).toContain('1 authenticator app');
  await sql`delete from factors`.execute(database.db);
  await startAndStop({ encryptionKey: second });
  expect(await recordedIds()).toEqual({ present: after?.present, former: null });
});

test('records the id of a key for an older ledger only if the key opens every sealed row', async () => {
  const [key, other, third] = KEYS;
  await startAndStop({ encryptionKey: key });
  await forgetIds();
  const { rows } = await sql<{ sealed: Buffer }>`select private_key as sealed from push_keys`.execute(database.db);
  const wanted = rows[0]?.sealed.toString('hex').slice(0, 8);
  expect(await refusal({ encryptionKey: other })).toContain(wanted);
  expect(await refusal()).toContain(wanted);
  expect(await recordedIds()).toEqual({ present: null, former: null });
  await sealFactor(third);
  expect(await refusal({ encryptionKey: key })).toContain('1 authenticator app');
  await sql`delete from factors`.execute(database.db);
  await startAndStop({ encryptionKey: key });
  expect((await recordedIds())?.present?.slice(0, 8)).toBe(wanted);
});

test('reports a damaged key file, and leaves it as it is', async () => {
  await startAndStop();
  await writeFile(keyFile(), 'half a k');
  expect(await refusal()).toMatch(/encryption-key is damaged/);
  expect(await readFile(keyFile(), 'utf8')).toBe('half a k');
});

test('checks 100,000 sealed rows of an older ledger within the time of a start', async () => {
  const [key] = KEYS;
  await startAndStop({ encryptionKey: key });
  const owner = await createOwner(database.db, 1);
  const sealed = createVault({ key }).seal(randomBytes(300), 'a test');
  await sql`
    insert into account_keys (account_id, kind, name, sealed)
    select ${owner.accountId}::bigint, 'session', n::text, ${sealed}::bytea from generate_series(1, 100000) n`.execute(
    database.db,
  );
  await forgetIds();
  const startedAt = performance.now();
  await startAndStop({ encryptionKey: key });
  process.stdout.write(
    `100,000 sealed rows: started and stopped in ${(performance.now() - startedAt).toFixed(0)} ms\n`,
  );
  expect((await recordedIds())?.present).not.toBeNull();
});
