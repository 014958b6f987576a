import { join } from 'node:path';
import type { Log } from '../../log/log.ts';
import type { PostgresAddress } from '../connect.ts';
import { findPackage, prepareBinaries } from './binaries.ts';
import { prepareCluster } from './cluster.ts';
import { removeForeignConfig } from './config.ts';
import { openListenAddress } from './listen-address.ts';
import { folderError, prepareFolder } from './folder.ts';
import { chooseIdentity } from './run-as-user.ts';
import { stopOrphanedServer } from './orphaned-server.ts';
import { lockFolder } from './lock.ts';
import { superviseServer } from './restart.ts';
import { startServer } from './server.ts';

/** A PostgreSQL server that belongs to this process. */
export interface EmbeddedPostgres {
  address: PostgresAddress;
  /** Shuts the server down (10 s for its own way, then by force) and frees DATA_DIR. May be called more than once. */
  stop(): Promise<void>;
  /** Resolves with the reason when the server has ended although nobody called `stop`, and does not come back. */
  exited: Promise<string>;
}

export interface EmbeddedOptions {
  dataDir: string;
  log: Log;
  /** The npm package of another PostgreSQL than the one that comes along. */
  packageFolder?: string;
  /** PostgreSQL settings that replace ours. With `fsync: 'off'` creating the cluster does not wait for the disk either. */
  settings?: Record<string, string>;
  /** False never uses a user namespace, as on systems that forbid them; it only matters to root. */
  userNamespaces?: boolean;
  /** Called for each time the server says that the disk is full. */
  onDiskFull?: () => void;
  /** False leaves a server that ends by itself alone; else it is started again at the same address, a few times. */
  restart?: boolean;
}

/**
 * Starts the server whose files are in `dataDir`/postgres, creating them the first time, and stops one that a crash left there.
 * Call it from the main thread: on Linux the server ends with the thread that started it. Throws a StartupError that says what to
 * change: DATA_DIR is in use, of no use or full, or PostgreSQL cannot be run here.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { packageFolder = findPackage() } = options;
  const dataDir = await prepareFolder(options.dataDir);
  const undo = new AsyncDisposableStack();
  try {
    undo.defer((await lockFolder(dataDir)).release);
    return await start({ ...options, dataDir }, packageFolder, undo);
  } catch (error) {
    await undo.disposeAsync();
    throw folderError(error, dataDir);
  }
}

/** Pushes a cleanup onto `undo` for everything that it starts, in that order. */
async function start(
  { dataDir, log, settings = {}, userNamespaces = true, restart = true, onDiskFull }: EmbeddedOptions,
  packageFolder: string,
  undo: AsyncDisposableStack,
): Promise<EmbeddedPostgres> {
  const startedAt = performance.now();
  const cluster = join(dataDir, 'postgres');
  const identity = await chooseIdentity(dataDir, cluster, { userNamespaces });
  const binaries = await prepareBinaries(packageFolder, identity);
  await stopOrphanedServer(cluster, log);
  const listenAddress = await openListenAddress(dataDir, identity);
  undo.defer(listenAddress.close);
  const created = await prepareCluster(cluster, binaries, identity, {
    passwordFile: listenAddress.passwordFile,
    durable: settings['fsync'] !== 'off',
  });
  const all = { ...settings, ...listenAddress.settings };
  const run = async () => {
    await removeForeignConfig(cluster, log);
    return startServer({ cluster, dataDir, log, settings: all, onDiskFull }, binaries, identity);
  };
  const runAgain = async () => {
    await stopOrphanedServer(cluster, log);
    return run();
  };
  const first = await run();
  const server = restart ? superviseServer(first, runAgain, log) : first;
  undo.defer(server.stop);
  log.info({ pid: first.pid, created, ms: Math.round(performance.now() - startedAt) }, 'PostgreSQL is ready');
  let stopped: Promise<void> | undefined;
  return { address: listenAddress.address, exited: server.exited, stop: () => (stopped ??= undo.disposeAsync()) };
}
