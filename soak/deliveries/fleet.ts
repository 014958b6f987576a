import { mkdtemp, rm } from 'node:fs/promises';
import type { NetConnectOpts } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from '../../src/platform/time/time.ts';
import { mayMount, mountDisk, unmountDisk } from '../../test/support/servers/own-disk.ts';
import { ownPostgres, proxiedUrl, type OwnPostgres } from '../../test/support/servers/own-postgres.ts';
import { startProxy, type Proxy } from '../../test/support/servers/proxy.ts';
import { startService, type Service } from '../../test/support/service/service.ts';
import { ENTRY, SECRETS } from '../../test/witness/start-worker.ts';
import { startWitness, type Witness } from '../../test/witness/start-witness.ts';
import { createClock } from './database-faults.ts';
import { LedgerClock } from './ledger-clock.ts';

/** A process of the service, started again whenever it has ended. */
export interface Unit {
  role: 'api' | 'worker';
  /** The process of the moment. */
  service(): Service;
  /** Between it and the database. */
  network: Proxy;
  /** Ends the process by `end`, which resolves when it has ended, and starts another after a while. */
  replace(end: (service: Service) => Promise<unknown>, pauseMs: number): Promise<void>;
  /** Ends it for good; resolves to the exit code. */
  stop(): Promise<number | null>;
}

/** Where the database is that processes share. */
export interface Server {
  user: string;
  database: string;
  /** Where it listens at the moment. */
  socket(): NetConnectOpts;
}

/** A fleet with a PostgreSQL server of its own. */
export interface Fleet extends Units {
  postgres: OwnPostgres;
  /** Whether its data is on a separate disk that can be filled. */
  hasOwnDisk: boolean;
}

/** Two APIs and three workers, each behind a network of its own, and a witness. */
export interface Units {
  units: readonly Unit[];
  clock: LedgerClock;
  witness: Witness;
  /** Where APIs listen just now. */
  urls(): string[];
  /** What nobody asked for: processes that ended by themselves once they were started. */
  unaskedEnds: string[];
  /** Starts that failed and were tried again, as while the database is away. */
  failedStarts(): number;
  /** The last words of each process, for whoever looks into a fault. */
  logs(): string;
  stop(): Promise<{ uncleanStops: number }>;
}

export interface FleetOptions {
  seed: number;
  /** The pause between two sends of an account that is paced. */
  gap: string;
  /** How the database writes; the least durable unless given. */
  settings?: Record<string, string>;
}

const START_AGAIN_MS = 300;
const DISK_MEGABYTES = 1_500;

export async function startFleet({ settings = {}, ...options }: FleetOptions): Promise<Fleet> {
  const server = await mkdtemp(join(tmpdir(), 'campanile-soak-server-'));
  const undo = new AsyncDisposableStack();
  undo.defer(() => rm(server, { recursive: true, force: true, maxRetries: 5 }));
  try {
    const hasOwnDisk = mayMount && mountDisk(server, DISK_MEGABYTES);
    if (hasOwnDisk) undo.defer(() => unmountDisk(server));
    const postgres = ownPostgres(server, settings);
    await postgres.start();
    undo.defer(() => postgres.end('fast'));
    const { user, database } = postgres.address();
    const fleet = await startUnits({ user, database, socket: () => postgres.socket() }, options);
    await createClock(postgres);
    return {
      ...fleet,
      postgres,
      hasOwnDisk,
      async stop() {
        const stopped = await fleet.stop();
        await undo.disposeAsync();
        return stopped;
      },
    };
  } catch (error) {
    await undo.disposeAsync();
    throw error;
  }
}

/** Starts them in front of a server that somebody else looks after. */
export async function startUnits(server: Server, { seed, gap }: Pick<FleetOptions, 'seed' | 'gap'>): Promise<Units> {
  const folder = await mkdtemp(join(tmpdir(), 'campanile-soak-'));
  const undo = new AsyncDisposableStack();
  undo.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  try {
    const witness = await startWitness(seed);
    undo.defer(witness.stop);
    const unaskedEnds: string[] = [];
    let failedStarts = 0;
    const logs = new Map<string, string>();
    const roles = ['api', 'api', 'worker', 'worker', 'worker'] as const;
    const starting = roles.map((role, index) =>
      startUnit({
        role,
        folder: join(folder, `${role}-${index}`),
        server,
        environment: { WITNESS_PORT: String(witness.port), WHATSAPP_GAP_MS: gap },
        onFailedStart: () => (failedStarts += 1),
        onUnaskedEnd: (words) => unaskedEnds.push(`${role}: ${words}`),
        onEnd: (words) => logs.set(`${role} ${index}`, words),
      }),
    );
    const units = await Promise.all(starting);
    for (const unit of units) undo.defer(() => unit.network.close());
    for (const unit of units) undo.defer(() => unit.service().kill());
    return {
      units,
      clock: new LedgerClock(),
      witness,
      urls: () => units.filter(({ role }) => role === 'api').map((unit) => unit.service().url),
      unaskedEnds,
      failedStarts: () => failedStarts,
      logs: () => [...logs].map(([name, words]) => `── ${name}\n${words}`).join('\n'),
      async stop() {
        const codes = await Promise.all(units.map((unit) => unit.stop()));
        await undo.disposeAsync();
        return { uncleanStops: codes.filter((code) => code !== 0).length };
      },
    };
  } catch (error) {
    await undo.disposeAsync();
    throw error;
  }
}

interface UnitOptions {
  role: Unit['role'];
  folder: string;
  server: Server;
  environment: Record<string, string>;
  onFailedStart: () => void;
  onUnaskedEnd: (words: string) => void;
  onEnd: (words: string) => void;
}

const LAST_LINES = 4_000;

async function startUnit(options: UnitOptions): Promise<Unit> {
  const { role, folder, server } = options;
  const network = await startProxy(() => server.socket());
  const environment = {
    ROLE: role,
    DATABASE_URL: proxiedUrl(network.port, server),
    ...SECRETS,
    // The database is new, and processes that start together would back it up between two migrations.
    BACKUP_BEFORE_UPGRADE: 'false',
    ...options.environment,
  };
  let asked: Service | undefined;

  async function startOnce(): Promise<Service> {
    const service = await startService({ folder, environment, entry: ENTRY });
    void service.ended.then((code) => {
      options.onEnd(service.log().slice(-LAST_LINES));
      if (asked === service) return;
      options.onUnaskedEnd(`exit code ${code}: ${service.log().slice(-LAST_LINES)}`);
      void start().then((next) => (current = next));
    });
    return service;
  }

  /** Whoever looks after processes starts one again that could not start. */
  async function start(): Promise<Service> {
    for (;;) {
      try {
        return await startOnce();
      } catch {
        options.onFailedStart();
        await sleep(START_AGAIN_MS);
      }
    }
  }

  // Before any harm is done nothing excuses a failure.
  let current = await startOnce();
  return {
    role,
    network,
    service: () => current,
    async replace(end, pauseMs) {
      asked = current;
      await end(current);
      await sleep(pauseMs);
      current = await start();
    },
    stop() {
      asked = current;
      return current.stop();
    },
  };
}
