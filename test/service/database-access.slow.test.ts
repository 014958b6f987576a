/** The database rejects the service while it runs: its password, its access rules, its name or its certificate has changed. */
import { appendFile, copyFile, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execute, readRows, sql, type Database } from '../../src/platform/database/statements.ts';
import { afterAll, expect, test } from 'vitest';
import { connectDatabase } from '../../src/platform/database/connect.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { PASSWORD, post } from '../support/app.ts';
import { until } from '../support/ledger.ts';
import { startOwnPostgres } from '../support/servers/own-postgres.ts';
import { createAuthority, startTlsProxy } from '../support/servers/tls-proxy.ts';
import { campanile } from '../support/service/campanile.ts';
import { startService } from '../support/service/service.ts';

const ROLE = 'shop';
let password = 'the first password';
let database = ROLE;

const folder = await mkdtemp(join(tmpdir(), 'campanile-access-'));
const server = await startOwnPostgres();
await administer(async (db) => {
  await execute(db)`create role ${sql.id(ROLE)} login password ${sql.lit(password)}`;
  await execute(db)`create database ${sql.id(ROLE)} owner ${sql.id(ROLE)} encoding 'UTF8' template template0`;
});
await setAccess('scram-sha-256');
const authority = createAuthority(folder, 'first');
const proxy = await startTlsProxy(server.socket, authority.issue('IP:127.0.0.1'));
await copyFile(authority.file, join(folder, 'ca.pem'));
const urlFile = join(folder, 'url');
await writeUrl();
const service = await startService({ folder, environment: { DATABASE_URL_FILE: urlFile } });
const numbers = { phone_number: '+49 151 1234567', whatsapp_number: '+49 151 1234567' };
const user = { user_name: 'alice', password: PASSWORD };
const names = { first_name: 'A', last_name: '', email: 'a@example.com' };
await post(service.url, 'user/create_user', { ...user, ...numbers, ...names });
const { body } = await post(service.url, 'user/authorize_user', user);
const { token } = body.data as unknown as { token: string };
afterAll(async () => {
  await service.stop();
  await proxy.close();
  await server.remove();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function administer(work: (db: Database) => Promise<unknown>): Promise<void> {
  const db = connectDatabase({ ...server.address(), database: 'postgres' }, { log: createLog('silent'), poolSize: 1 });
  await work(db);
  await db.destroy();
}

/** How pg_hba.conf lets the role in: the first rule that fits counts. */
async function setAccess(method: 'scram-sha-256' | 'reject'): Promise<void> {
  const file = join(server.folder, 'pg_hba.conf');
  const rules = (await readFile(file, 'utf8')).split('\n').filter((line) => !line.includes(` ${ROLE} `));
  await writeFile(file, [`local all ${ROLE} ${method}`, ...rules].join('\n'));
  await administer((db) => execute(db)`select pg_reload_conf()`);
}

function urlOf(): string {
  const certificates = encodeURIComponent(join(folder, 'ca.pem'));
  return `postgres://${ROLE}:${encodeURIComponent(password)}@127.0.0.1:${proxy.port}/${database}?sslmode=verify-full&sslrootcert=${certificates}`;
}

/** As a secrets manager does it: whole or not at all. */
async function writeUrl(): Promise<void> {
  await writeFile(`${urlFile}.new`, `${urlOf()}\n`);
  await rename(`${urlFile}.new`, urlFile);
}

const ask = () => post(service.url, 'user/get_profile', {}, token);

async function readReady(): Promise<{ status: number; checks: Record<string, string>; message?: string }> {
  const answer = await fetch(`${service.url}/health/ready`);
  const { checks, message } = (await answer.json()) as { checks: Record<string, string>; message?: string };
  return { status: answer.status, checks, ...(message !== undefined && { message }) };
}

const untilReady = () => until(readReady, ({ status }) => status === 200);

/** Expects requests that need a new connection to be put off with the reason, which readiness, metrics and the log give, too. */
async function expectRejected(reason: string): Promise<void> {
  proxy.cut();
  await until(readReady, ({ message }) => message === reason);
  expect(await readReady()).toMatchObject({ status: 503, checks: { database: 'failed' } });
  expect(await (await fetch(`${service.url}/metrics`)).text()).toContain('campanile_database_up 0');
  const answer = await until(ask, ({ status }) => status !== 200);
  expect(answer).toMatchObject({ status: 503, body: { error_code: 'database_unavailable', message: reason } });
  expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
  for (const text of [password, encodeURIComponent(password)]) expect(service.log()).not.toContain(text);
}

async function expectWorking(): Promise<void> {
  await untilReady();
  await until(ask, ({ status }) => status === 200);
}

const changePassword = (next: string) =>
  administer((db) => execute(db)`alter role ${sql.id(ROLE)} password ${sql.lit(next)}`);

test('goes on with a password that is changed, then put into the file, without a restart', async () => {
  await untilReady();
  await changePassword('the second password');
  const reason = 'The database rejects the user or the password of this service';
  // The connection of the health checks is never idle for long, goes on, and does not hide it.
  await until(readReady, ({ message }) => message === reason);
  await expectRejected(reason);
  expect(service.log()).toContain('password authentication failed');
  const said = await campanile({ DATABASE_URL_FILE: urlFile, DATA_DIR: join(folder, 'data') }, 'doctor');
  expect(said).toMatchObject({
    code: 1,
    said: expect.stringContaining(`${reason} (password authentication failed`),
  });
  password = 'the second password';
  await writeUrl();
  await expectWorking();
  await until(
    async () => {
      let names: string[] = [];
      await administer(async (db) => {
        const rows = await readRows<{ name: string }>(db)`
          select application_name as name from pg_stat_activity where usename = ${ROLE}`;
        names = rows.map(({ name }) => name);
      });
      return names;
    },
    (names) => names.includes('campanile hints') && names.some((name) => name.includes('sending')),
  );
});

test('open connections go on, and new ones use the password of the file', async () => {
  password = 'the third password';
  await changePassword(password);
  await writeUrl();
  expect(await ask()).toMatchObject({ status: 200 });
  proxy.cut();
  await expectWorking();
});

test.each([
  ['is missing', undefined, 'A file that a connection to the database needs cannot be read'],
  ['is empty', '', 'The address of the database is invalid'],
  ['is half written', 'postgres://shop:the%20th', 'The address of the database is invalid'],
])('waits while the file of the address %s', async (_, text, reason) => {
  await expectWorking();
  if (text === undefined) await rm(urlFile);
  else await writeFile(urlFile, text);
  await expectRejected(reason);
  await writeUrl();
  await expectWorking();
});

test('waits while pg_hba.conf rejects it', async () => {
  await expectWorking();
  await setAccess('reject');
  await expectRejected('The database does not admit this service');
  await setAccess('scram-sha-256');
  await expectWorking();
});

test('goes on with a database that is renamed, once the file says so', async () => {
  await expectWorking();
  await administer(async (db) => {
    // Nobody may be connected meanwhile.
    await execute(db)`alter role ${sql.id(ROLE)} nologin`;
    await until(async () => {
      proxy.cut();
      return sql`alter database ${sql.id(ROLE)} rename to mall`.execute(db).then(
        () => true,
        () => false,
      );
    }, Boolean);
    await execute(db)`alter role ${sql.id(ROLE)} login`;
  });
  await expectRejected('The database that this service is to use does not exist');
  database = 'mall';
  await writeUrl();
  await expectWorking();
});

test('waits for a certificate of a known authority, for its own name, and for TLS at all', async () => {
  const insecure = 'No secure connection to the database can be made';
  const next = createAuthority(folder, 'second');
  for (const certificate of [next.issue('IP:127.0.0.1'), authority.issue('DNS:db.example'), undefined]) {
    await expectWorking();
    proxy.use(certificate);
    await expectRejected(insecure);
    proxy.use(authority.issue('IP:127.0.0.1'));
  }
  await expectWorking();
  proxy.use(next.issue('IP:127.0.0.1'));
  await expectRejected(insecure);
  // Both are trusted while the certificate changes.
  await appendFile(join(folder, 'ca.pem'), await readFile(next.file));
  await expectWorking();
});
