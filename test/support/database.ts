import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, inject } from 'vitest';
import { connectDatabase, type PostgresAddress } from '../../src/platform/database/connect.ts';
import type { Database } from '../../src/platform/database/statements.ts';
import { REQUEST_SHARES } from '../../src/platform/database/share-connections.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { TEMPLATE } from './run/postgres.ts';

/** A migrated, empty database for one test file. */
export interface TestDatabase {
  db: Database;
  /** For further pools and processes on the same database; they share the clock too. */
  address: PostgresAddress;
  clock: TestClock;
  /** The state folder of processes that send from it; not created yet. */
  stateDir: string;
  /** Closes `db`, disconnects all other clients and drops the database. */
  drop(): Promise<void>;
}

/** The clock of `campanile_now()`: real time plus a shift. A change takes effect with the next transaction. */
export interface TestClock {
  /** Advances the clock by milliseconds or by a duration of at most days: `{ days: 1, minutes: 5 }`. */
  advance(by: number | Temporal.DurationLike): Promise<void>;
  /** Sets the clock to an instant, from which it keeps running. */
  set(instant: Temporal.Instant | Date | string): Promise<void>;
  now(): Promise<Date>;
}

/** Creates a database for one test file from the template of the run. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const database = await createDatabase(TEMPLATE);
  return { ...database, clock: createClock(database.db) };
}

/** `createTestDatabase` at the beginning of a test file, for all of its tests: drops the database after them. */
export async function useTestDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  afterAll(() => database.drop());
  return database;
}

/** Creates an empty database without the schema. */
export function createEmptyDatabase(): Promise<Omit<TestDatabase, 'clock'>> {
  return createDatabase('template0');
}

async function createDatabase(template: string): Promise<Omit<TestDatabase, 'clock'>> {
  const server = inject('postgres');
  const name = `test_${randomBytes(6).toString('hex')}`;
  // Copying the files costs half as much as copying through the WAL, the default of PostgreSQL.
  await onServer(sql`create database ${sql.id(name)} template ${sql.id(template)} strategy file_copy`);
  const address = { ...server, database: name };
  // Below errors: a pool is gone before the server has noticed, so that dropping the database breaks connections.
  const db = connectDatabase(address, {
    log: createLog('error'),
    name: 'test',
    silenceMs: PLANTING_MS,
    shares: REQUEST_SHARES,
  });
  const stateDir = join(tmpdir(), `campanile-state-${name}`);
  return {
    db,
    address,
    stateDir,
    async drop() {
      await db.destroy();
      await dropDatabase(name);
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}

/**
 * Drops a database. The server waits for all of its processes, so a blocked one delays it. The database then stays until the end of the
 * run, which removes everything.
 */
async function dropDatabase(name: string): Promise<void> {
  try {
    await onServer(sql`drop database ${sql.id(name)} with (force)`, DROP_PATIENCE_MS);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && ['57014', 'ETIMEDOUT'].includes(String(error.code))))
      throw error;
    process.stderr.write(`${name} is left to the end of the run: ${error.message}\n`);
  }
}

const DROP_PATIENCE_MS = 20_000;
/** A test inserts more rows in one statement than the service ever does. */
const PLANTING_MS = 60_000;

async function onServer(statement: ReturnType<typeof sql>, silenceMs = Infinity): Promise<void> {
  const server = connectDatabase(inject('postgres'), { log: createLog('warn'), poolSize: 1, silenceMs });
  try {
    await statement.execute(server);
  } finally {
    await server.destroy();
  }
}

function createClock(db: Database): TestClock {
  return {
    async advance(by) {
      const ms = typeof by === 'number' ? by : Temporal.Duration.from(by).total('milliseconds');
      await sql`update test_clock set shift = shift + make_interval(secs => ${ms / 1_000}::float8)`.execute(db);
    },
    async set(instant) {
      const text = instant instanceof Date ? instant.toISOString() : instant.toString();
      await sql`update test_clock set shift = make_interval(secs => extract(epoch from ${text}::timestamptz - now())::float8)`.execute(
        db,
      );
    },
    async now() {
      const { rows } = await sql<{ now: Date }>`select campanile_now() as now`.execute(db);
      const [row] = rows;
      if (!row) throw new Error('the database did not say what time it is');
      return row.now;
    },
  };
}
