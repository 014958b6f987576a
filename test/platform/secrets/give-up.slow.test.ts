/** A lost encryption key: the doctor counts the secrets that it sealed, and `campanile secrets give-up` deletes them. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig, type Config } from '../../../src/platform/config/config.ts';
import { runChecks } from '../../../src/operations/doctor/run-checks.ts';
import { createVault } from '../../../src/platform/secrets/secret-box.ts';
import { SEALED_COLUMNS } from '../../../src/platform/secrets/sealed-columns.ts';
import { startTestApp, type Person, type TestApp } from '../../support/app.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { until } from '../../support/ledger.ts';
import { recordLog } from '../../support/record-log.ts';
import { campanile } from '../../support/service/campanile.ts';

let database: TestDatabase;
let folder: string;
const apps: TestApp[] = [];
beforeEach(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'campanile-lost-'));
});
afterEach(async () => {
  for (const app of apps.splice(0)) await app.stop();
  await database.drop();
  await rm(folder, { recursive: true });
});

/** Columns of hashes, files and posts. */
const OTHER_BYTES = [
  'media.still',
  'invitations.token_hash',
  'report_links.token_hash',
  'calendar_links.token_hash',
  'api_keys.hash',
  'approval_reviews.hash',
  'approvals.hash',
  'factors.public_key',
  'deleted_drafts.text_hash',
  'idempotency_keys.body_hash',
  'media.bytes',
  'media.sha256',
  'media_pieces.bytes',
  'recovery_codes.hash',
  'sandbox_chats.picture',
  'sandbox_messages.media_sha256',
  'whatsapp_posts.message',
  'whatsapp_posts.post_hash',
  'whatsapp_sent.post_hash',
  'whatsapp_uploads.message',
  'whatsapp_uploads.sha256',
];

const keyFile = () => join(folder, 'encryption-key');

async function start(settings: Partial<Config> = {}, log = recordLog('warn')) {
  const app = await startTestApp({ dataDir: folder, encryptionKey: undefined, ...settings }, database, log.log);
  apps.push(app);
  return { app, log };
}

async function stop(): Promise<void> {
  for (const app of apps.splice(0)) await app.stop();
}

function environment(): Record<string, string> {
  const { address } = database;
  if ('url' in address) throw new Error('tests need a server on a Unix socket');
  const host = encodeURIComponent(address.socketFolder);
  return {
    DATABASE_URL: `postgres://${address.user}@localhost/${address.database}?host=${host}`,
    DATA_DIR: folder,
    STATE_DIR: database.stateDir,
  };
}

const findings = async (settings: Record<string, string> = {}) =>
  (
    await runChecks({
      config: readConfig({ ...environment(), JWT_SECRET: 'the secret that all apps of a test share', ...settings }),
      db: database.db,
    })
  )
    .filter(({ check }) => check === 'secrets')
    .map(({ level, message }) => [level, message]);

async function count(table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from ${sql.table(table)}`.execute(
    database.db,
  );
  return rows[0]?.count ?? 0;
}

/** A user with a linked account, an authenticator app and a webhook. */
async function sealAll(app: TestApp, name: string): Promise<Person> {
  const person = await app.signUp(name);
  expect((await person.call('user/add_totp', {})).status).toBe(200);
  const webhook = { url: `https://${name}.example.com/`, events: ['run.completed'] };
  expect((await person.call('venom/create-webhook', webhook)).status).toBe(200);
  const key = Buffer.from((await readFile(keyFile(), 'utf8')).trim(), 'hex');
  await sql`
    insert into account_keys (account_id, kind, name, sealed)
    select account_id, 'session', 'one', ${createVault({ key }).seal(randomBytes(40), 'a test')}::bytea
    from accounts join workspaces using (workspace_id) join memberships using (workspace_id) join users using (user_id)
    where user_name = ${name}`.execute(database.db);
  return person;
}

test('counts the secrets that no configured key opens by kind, as an error with a remedy', async () => {
  const { app } = await start();
  await sealAll(app, 'alice');
  expect(await findings()).toEqual([['ok', expect.stringMatching(/^The encryption key [\da-f]{16} opens all/)]]);
  const other = createVault({ key: randomBytes(32) });
  await sql`
    insert into account_keys (account_id, kind, name, sealed)
    select account_id, 'session', n::text, ${other.seal(randomBytes(40), 'a test')}::bytea from accounts, generate_series(1, 3) n`.execute(
    database.db,
  );
  expect(await findings()).toEqual([
    [
      'error',
      expect.stringMatching(
        /^No configured key opens 3 credentials of linked accounts: the data was sealed with [\da-f]{8}…$/,
      ),
    ],
  ]);
  const wrong = await findings({ ENCRYPTION_KEY: 'ab'.repeat(32) });
  expect(wrong.map(([level]) => level)).toEqual(['error', 'error', 'error', 'error', 'error', 'error']);
  const said = wrong.map(([, message]) => message).join('\n');
  for (const part of [
    'the ledger needs',
    '1 credential ',
    '3 credentials ',
    '1 authenticator app',
    '1 secret of a webhook',
    '1 key for',
  ])
    expect(said).toContain(part);
});

