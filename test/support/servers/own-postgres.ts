import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { NetConnectOpts } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPackage, prepareBinaries } from '../../../src/platform/database/embedded/binaries.ts';
import { openListenAddress } from '../../../src/platform/database/embedded/listen-address.ts';
import { chooseIdentity } from '../../../src/platform/database/embedded/run-as-user.ts';
import { startServer } from '../../../src/platform/database/embedded/server.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../../src/platform/database/embedded/embedded.ts';
import type { PostgresAddress } from '../../../src/platform/database/connect.ts';
import { createLog } from '../../../src/platform/log/log.ts';

/** How a server is stopped: fast shutdown, immediate shutdown, or SIGKILL. */
export type ServerEnd = 'fast' | 'immediate' | 'kill -9';

/** A private PostgreSQL server, which can be stopped and restarted. */
export interface OwnPostgres {
  folder: string;
  address(): Exclude<PostgresAddress, { url: string }>;
  /** Its address, for a proxy. */
  socket(): NetConnectOpts;
  end(how: ServerEnd): Promise<void>;
  start(): Promise<void>;
  /** Starts it as a replica, which the embedded server never is. Resolves once it is promoted. */
  startReplica(settings?: Record<string, string>): Promise<void>;
  /** Stops it and removes its files. */
  remove(): Promise<void>;
}

/** Starts a new server without fsync: only processes crash in tests, never the machine. */
export async function startOwnPostgres(settings: Record<string, string> = {}): Promise<OwnPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'campanile-pg-'));
  const postgres = ownPostgres(folder, settings);
  await postgres.start();
  return postgres;
}

/** Returns a server with its files in `folder`, not yet started. */
export function ownPostgres(folder: string, settings: Record<string, string> = {}): OwnPostgres {
  let server: EmbeddedPostgres | undefined;

  function address() {
    if (!server || 'url' in server.address) throw new Error('a server on a Unix socket is needed, and running');
    return server.address;
  }

  async function end(how: ServerEnd) {
    if (!server) return;
    const ending = server;
    if (how !== 'fast') {
      process.kill(serverPid(folder), how === 'immediate' ? 'SIGQUIT' : 'SIGKILL');
      await ending.exited;
    }
    await ending.stop();
  }

  return {
    folder,
    address,
    socket() {
      const { socketFolder, port } = address();
      return { path: join(socketFolder, `.s.PGSQL.${port}`) };
    },
    end,
    async start() {
      const all = { fsync: 'off', ...settings };
      server = await startEmbeddedPostgres({
        dataDir: folder,
        log: createLog('silent'),
        settings: all,
        restart: false,
      });
    },
    async startReplica(replication = {}) {
      server = await launchReplica(folder, { fsync: 'off', ...settings, ...replication });
    },
    async remove() {
      await end('fast');
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function launchReplica(dataDir: string, settings: Record<string, string>): Promise<EmbeddedPostgres> {
  const cluster = join(dataDir, 'postgres');
  await writeFile(join(cluster, 'standby.signal'), '');
  const identity = await chooseIdentity(dataDir, cluster);
  const binaries = await prepareBinaries(findPackage(), identity);
  const door = await openListenAddress(dataDir, identity);
  const all = { ...settings, ...door.settings };
  const log = createLog('silent');
  const { exited, stop } = await startServer({ cluster, dataDir, settings: all, log }, binaries, identity);
  return {
    address: door.address,
    exited,
    async stop() {
      await stop();
      await door.close();
    },
  };
}

/** Returns the process id of the server with its files in `folder`. */
export function serverPid(folder: string): number {
  return Number.parseInt(readFileSync(join(folder, 'postgres/postmaster.pid'), 'utf8'), 10);
}

/** Returns the URL of a database behind a proxy on this machine. */
export function proxiedUrl(port: number, { user, database }: { user: string; database: string }): string {
  return `postgres://${user}@127.0.0.1:${port}/${database}`;
}
