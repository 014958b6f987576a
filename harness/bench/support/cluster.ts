import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execute, sql, type Database } from '../../../src/platform/database/statements.ts';
import { connectDatabase, type PostgresAddress } from '../../../src/platform/database/connect.ts';
import { startEmbeddedPostgres } from '../../../src/platform/database/embedded/embedded.ts';
import { createLog, type Log } from '../../../src/platform/log/log.ts';

type SocketAddress = Exclude<PostgresAddress, { url: string }>;

/** One PostgreSQL server for all contenders, with the settings it has in production. */
export interface Cluster extends AsyncDisposable {
  log: Log;
  /** Runs `use` on an empty database of its own, which is removed afterwards. */
  withDatabase<Result>(use: (database: EmptyDatabase) => Promise<Result>): Promise<Result>;
}

export interface EmptyDatabase {
  address: SocketAddress;
  /** The same address as a URL, for other programs. */
  url: string;
  /** For the bench itself: preparing and looking, not what is measured. */
  db: Database;
}

let databases = 0;

/** Starts the embedded server in a new folder of the system's folder for temporary files, which is removed when the cluster is disposed of. */
export async function startCluster(): Promise<Cluster> {
  const dataDir = await mkdtemp(join(tmpdir(), 'campanile-bench-'));
  const log = createLog(process.env['LOG_LEVEL'] ?? 'warn');
  await using undo = new AsyncDisposableStack();
  undo.defer(() => rm(dataDir, { recursive: true, force: true }));
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  undo.defer(postgres.stop);
  const { address } = postgres;
  if ('url' in address) throw new Error('the benches need a server on a Unix socket');
  const server = connectDatabase(address, { log, poolSize: 1 });
  undo.defer(() => server.destroy());
  const started = undo.move();
  return {
    log,
    withDatabase: (use) => withDatabase(server, address, log, use),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

async function withDatabase<Result>(
  server: Database,
  serverAddress: SocketAddress,
  log: Log,
  use: (database: EmptyDatabase) => Promise<Result>,
): Promise<Result> {
  const name = `bench_${++databases}`;
  await execute(server)`create database ${sql.id(name)}`;
  const address = { ...serverAddress, database: name };
  // Preparing a bench rightly takes long.
  const db = connectDatabase(address, { log, poolSize: 2, name: 'bench', silenceMs: Infinity });
  // What a failure leaves connected is no reason to tell another one.
  let ending = 'with (force)';
  try {
    const result = await use({ address, url: urlOf(address), db });
    ending = '';
    return result;
  } finally {
    await db.destroy();
    // Waits for connections that are just closing; one that was forgotten makes it fail.
    await execute(server)`drop database ${sql.id(name)} ${sql.raw(ending)}`;
  }
}

function urlOf({ socketFolder, port, user, database }: SocketAddress): string {
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(socketFolder)}&port=${port}`;
}

/** Makes every contender begin alike: what was written before is on the disk, and the planner knows the tables. */
export async function settle(db: Database): Promise<void> {
  await execute(db)`vacuum analyze`;
}
