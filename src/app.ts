/** Wires the rooms to each other, as the configuration says. */
import { lookup } from 'node:dns/promises';
import { hostname } from 'node:os';
import type { FastifyInstance } from 'fastify';
import { prepareNumberChange } from './accounts/change-number.ts';
import { awaitResults } from './accounts/commands.ts';
import { linkAccount } from './accounts/link-account.ts';
import { unlinkAccount } from './accounts/unlink-account.ts';
import type { Config, Gap } from './config.ts';
import { prepareDashboard } from './dashboard.ts';
import { bringUpToDate } from './database/bring-up-to-date.ts';
import { connectDatabase, readPool, type Database, type PostgresAddress } from './database/connect.ts';
import { startEmbeddedPostgres } from './database/embedded.ts';
import { listenForHints, type Hints } from './database/listen.ts';
import { waitForDatabase } from './database/wait.ts';
import { watchDisk, type DiskWatch } from './database/watch-disk.ts';
import type { ReadMessages } from './groups/list-messages.ts';
import { createAuthenticate } from './http/edge/auth.ts';
import { listOperations } from './http/routes/operations.ts';
import { buildOperatorServer } from './http/edge/operator-server.ts';
import { buildServer, type HttpLimits } from './http/server.ts';
import { StartupError } from './lib/errors.ts';
import type { Log } from './lib/log.ts';
import { systemClock } from './lib/time.ts';
import type { Messenger, MessengerTraits } from './messenger/messenger.ts';
import { readMessages } from './messenger/sandbox/messages.ts';
import { SANDBOX } from './messenger/sandbox/traits.ts';
import { WHATSAPP } from './messenger/whatsapp/traits.ts';
import type { WhatsAppOptions } from './messenger/whatsapp/whatsapp.ts';
import { createMetrics, measureBacklog, measurePauses, measureShards, type Metrics } from './metrics.ts';
import { openMessengers } from './open-messengers.ts';
import { loadSecrets } from './secrets.ts';
import { createConverter, type Convert } from './text/convert-aside.ts';
import { createUserDependencies } from './users/dependencies.ts';
import { startWorker, type Worker } from './worker.ts';

/** Connections of each of two pools; each messenger has up to four more (docs/how-to/use-your-own-postgresql.md has the sums). */
const POOL_SIZE = 8;

/** What the messengers are like that an account can be for. */
const MESSENGERS = { sandbox: SANDBOX, whatsapp: WHATSAPP } satisfies Record<Config['messenger'], MessengerTraits>;

export interface App {
  /** Where it listens; undefined for a worker whose port was in use. */
  url: string | undefined;
  /** Resolves with the reason if the app cannot go on. */
  failed: Promise<string>;
  /** Stops accepting, finishes what is in hand, hands over what is held, and closes everything. */
  stop(): Promise<void>;
}

export interface AppOptions {
  /** Holds answers against their schemas, for tests. */
  checkAnswers?: boolean;
  /** Messengers to send through instead of those that come with the service; they are closed with the app. */
  messengers?: readonly Messenger[];
  /** For tests, which do not wait as long as one should for WhatsApp. */
  whatsappTiming?: WhatsAppOptions['timing'];
  /** For tests, with which the service may have to share its process. */
  httpLimits?: Partial<HttpLimits>;
}