test('gives up a lost key only with --yes, and not while a worker runs', async () => {
  const { app } = await start();
  const alice = await sealAll(app, 'alice');
  await rm(keyFile());
  const early = await campanile(environment(), 'secrets', 'give-up', '--yes');
  expect(early).toEqual({ code: 1, said: expect.stringContaining('is running') });
  await stop();
  const unsure = await campanile(environment(), 'secrets', 'give-up');
  expect(unsure).toEqual({
    code: 1,
    said: expect.stringMatching(
      /opens 1 credential .*, 1 authenticator app, 1 secret of a webhook, 1 key for push.*--yes/,
    ),
  });
  expect(existsSync(keyFile())).toBe(false);
  expect(await count('account_keys')).toBe(1);

  const sure = await campanile(environment(), 'secrets', 'give-up', '--yes');
  expect(sure).toEqual({ code: 0, said: expect.stringMatching(/^Gave up 1 credential/) });
  expect([await count('account_keys'), await count('factors'), await count('webhooks')]).toEqual([0, 0, 1]);
  const { rows } = await sql<{ status: string }>`select status from accounts`.execute(database.db);
  expect(rows).toEqual([{ status: 'logged_out' }]);

  const { app: again } = await start();
  expect(await findings()).toEqual([['ok', expect.anything()]]);
  const { token } = alice;
  expect((await again.call('venom/list-webhooks', {}, token)).status).toBe(200);
  const audit = await again.call('user/list_audit_log', {}, token);
  expect(audit.body.data?.['entries']).toContainEqual(
    expect.objectContaining({ action: 'secrets.given_up', subject: expect.stringContaining('1 authenticator app') }),
  );
  await stop();
  const nothing = await campanile(environment(), 'secrets', 'give-up', '--yes');
  expect(nothing).toEqual({ code: 0, said: expect.stringContaining('Nothing to give up') });
});

test('keeps secrets that a configured key opens', async () => {
  const { app } = await start();
  await sealAll(app, 'alice');
  await app.signUp('bob');
  await sql`
    insert into account_keys (account_id, kind, name, sealed)
    select account_id, 'session', 'one', ${createVault({ key: randomBytes(32) }).seal(randomBytes(40), 'a test')}::bytea
    from accounts order by account_id desc limit 1`.execute(database.db);
  await stop();
  expect(await campanile(environment(), 'secrets', 'give-up', '--yes')).toMatchObject({ code: 0 });
  expect([await count('account_keys'), await count('factors'), await count('push_keys')]).toEqual([1, 1, 1]);
  const { rows } = await sql<{ status: string }>`select status from accounts order by account_id`.execute(database.db);
  expect(rows.map(({ status }) => status)).toEqual(['connected', 'logged_out']);
});

test('logs a changed token secret, and no rotated one', async () => {
  const quiet = async (settings: Partial<Config>) => {
    const { log } = await start({ jwtSecret: undefined, ...settings });
    await stop();
    await until(
      () => log.lines(),
      () => true,
    );
    return !log.lines().some(({ msg }) => msg.includes('everybody signs in again'));
  };
  expect(await quiet({})).toBe(true);
  expect(await campanile(environment(), 'secrets', 'rotate')).toMatchObject({ code: 0 });
  expect(await quiet({})).toBe(true);
  const before = 'x'.repeat(32);
  expect(await quiet({ jwtSecret: before })).toBe(false);
  expect((await findings({ JWT_SECRET: 'y'.repeat(32) })).map(([level]) => level)).toEqual(['warning']);
  expect(await quiet({ jwtSecret: 'y'.repeat(32), jwtSecretPrevious: before })).toBe(true);
});

test('seals and counts every column of bytes, except the known ones without a secret', async () => {
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = current_schema() and data_type = 'bytea'`.execute(database.db);
  const sealed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
  expect(rows.map(({ name }) => name).toSorted()).toEqual([...sealed, ...OTHER_BYTES].toSorted());
});
