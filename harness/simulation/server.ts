/** The PostgreSQL server of the simulated worlds, and the database that each of them is a copy of. */
import { signal } from '../../test/support/servers/signal.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import pg from 'pg';
import { connectDatabase, connectionSettings, type PostgresAddress } from '../../src/platform/database/connect.ts';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded/embedded.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { useMemory } from '../../test/support/run/temporary-folder.ts';

export type ServerAddress = Exclude<PostgresAddress, { url: string }>;
export const TEMPLATE = 'simulation_template';

/** Settings for a server without background work: only the given statements matter here. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  autovacuum: 'off',
  jit: 'off',
  max_parallel_workers: '0',
  max_parallel_workers_per_gather: '0',
  deadlock_timeout: '1s',
};

/** The instant is the simulator's: it is set for each statement, or for the transaction a statement is part of. */
const CLOCK_AND_IDS = `
  create or replace function campanile_now() returns timestamptz language sql stable parallel safe
    as $$ select coalesce(nullif(current_setting('campanile.now', true), '')::timestamptz, '2026-01-01 00:00:00Z') $$;
  create sequence simulated_ids;
  create function simulated_uuid() returns uuid language sql volatile
    as $$ select md5('simulated ' || nextval('simulated_ids'))::uuid $$;
  do $$
  declare one record;
  begin
    for one in select c.oid::regclass as of, a.attname as name
               from pg_attrdef d join pg_class c on c.oid = d.adrelid join pg_attribute a on a.attrelid = c.oid and a.attnum = d.adnum
               where pg_get_expr(d.adbin, d.adrelid) = 'gen_random_uuid()'
    loop execute format('alter table %s alter %I set default simulated_uuid()', one.of, one.name); end loop;
  end $$`;

export interface SimulationServer {
  address: ServerAddress;
  stop(): Promise<void>;
}

export async function startServer(): Promise<SimulationServer> {
  useMemory();
  const dataDir = await mkdtemp(join(tmpdir(), 'campanile-simulation-'));
  const log = createLog('error');
  const postgres = await startEmbeddedPostgres({ dataDir, log, settings: SETTINGS });
  if ('url' in postgres.address) throw new Error('the simulation needs a server on a Unix socket');
  const { address } = postgres;
  await createTemplate(address);
  return {
    address,
    async stop() {
      await letGoOn(address);
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** What an interrupted world left stopped could not end. */
async function letGoOn(address: ServerAddress): Promise<void> {
  const control = await connectControl(address);
  const { rows } = await control.query<{ pid: number }>('select pid from pg_stat_activity where datname is not null');
  await control.end();
  for (const { pid } of rows) signal(pid, 'SIGCONT');
}

async function createTemplate(address: ServerAddress): Promise<void> {
  const control = await connectControl(address);
  await control.query(`create database ${TEMPLATE}`);
  const db = connectDatabase(
    { ...address, database: TEMPLATE },
    { log: createLog('error'), poolSize: 1, silenceMs: Infinity },
  );
  await migrate(db, createLog('error'));
  await db.destroy();
  const template = await connectControl({ ...address, database: TEMPLATE });
  await template.query(CLOCK_AND_IDS);
  await template.query('analyze');
  await template.end();
  await control.query(`alter database ${TEMPLATE} with is_template true allow_connections false`);
  await control.end();
}

export async function connectControl(address: PostgresAddress): Promise<pg.Client> {
  const client = new pg.Client({ ...connectionSettings(address), connectionTimeoutMillis: 0 });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** A ledger of its own. */
export interface SimulatedLedger {
  address: ServerAddress;
  /** To another database of that server. */
  control: pg.Client;
  /** Nobody may be connected, in this and the next. */
  copy(): Promise<void>;
  /** Puts the copy in its place. */
  putBack(): Promise<void>;
  drop(): Promise<void>;
}

export async function copyTemplate(address: ServerAddress, name: string): Promise<SimulatedLedger> {
  const control = await connectControl(address);
  await control.query(`create database ${name} template ${TEMPLATE} strategy file_copy`);
  return {
    address: { ...address, database: name },
    control,
    async copy() {
      await control.query(`create database ${name}_copy template ${name} strategy file_copy`);
    },
    async putBack() {
      await control.query(`drop database ${name}`);
      await control.query(`alter database ${name}_copy rename to ${name}`);
      const ledger = await connectControl({ ...address, database: name });
      // What is drawn at random elsewhere is never drawn again.
      await ledger.query("select setval('simulated_ids', nextval('simulated_ids') + 1000000)");
      await ledger.end();
    },
    async drop() {
      await control.query(`drop database if exists ${name}_copy with (force)`);
      await control.query(`drop database ${name} with (force)`);
      await control.end();
    },
  };
}
