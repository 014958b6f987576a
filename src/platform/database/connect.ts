import { Socket } from 'node:net';
import { Kysely, sql } from 'kysely';
import pg from 'pg';
import type { ConnectionUrl } from '../config/config.ts';
import { DatabaseConnectError } from '../errors/database-errors.ts';
import type { Log } from '../log/log.ts';
import { assertReplicatedCommits } from './replicated-commits.ts';
import type { Schema } from './schema.ts';
import { shareConnections, type ConnectionShares } from './share-connections.ts';
import type { Connection, Database } from './statements.ts';
import { NotifyingDialect } from './notify-after-commit.ts';

/** The server ends a transaction that is idle for so long: before the lease of the frozen process runs out. */
const FROZEN_MS = 8_000;

/** A connection over which nothing has come or gone for so long is given up, also with a statement under way. */
const SILENCE_MS = 10_000;
/**
 * After this fraction of the time the server cancels the statement, so that an abandoned statement has ended
 * (docs/explanation/decisions/0015).
 */
const ENDED_AFTER = 0.8;
/** An idle connection is closed in order before that. */
const IDLE_MS = 8_000;
/** A new connection is given up after so long. */
const CONNECT_MS = 5_000;
/** TCP keepalive: detects a dead peer on a connection that may be silent for long. */
const KEEP_ALIVE_MS = 10_000;

/**
 * Limits of a session. `statement_timeout`: none for Infinity, since behind a pooler other clients share the session.
 * `idle_in_transaction_session_timeout`: detects a process that froze within a transaction. `tcp_user_timeout`: detects a peer that
 * acknowledges no data; ignored over Unix sockets and on systems without it.
 */
const sessionTimeouts = (silenceMs: number) => ({
  ...(Number.isFinite(silenceMs) && { statement_timeout: Math.floor(silenceMs * ENDED_AFTER) }),
  idle_in_transaction_session_timeout: FROZEN_MS,
  tcp_user_timeout: SILENCE_MS,
});

const INT8 = 20;
const INT8_ARRAY = 1016;
const DATE = 1082;
const DATE_ARRAY = 1182;

// Ids and counts stay far below 2^53, so an int8 is a number everywhere; a date is the text it is in SQL, without a zone.
const types = new pg.TypeOverrides();
types.setTypeParser(INT8, Number);
types.setTypeParser(DATE, (text) => text);
types.setTypeParser(INT8_ARRAY, (text) => splitArray(text).map(Number));
types.setTypeParser(DATE_ARRAY, splitArray);

/** `{1,2,3}`: none of our arrays of ids or dates holds a null. */
function splitArray(text: string): string[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',');
}

/** How to reach a PostgreSQL server: a `postgres://` URL, or the folder of a Unix socket. */
export type PostgresAddress =
  | { readonly url: string }
  | {
      socketFolder: string;
      port: number;
      user: string;
      database: string;
      /** Sent when a connection starts: not through a pooler, which rejects them. */
      options?: string;
    };

/** Returns the address of a URL, whose file is read whenever `url` is. */
export function addressOf(url: ConnectionUrl): PostgresAddress {
  if (typeof url === 'string') return { url };
  return {
    get url() {
      return url();
    },
  };
}

/** The `pg` settings of an address, as of now. Throws if its URL, or a certificate that this names, cannot be read. */
export function connectionSettings(address: PostgresAddress): pg.ClientConfig {
  const settings =
    'url' in address
      ? { connectionString: address.url }
      : {
          host: address.socketFolder,
          port: address.port,
          user: address.user,
          database: address.database,
          ...(address.options !== undefined && { options: address.options }),
        };
  return {
    ...settings,
    types,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  };
}

/**
 * A connection with the settings of its address as of now, so that a changed password or certificate needs no restart. A failure to
 * connect, for any cause, is a DatabaseConnectError. The constructor never throws: a throw within the pool would end the process.
 */
