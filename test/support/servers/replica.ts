import { cp, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { sql } from 'kysely';
import { connectDatabase } from '../../../src/platform/database/connect.ts';
import type { Connection } from '../../../src/platform/database/statements.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { until } from '../ledger.ts';
import { ownPostgres, serverPid, type OwnPostgres } from './own-postgres.ts';

/** A synchronous replica of another server. */
export interface Replica {
  /** Promotes it. Only after the other server is permanently gone. */
  promote(): Promise<OwnPostgres>;
  /** Stops it, promoted or not, and removes its files. */
  remove(): Promise<void>;
}

/** Files that belong to the running server only. */
const NOT_COPIED = new Set(['postmaster.pid', 'postmaster.opts']);

/** Copies a running server and starts the copy as its synchronous replica, through the proxy on `proxyPort` if given. */
export async function startReplica(primary: OwnPostgres, proxyPort?: number): Promise<Replica> {
  const db = connectDatabase(primary.address(), { log: createLog('silent'), poolSize: 1, silenceMs: Infinity });
  try {
    const folder = await mkdtemp(join(tmpdir(), 'campanile-replica-'));
    // A base backup belongs to the connection that started it.
    await db.connection().execute((session) => copyCluster(session, primary, folder));
    const replica = ownPostgres(folder, { hot_standby: 'off' });
    // It reports that it is ready only after it is promoted.
    const ready = replica.startReplica({ primary_conninfo: describePrimary(primary, proxyPort) });
    await until(
      () => sql<{ state: string }>`select state from pg_stat_replication`.execute(db),
      ({ rows }) => rows.some(({ state }) => state === 'streaming'),
    );
    await sql`alter system set synchronous_standby_names = '*'`.execute(db);
    await sql`select pg_reload_conf()`.execute(db);
    await until(
      () => sql<{ sync_state: string }>`select sync_state from pg_stat_replication`.execute(db),
      ({ rows }) => rows.some(({ sync_state }) => sync_state === 'sync'),
    );
    let promoted = false;
    const promote = async () => {
      if (!promoted) {
        promoted = true;
        // As `pg_ctl promote` does.
        await writeFile(join(folder, 'postgres/promote'), '');
        process.kill(serverPid(folder), 'SIGUSR1');
      }
      await ready;
      return replica;
    };
    return {
      promote,
      async remove() {
        await promote();
        await replica.remove();
      },
    };
  } finally {
    await db.destroy();
  }
}

async function copyCluster(db: Connection, primary: OwnPostgres, folder: string): Promise<void> {
  await sql`select pg_backup_start('replica', true)`.execute(db);
  const cluster = join(folder, 'postgres');
  await cp(join(primary.folder, 'postgres'), cluster, {
    recursive: true,
    preserveTimestamps: true,
    filter: (path) => !NOT_COPIED.has(basename(path)),
  });
  const { rows } = await sql<{ labelfile: string }>`select labelfile from pg_backup_stop(false)`.execute(db);
  await writeFile(join(cluster, 'backup_label'), rows[0]?.labelfile ?? '');
}

function describePrimary(primary: OwnPostgres, proxyPort?: number): string {
  const { socketFolder, port, user } = primary.address();
  const where = proxyPort === undefined ? `host=${socketFolder} port=${port}` : `host=127.0.0.1 port=${proxyPort}`;
  return `${where} user=${user} application_name=replica`;
}
