/** PostgreSQL's own `pg_dump` and `pg_restore`, which have to be on the PATH: none comes along. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readCount, type Connection } from '../../platform/database/statements.ts';
import pg from 'pg';
import { connectionSettings, type PostgresAddress } from '../../platform/database/connect.ts';
import { StartupError } from '../../platform/errors/errors.ts';

type Tool = 'pg_dump' | 'pg_restore';

const run = promisify(execFile);
const OTHER_MEANS = 'pg_basebackup, pgBackRest or your provider’s';
/** The TLS parameters of a URL that libpq has under the same name. */
const TLS_PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'];

/** Throws a StartupError where there is no pg_dump, or one older than the server. */
export async function requireDumpTool(db: Connection): Promise<void> {
  const server = await readCount(db)`select current_setting('server_version_num')::int / 10000`;
  const major = await majorOf('pg_dump');
  if (major < server)
    throw new StartupError(
      `The pg_dump on the PATH has version ${major}, and the server of DATABASE_URL has version ${server}. Install postgresql-client-${server}, or back up by other means, such as ${OTHER_MEANS}.`,
    );
}

/** Dumps the database into a file that `loadDump` reads. Throws a StartupError where there is no pg_dump, or one older than the server. */
export async function dumpDatabase(db: Connection, address: PostgresAddress, file: string): Promise<void> {
  await requireDumpTool(db);
  await runTool('pg_dump', address, ['--format=custom', '--compress=6', '--no-password', `--file=${file}`]);
}

/** Loads a dump into an empty database, whole or not at all. Throws a StartupError where there is no pg_restore, or it says why not. */
export async function loadDump(file: string, address: PostgresAddress): Promise<void> {
  await majorOf('pg_restore');
  const whole = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges', '--no-password'];
  await runTool('pg_restore', address, [...whole, file]);
}

async function majorOf(tool: Tool): Promise<number> {
  try {
    const { stdout } = await run(tool, ['--version']);
    return Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1] ?? 0);
  } catch (error) {
    throw new StartupError(
      `${tool} is not on the PATH. Backups of a PostgreSQL of your own need PostgreSQL's client programs. Install postgresql-client, or use other means, such as ${OTHER_MEANS}.`,
      error,
    );
  }
}

async function runTool(tool: Tool, address: PostgresAddress, args: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'campanile-pass-'));
  try {
    const connection = await describeConnection(address, join(folder, 'pass'));
    await run(tool, [`--dbname=${connection}`, ...args]);
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new StartupError(`${tool} failed: ${output.split('\n')[0] || String(error)}`, error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns a connection string of libpq. The password goes into a file: everybody on the machine can read what a program was started with. */
async function describeConnection(address: PostgresAddress, passFile: string): Promise<string> {
  const { host, port, user, database, password } = new pg.Client(connectionSettings(address));
  const parameters = new Map(Object.entries({ host, port: String(port), user, dbname: database }));
  if (typeof password === 'string' && password !== '') {
    await writeFile(passFile, `*:*:*:*:${password.replaceAll(/[\\:]/g, String.raw`\$&`)}\n`, { mode: 0o600 });
    parameters.set('passfile', passFile);
  }
  const given = new URLSearchParams('url' in address ? address.url.split('?')[1] : '');
  for (const name of TLS_PARAMETERS) {
    const value = given.get(name);
    if (value !== null) parameters.set(name, value === 'no-verify' ? 'require' : value);
  }
  return [...parameters]
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}='${String(value).replaceAll(/[\\']/g, String.raw`\$&`)}'`)
    .join(' ');
}
