import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRows, type Database } from '../../../src/platform/database/statements.ts';
import { readStat } from './cpu.ts';

/** What a PostgreSQL server on this machine has done so far. */
export interface ServerCost {
  /** Of all its processes, also those that have ended. */
  cpuMs: number;
  walBytes: number;
}

/** Reads the costs from Linux and from the server. */
export async function readServerCost(db: Database): Promise<ServerCost> {
  const rows = await readRows<{ folder: string; wal: string }>(db)`
    select current_setting('data_directory') as folder, (pg_current_wal_lsn() - '0/0'::pg_lsn)::text as wal`;
  const { folder = '', wal = '0' } = rows[0] ?? {};
  const postmaster = Number.parseInt(await readFile(join(folder, 'postmaster.pid'), 'utf8'), 10);
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  // Undefined for a process that has ended meanwhile.
  const stats = await Promise.all(names.map((name) => readStat(name).catch(() => undefined)));
  const cpuMs = stats
    .filter((stat) => stat !== undefined)
    .filter(({ pid, parent }) => pid === postmaster || parent === postmaster)
    .reduce((sum, { ownMs, endedMs, pid }) => sum + ownMs + (pid === postmaster ? endedMs : 0), 0);
  return { cpuMs, walBytes: Number(wal) };
}