export class DatabaseClient extends pg.Client {
  constructor(address: PostgresAddress, options: pg.ClientConfig = {}) {
    super(readSettings(address, options));
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<this> | void {
    if (callback) return super.connect((error: Error) => callback(error && new DatabaseConnectError(error)));
    return super.connect().then(
      () => this,
      (error: unknown) => Promise.reject(new DatabaseConnectError(error)),
    );
  }
}

function readSettings(address: PostgresAddress, options: pg.ClientConfig): pg.ClientConfig {
  try {
    const settings = connectionSettings(address);
    // It parses the URL and reads the certificates. It opens nothing.
    void new pg.Client(settings);
    return { ...options, ...settings };
  } catch (error) {
    return { ...options, stream: () => brokenSocket(error) };
  }
}

/** A socket that fails to connect. */
function brokenSocket(cause: unknown): Socket {
  const socket = new Socket();
  const error = cause instanceof Error ? cause : new Error(String(cause));
  return Object.assign(socket, { connect: () => socket.destroy(error) });
}

/** The use of a pool. */
export interface PoolUse {
  inUse: number;
  /** Number of requests that wait for a connection. */
  waiting: number;
}

const pools = new WeakMap<Connection, () => PoolUse>();

/** Returns the use of the pool that `connectDatabase` opened for `db`. */
export function readPool(db: Database): PoolUse {
  return pools.get(db)?.() ?? { inUse: 0, waiting: 0 };
}

export interface PoolOptions {
  log: Log;
  poolSize?: number;
  /** Shares the pool fairly among requesters; first come, first served unless given. */
  shares?: ConnectionShares | undefined;
  /** The `application_name`, for operators who look at the server's connections. */
  name?: string;
  /**
   * A connection that is silent for so long counts as broken, and the server cancels a statement a little before. Infinity for statements
   * that may take long.
   */
  silenceMs?: number;
  /** Called with the error of each failed statement. */
  onError?: ((error: unknown) => void) | undefined;
}

/**
 * Opens a pool. Connections are made when first needed, so this succeeds even while the server is away. A network that carries
 * nothing any more, and does not say so, breaks a connection after 10 s: nothing waits for it longer (docs/explanation/decisions/0015).
 */
export function connectDatabase(
  address: PostgresAddress,
  { log, poolSize = 10, shares, name = 'campanile', silenceMs = SILENCE_MS, onError }: PoolOptions,
): Database {
  const pool = new pg.Pool({
    Client: class extends DatabaseClient {
      constructor(options?: pg.ClientConfig) {
        super(address, options);
      }
    },
    connectionTimeoutMillis: CONNECT_MS,
    ...(Number.isFinite(silenceMs) && { stream: () => openSocket(silenceMs) }),
    max: poolSize,
    application_name: name,
    idleTimeoutMillis: IDLE_MS,
  });
  // A connection that breaks says so by an event, and an event nobody handles ends the process. The pool listens to idle ones
  // only; the rest of the time, as between two statements of a transaction, we have to. Only the message goes into the log: pg
  // hangs the whole connection on the error, its settings and keys included.
  pool.on('connect', (client) =>
    client.on('error', (error) => {
      // The pool says it has ended before the server has noticed, which may end first.
      if (!pool.ending) log.warn({ reason: error.message }, 'a database connection broke');
    }),
  );
  pool.on('error', () => undefined);
  const shared = shares && shareConnections(pool, shares);
  const db = new Kysely<Schema>({
    dialect: new NotifyingDialect(
      // The settings are not among the start-up options, which poolers refuse.
      { pool: assertReplicatedCommits(shared ?? pool, sessionTimeouts(silenceMs)) },
      { pool, log },
    ),
    ...(onError && {
      log(event) {
        if (event.level === 'error') onError(event.error);
      },
    }),
  });
  pools.set(db, () => ({
    inUse: pool.totalCount - pool.idleCount,
    waiting: pool.waitingCount + (shared?.waiting() ?? 0),
  }));
  return db;
}

/** TLS, where the server wants it, is laid over this socket, and counts as its traffic. */
function openSocket(silenceMs: number): Socket {
  const socket = new Socket();
  socket.setTimeout(silenceMs, () => {
    const error = new Error(`the database has said nothing for ${silenceMs} ms`);
    socket.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
  });
  return socket;
}

/** Resolves when the server answers a trivial query; throws otherwise. */
export async function pingDatabase(db: Connection): Promise<void> {
  await sql`select 1`.execute(db);
}
