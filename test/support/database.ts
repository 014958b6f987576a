import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { inject } from 'vitest';
import { connectDatabase, type Database, type PostgresAddress } from '../../src/platform/database/connect.ts';
import { REQUEST_SHARES } from '../../src/platform/database/share-connections.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { TEMPLATE } from './run/postgres.ts';

/** A migrated, empty database of one's own. */
export interface TestDatabase {
  db: Database;
  /** For further pools and processes on the same database; they share the clock too. */
  address: PostgresAddress;
  clock: TestClock;
  /** For the marks of whatever sends from it; not made yet. */
  stateDir: string;
  /** Closes `db`, cuts off everybody else and removes the database. */
  drop(): Promise<void>;
}

/** What `campanile_now()` says: real time plus a shift. It takes effect with the next transaction that begins. */
export interface TestClock {
  /** Moves the clock on by milliseconds or by a duration of at most days: `{ days: 1, minutes: 5 }`. */
  advance(by: number | Temporal.DurationLike): Promise<void>;
  /** Makes it that instant now; from there the clock goes on. */
  set(instant: Temporal.Instant | Date | string): Promise<void>;
  now(): Promise<Date>;
}

/** Creates a database for one test file out of the template of the run. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const database = await createDatabase(TEMPLATE);
  return { ...database, clock: createClock(database.db) };
}

/** Creates a database with nothing in it, not even the schema. */
export function createEmptyDatabase(): Promise<Omit<TestDatabase, 'clock'>> {
  return createDatabase('template0');
}

async function createDatabase(template: string): Promise<Omit<TestDatabase, 'clock'>> {
  const server = inject('postgres');
  const name = `test_${randomBytes(6).toString('hex')}`;
  // Copying files takes half as long as PostgreSQL's default, which writes the copy to the WAL.
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
 * Waits for every process of the server to take note, and so for as long as one of them is held up. It then stays until the end of the
 * run, which removes all there is.
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
/** What a test plants by hand is more in one statement than the service ever asks for. */
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
