import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseClient, type PostgresAddress } from './connect.ts';
import { CLIENT_OPTIONS, FIRST_DATABASE, SUPERUSER } from './embedded/config.ts';
import { folderError, readIfThere } from './embedded/folder.ts';
import { portUrl } from './embedded/listen-address.ts';
import { errorCodeOf } from '../errors/errors.ts';

/** The lines of PostgreSQL's own file that say where it listens. */
const PORT_LINE = 3;
const SOCKET_LINE = 4;

/** Returns the address of a running service's embedded server; undefined when none runs, or a crash left its file behind. Throws a StartupError for a DATA_DIR that cannot be read. */
export async function findRunning(dataDir: string): Promise<PostgresAddress | undefined> {
  const lines = await readLines(dataDir);
  const port = Number(lines[PORT_LINE]);
  if (!Number.isInteger(port) || port <= 0) return undefined;
  const socketFolder = lines[SOCKET_LINE]?.trim() ?? '';
  const address: PostgresAddress =
    socketFolder === ''
      ? { url: await addressOfPort(dataDir, port) }
      : { socketFolder, port, user: SUPERUSER, database: FIRST_DATABASE, options: CLIENT_OPTIONS };
  return (await answers(address)) ? address : undefined;
}

/** On Windows, which has no sockets. */
async function addressOfPort(dataDir: string, port: number): Promise<string> {
  const password = (await readFile(join(dataDir, 'postgres-password'), 'utf8')).trim();
  return portUrl(password, port);
}

async function readLines(dataDir: string): Promise<string[]> {
  try {
    return ((await readIfThere(join(dataDir, 'postgres/postmaster.pid'))) ?? '').split('\n');
  } catch (error) {
    throw folderError(error, dataDir);
  }
}

async function answers(address: PostgresAddress): Promise<boolean> {
  const client = new DatabaseClient(address);
  try {
    await client.connect();
    return true;
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return false;
    throw error;
  } finally {
    await client.end();
  }
}
