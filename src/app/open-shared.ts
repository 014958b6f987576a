import { backUpBeforeUpgrade } from '../operations/backup/back-up-before-upgrade.ts';
import type { Config } from '../platform/config/config.ts';
import { migrateDatabase } from '../platform/database/migrate-database.ts';
import { addressOf, connectDatabase, type PostgresAddress } from '../platform/database/connect.ts';
import type { Connection, Database } from '../platform/database/statements.ts';
import { checkNewConnections } from '../platform/database/check-new-connections.ts';
import { startEmbeddedPostgres } from '../platform/database/embedded/embedded.ts';
import { listenForNotifications, type Notifications } from '../platform/database/listen.ts';
import { REQUEST_SHARES, type ConnectionShares } from '../platform/database/share-connections.ts';
import { waitForDatabase } from '../platform/database/wait.ts';
import { watchDisk, type DiskWatch } from '../platform/database/watch-disk.ts';
import { watchEpoch } from '../platform/database/watch-epoch.ts';
import type { OnLoopError } from '../platform/concurrency/failure-streak.ts';
import { createHealth, watchLoops, type Health } from '../platform/concurrency/health.ts';
import type { Log } from '../platform/log/log.ts';
import { readVersion } from '../platform/config/version.ts';
import type { Phase } from './answer-while-starting.ts';
import { measureWebhooks } from '../operations/measure-webhooks.ts';
import {
  createMetrics,
  measureAccounts,
  measureBacklog,
  measureClientVersion,
  measureQuarantine,
  measureStore,
  measureWaits,
  type Metrics,
} from '../operations/metrics.ts';

/** Connections of each of two pools; a third one has one, and each messenger has up to four more (docs/how-to/use-your-own-postgresql.md has the sums). */
const POOL_SIZE = 8;

/** The shared parts of the API and the worker. */
export interface Shared {
  config: Config;
  log: Log;
  /** For requests and metrics; requesters share it fairly. */
  db: Database;
  /** For the worker, so that a flood of requests cannot take its connections. */
  sendingDb: Database;
  /** For health checks, so that a flood of requests does not make the service look dead. */
  healthDb: Database;
  /** Throws if the database does not answer, cannot write, or rejects new connections. */
  checkDatabase: () => Promise<void>;
  disk: DiskWatch;
  address: PostgresAddress;
  notifications: Notifications;
  metrics: Metrics;
  /** The problems that keep this process from being ready. */
  health: Health;
  onLoopError: OnLoopError;
}

/** Opens the database and everything else that all parts of the service share. `closing` closes it. */
export async function openShared(
  config: Config,
  log: Log,
  { closing, setPhase }: { closing: Array<() => Promise<unknown>>; setPhase: (phase: Phase) => void },
): Promise<{ shared: Shared; failed: Promise<string> }> {
  const disk = watchDisk({
    folder: config.databaseUrl === undefined ? config.dataDir : undefined,
    floorBytes: config.diskFloorBytes,
  });
  const postgres =
    config.databaseUrl === undefined
      ? await startEmbeddedPostgres({ dataDir: config.dataDir, log, onDiskFull: disk.reportDiskFull })
      : undefined;
  if (postgres) closing.push(() => postgres.stop());
  const address = postgres?.address ?? addressOf(config.databaseUrl ?? '');
  const connect = (
    name: string,
    { poolSize = POOL_SIZE, shares }: { poolSize?: number; shares?: ConnectionShares } = {},
  ) => {
    const pool = connectDatabase(address, { log, name, poolSize, shares, onError: disk.recordError });
    closing.push(() => pool.destroy());
    return pool;
  };
  const db = connect('campanile requests', { shares: REQUEST_SHARES });
  const sendingDb = connect('campanile sending');
  const healthDb = connect('campanile health', { poolSize: 1 });
  await waitForDatabase(db, log);
  setPhase('migrating');
  await migrateDatabase(address, log, backUpFor(config, address, log));
  setPhase('starting');
  const { databaseListenUrl } = config;
  const notifications = listenForNotifications(
    databaseListenUrl === undefined ? address : addressOf(databaseListenUrl),
    { log },
  );
  closing.push(() => notifications.close());

  const metrics = createMetrics();
  measureBacklog(metrics.registry, { db, log });
  measureAccounts(metrics.registry, { db, log });
  measureWaits(metrics.registry, { db, log });
  measureClientVersion(metrics.registry, { db, log });
  measureWebhooks(metrics.registry, { db, log });
  measureStore(metrics.registry, { db, log, folder: postgres && config.dataDir });
  measureQuarantine(metrics.registry, { db, log });
  const health = createHealth();
  const watchLoop = watchLoops(health);
  const onLoopError: OnLoopError = (loop, streak) => {
    metrics.countLoopError(loop);
    watchLoop(loop, streak);
  };
  const epoch = await watchEpoch(healthDb, { log, onLoopError });
  closing.push(epoch.stop);
  const own = { config, log, disk, address, notifications, metrics, health, onLoopError };
  const checkConnections = checkNewConnections(address, { log });
  const checkDatabase = async () => {
    await checkConnections();
    await disk.check(healthDb);
  };
  const shared: Shared = { ...own, db, sendingDb, healthDb, checkDatabase };
  const failed = Promise.race([epoch.superseded, ...(postgres ? [postgres.exited] : [])]);
  return { shared, failed };
}

/** Undefined: the operator has said that none is to be made. */
function backUpFor(config: Config, address: PostgresAddress, log: Log) {
  if (!config.backUpBeforeUpgrade) return undefined;
  const { backup: settings, dataDir, databaseUrl } = config;
  const { version } = readVersion();
  return (db: Connection) =>
    backUpBeforeUpgrade(db, { settings, address, isEmbedded: databaseUrl === undefined, dataDir, version, log });
}
