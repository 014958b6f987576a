import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { TestProject } from 'vitest/node';
import { connectDatabase, type PostgresAddress } from '../../../src/platform/database/connect.ts';
import { startEmbeddedPostgres } from '../../../src/platform/database/embedded/embedded.ts';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { MOVABLE_CLOCK } from '../movable-clock.ts';
import { startPgBouncer } from '../servers/pgbouncer.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server of this run; its `database` is the one to create others from. */
    postgres: Exclude<PostgresAddress, { url: string }>;
  }
}

/** Names the folder of another PostgreSQL's package to test on: `scripts/test-matrix.ts`. */
export const OTHER_POSTGRES = 'CAMPANILE_TEST_POSTGRES';

/** If set, tests reach their database through PgBouncer in transaction mode. */
export const POOLED = 'CAMPANILE_TEST_POOLED';

/** The migrated database that `createTestDatabase` copies. */
export const TEMPLATE = 'campanile_template';

/** Starts the one PostgreSQL server of a test run. Returns a function that stops it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'campanile-test-'));
  // Tests cut off connections all the time, which a server warns of.
  const log = createLog('error');
  const undo = new AsyncDisposableStack();
  undo.defer(() => rm(dataDir, { recursive: true, force: true }));
  try {
    const postgres = await startEmbeddedPostgres({
      dataDir,
      log,
      ...(process.env[OTHER_POSTGRES] !== undefined && { packageFolder: process.env[OTHER_POSTGRES] }),
      // Nothing of a test run has to survive it.
      settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' },
    });
    undo.defer(postgres.stop);
    void postgres.exited.then((reason) => log.error(reason));
    if ('url' in postgres.address) throw new Error('tests need a server on a Unix socket');
    await createTemplate(postgres.address);
    let { address } = postgres;
    if (process.env[POOLED] !== undefined) {
      const pooler = await startPgBouncer(address, { all: true });
      undo.defer(pooler.stop);
      ({ address } = pooler);
    }
    project.provide('postgres', address);
    return () => undo.disposeAsync();
  } catch (error) {
    await undo.disposeAsync();
    throw error;
  }
}

async function createTemplate(address: Exclude<PostgresAddress, { url: string }>): Promise<void> {
  const log = createLog('warn');
  const server = connectDatabase(address, { log, poolSize: 1, silenceMs: Infinity });
  await sql`create database ${sql.id(TEMPLATE)}`.execute(server);
  const template = connectDatabase({ ...address, database: TEMPLATE }, { log, poolSize: 1, silenceMs: Infinity });
  await migrate(template, log);
  // An id of a workspace that is taken for one of its account finds nothing.
  await sql`alter sequence workspaces_workspace_id_seq restart with 501`.execute(template);
  await sql.raw(MOVABLE_CLOCK).execute(template);
  await template.destroy();
  // A database that accepts no connections can be copied by any number of test files at once.
  await sql`alter database ${sql.id(TEMPLATE)} with is_template true allow_connections false`.execute(server);
  await server.destroy();
}
