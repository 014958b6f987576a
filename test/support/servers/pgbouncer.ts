import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostgresAddress } from '../../../src/platform/database/connect.ts';
import { startProxy } from './proxy.ts';

type SocketAddress = Exclude<PostgresAddress, { url: string }>;

/** A real PgBouncer with the settings of `deploy/pgbouncer.ini`, except its listen address and its users. */
export interface PgBouncer {
  /** The same server's, by way of the pooler. */
  address: SocketAddress;
  url: string;
  stop(): Promise<void>;
}

const EXAMPLE = join(import.meta.dirname, '../../../deploy/pgbouncer.ini');
/** The user for programs that refuse to run as root. */
export const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

export const hasPgBouncer = spawnSync('pgbouncer', ['--version']).status === 0;

/** Starts one in front of a server, for its database; for any of its databases with `all`. `size` connections to it at most. */
export async function startPgBouncer(server: SocketAddress, { all = false, size = 20 } = {}): Promise<PgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'campanile-pgbouncer-'));
  // Others may enter: the pooler is not who we are, and keeps its socket there.
  await chmod(folder, 0o777);
  // The server knows us by our socket; so what the pooler asks is carried there by us.
  const carried = await startProxy(() => ({ path: join(server.socketFolder, `.s.PGSQL.${server.port}`) }));
  const port = await findFreePort();
  const settings = (await readFile(EXAMPLE, 'utf8'))
    .replace(
      /^campanile = \S+ \S+ \S+/m,
      `${all ? '*' : server.database} = host=127.0.0.1 port=${carried.port} user=${server.user}`,
    )
    .replace('default_pool_size = 20', `default_pool_size = ${size}`)
    .replace('listen_port = 6432', `listen_port = ${port}\nunix_socket_dir = ${folder}`)
    .replace(/auth_type = .*\nauth_file = .*/, 'auth_type = any');
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, settings, { mode: 0o644 });
  const child = spawn('pgbouncer', [file], { ...NOBODY, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (piece: Buffer) => {
      said.push(piece.toString());
      if (said.join('').includes('process up')) resolve();
    });
    void ended.then(() => reject(new Error(`pgbouncer ended: ${said.join('')}`)));
  });
  const { user, database } = server;
  return {
    address: { socketFolder: folder, port, user, database },
    url: `postgres://${user}@127.0.0.1:${port}/${database}`,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      await carried.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A port that nobody on this machine listens on. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
