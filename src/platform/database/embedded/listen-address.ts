import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { PostgresAddress } from '../connect.ts';
import { CLIENT_OPTIONS, FIRST_DATABASE, SUPERUSER, writeServerConfig } from './config.ts';
import { changeOwner } from './run-as-user.ts';
import type { Identity } from './program.ts';
import { errorCodeOf } from '../../errors/errors.ts';

/** The address of a server that only this process's user can reach. */
export interface ListenAddress {
  address: PostgresAddress;
  settings: Record<string, string>;
  /** The superuser's new password, where there is one. */
  passwordFile: string | undefined;
  /** Removes what does not belong to DATA_DIR. */
  close(): Promise<void>;
}

/** Only part of the socket's name: no TCP port is opened. */
const SOCKET_PORT = 5432;
const SOCKET_NAME = `.s.PGSQL.${SOCKET_PORT}`;
/** The system accepts 107 bytes (macOS 103), and truncates or rejects longer paths. */
const LONGEST_SOCKET_PATH = 100;

/** A Unix socket in a folder only its owner can enter; on Windows, which has none, a loopback port with a password. */
export async function openListenAddress(dataDir: string, identity: Identity): Promise<ListenAddress> {
  return process.platform === 'win32' ? openPort(dataDir, identity) : openSocketFolder(dataDir, identity);
}

async function openSocketFolder(dataDir: string, identity: Identity): Promise<ListenAddress> {
  const inside = join(dataDir, 'socket');
  const fits = Buffer.byteLength(join(inside, SOCKET_NAME)) <= LONGEST_SOCKET_PATH;
  // Leftovers of a dead server: we hold the lock of DATA_DIR, so no live server uses them.
  await rm(inside, { recursive: true, force: true });
  if (fits) await mkdir(inside, { mode: 0o700 });
  const socketFolder = fits ? inside : await mkdtemp('/tmp/campanile-');
  await chmod(socketFolder, 0o700);
  await changeOwner(socketFolder, identity);
  return {
    address: {
      socketFolder,
      port: SOCKET_PORT,
      user: SUPERUSER,
      database: FIRST_DATABASE,
      options: CLIENT_OPTIONS,
    },
    settings: {
      listen_addresses: '',
      // A list, in which a path may hold commas and blanks only within quotes.
      unix_socket_directories: `"${socketFolder.replaceAll('"', '""')}"`,
      port: String(SOCKET_PORT),
      ...(await writeServerConfig(dataDir, identity)),
    },
    passwordFile: undefined,
    close: () => rm(socketFolder, { recursive: true, force: true }),
  };
}

async function openPort(dataDir: string, identity: Identity): Promise<ListenAddress> {
  const passwordFile = join(dataDir, 'postgres-password');
  await writeFile(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600, flag: 'wx' }).catch(
    (error: unknown) => {
      // That of an earlier start is the one the cluster knows.
      if (errorCodeOf(error) !== 'EEXIST') throw error;
    },
  );
  const password = (await readFile(passwordFile, 'utf8')).trim();
  const port = await findFreePort();
  return {
    address: { url: portUrl(password, port) },
    settings: {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      port: String(port),
      ...(await writeServerConfig(dataDir, identity)),
    },
    passwordFile,
    close: async () => undefined,
  };
}

/** The URL of an embedded server that listens on a port. */
export function portUrl(password: string, port: number): string {
  const options = encodeURIComponent(CLIENT_OPTIONS);
  return `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${FIRST_DATABASE}?options=${options}`;
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