/** Starts what `config.role` asks for. Throws a StartupError for whatever the operator has to change. */
export async function startApp(
  config: Config,
  log: Log,
  { checkAnswers = false, messengers, whatsappTiming, httpLimits = {} }: AppOptions = {},
): Promise<App> {
  const secrets = await loadSecrets(config);
  // Closed in the opposite order when the app stops, or does not start.
  const closing: Array<() => Promise<unknown>> = [];
  const stop = async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  };
  const dashboard = config.role === 'worker' ? undefined : prepareDashboard(log);
  if (dashboard) closing.push(() => dashboard.stop());
  try {
    const disk = watchDisk();
    const postgres =
      config.databaseUrl === undefined
        ? await startEmbeddedPostgres({ dataDir: config.dataDir, log, onDiskFull: disk.noteFull })
        : undefined;
    if (postgres) closing.push(() => postgres.stop());
    const address = postgres?.address ?? { url: config.databaseUrl ?? '' };
    const connect = (name: string) => {
      const pool = connectDatabase(address, { log, name, poolSize: POOL_SIZE, onError: disk.note });
      closing.push(() => pool.destroy());
      return pool;
    };
    const db = connect('campanile requests');
    const sendingDb = connect('campanile sending');
    await waitForDatabase(db, log);
    await bringUpToDate(address, log);
    const hints = listenForHints(address, { log });
    closing.push(() => hints.close());

    const shared: Shared = { config, log, db, sendingDb, disk, address, hints, metrics: createMetrics() };
    measureBacklog(shared.metrics.registry, { db, log });
    measurePauses(shared.metrics.registry, { db, log });
    const converter = createConverter();
    closing.push(() => converter.close());
    let worker: Worker | undefined;
    if (config.role !== 'api') {
      const open = messengers ?? openMessengers({ ...shared, ...secrets, whatsappTiming });
      for (const messenger of open) closing.push(() => messenger.close());
      worker = await startSending(shared, open, postgres !== undefined);
      closing.push(worker.stop);
      measureShards(shared.metrics.registry, worker.shardsHeld);
    }
    const server =
      worker && config.role === 'worker'
        ? buildWorkerServer(shared, worker)
        : await buildApi(shared, {
            jwtSecret: secrets.jwtSecret,
            dashboardFolder: await dashboard?.folder,
            checkAnswers,
            limits: httpLimits,
            convert: converter.convert,
          });
    closing.push(() => server.close());
    const url = await (config.role === 'worker' ? listenIfFree(server, config, log) : listen(server, config));
    return { url, stop, failed: postgres ? postgres.exited : new Promise(() => {}) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What both halves of the process share. */
interface Shared {
  config: Config;
  log: Log;
  /** For requests, health and metrics. */
  db: Database;
  /** For whatever the worker does, so that no flood of requests can take it. */
  sendingDb: Database;
  disk: DiskWatch;
  address: PostgresAddress;
  hints: Hints;
  metrics: Metrics;
}

function startSending(
  { config, log, sendingDb, hints, metrics }: Shared,
  messengers: readonly Messenger[],
  alone: boolean,
): Promise<Worker> {
  return startWorker({
    db: sendingDb,
    log,
    hints,
    messengers: new Map(messengers.map((messenger) => [messenger.name, messenger])),
    gaps: gapsOf(config),
    timeZone: config.timeZone,
    retentionDays: config.retentionDays,
    name: `${hostname()}:${process.pid}`,
    // An embedded server was started by this process: whoever worked on it before is gone.
    alone,
    onOutcome: metrics.countOutcome,
    onRetry: metrics.countRetry,
    onFirstTry: metrics.observeFirstTry,
    onLoopError: metrics.countLoopError,
  });
}

function buildApi(
  { config, log, db, disk, hints, metrics }: Shared,
  {
    jwtSecret,
    dashboardFolder,
    checkAnswers,
    limits,
    convert,
  }: {
    jwtSecret: string;
    dashboardFolder: string | undefined;
    checkAnswers: boolean;
    limits: Partial<HttpLimits>;
    convert: Convert;
  },
): Promise<FastifyInstance> {
  const messengers = new Map<string, MessengerTraits>(Object.entries(MESSENGERS));
  const users = createUserDependencies({
    db,
    log,
    clock: systemClock,
    jwtSecret,
    signUp: config.signUp,
    timeZone: config.timeZone,
    hints,
    bornWithUser: (trx, workspaceId) => linkAccount(trx, workspaceId, MESSENGERS[config.messenger]),
    diesWithUser: unlinkAccount,
    allowsNumber: (trx, actor, number) => prepareNumberChange(trx, actor, { number, messengers }),
  });
  const readInSandbox: ReadMessages = (accountId, chatId, page) => readMessages(db, accountId, chatId, page);
  return buildServer({
    operations: listOperations({
      ...users,
      convert,
      gaps: gapsOf(config),
      waiters: awaitResults(hints),
      messengers,
      readMessages: new Map([[SANDBOX.name, readInSandbox]]),
    }),
    events: { db, clock: systemClock, hints, onLoopError: metrics.countLoopError },
    authenticate: createAuthenticate(users),
    readyChecks: { database: () => disk.check(db) },
    isDiskFull: disk.isFull,
    readPool: () => readPool(db),
    metrics: metrics.registry,
    log,
    dashboard: dashboardFolder === undefined ? undefined : { folder: dashboardFolder, users },
    settings: config,
    limits,
    checkAnswers,
  });
}

/** The pace of each messenger's accounts. */
function gapsOf({ sandboxGap, whatsappGap }: Config) {
  return { sandbox: gapOf(SANDBOX, sandboxGap), whatsapp: gapOf(WHATSAPP, whatsappGap) };
}

/** Without any gap a turn would hold hundreds of posts. */
function gapOf({ sendsOneByOne }: MessengerTraits, { minMs, maxMs }: Gap): Gap {
  return { minMs, maxMs: sendsOneByOne ? Math.max(1, maxMs) : maxMs };
}

function buildWorkerServer({ config, log, db, disk, metrics }: Shared, worker: Worker): FastifyInstance {
  return buildOperatorServer({
    readyChecks: { database: () => disk.check(db), lease: worker.checkLease },
    isDiskFull: disk.isFull,
    metrics: metrics.registry,
    log,
    settings: config,
  });
}

/** What a worker does must not depend on a port that somebody else has: it then goes without. */
async function listenIfFree(server: FastifyInstance, config: Config, log: Log): Promise<string | undefined> {
  try {
    return await listen(server, config);
  } catch (error) {
    if (!(error instanceof PortInUseError)) throw error;
    log.warn(`${error.message}. This worker sends without health and metrics until it is started again`);
    return undefined;
  }
}

class PortInUseError extends StartupError {}

async function listen(server: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    // Where a name has two addresses Fastify adds a second server, which has none of our handlers and does not close gracefully.
    const { address } = await lookup(host);
    return await server.listen({ host: address, port });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'EADDRINUSE')
      throw new PortInUseError(
        `Port ${port} on ${host} is in use: stop what listens there, or set PORT to another one`,
        error,
      );
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new StartupError(
        `Cannot listen on ${host}:${port} (${code}): set HOST and PORT to an address of this machine`,
        error,
      );
    throw error;
  }
}
