import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRows } from '../../src/platform/database/statements.ts';
import type { Database } from '../../src/platform/database/connect.ts';

/** What a PostgreSQL server on this machine has done so far. */
export interface ServerCost {
  /** Of all its processes, also those that have ended. */
  cpuMs: number;
  walBytes: number;
}

const HUNDREDTH_MS = 10;

/** Reads the costs from Linux and from the server. */
export async function readServerCost(db: Database): Promise<ServerCost> {
  const rows = await readRows<{ folder: string; wal: string }>(db)`
    select current_setting('data_directory') as folder, (pg_current_wal_lsn() - '0/0'::pg_lsn)::text as wal`;
  const { folder = '', wal = '0' } = rows[0] ?? {};
  const postmaster = Number.parseInt(await readFile(join(folder, 'postmaster.pid'), 'utf8'), 10);
  const stats = await Promise.all((await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(readStat));
  const cpuMs = stats
    .filter((stat) => stat !== undefined)
    .filter(({ pid, parent }) => pid === postmaster || parent === postmaster)
    .reduce((sum, { hundredths, ofEnded, pid }) => sum + hundredths + (pid === postmaster ? ofEnded : 0), 0);
  return { cpuMs: cpuMs * HUNDREDTH_MS, walBytes: Number(wal) };
}

/** Undefined for a process that has ended meanwhile. */
async function readStat(name: string) {
  const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return undefined;
  // After the name, which may contain spaces: the 4th field of all, and the 14th to 17th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
  return {
    pid: Number(name),
    parent: Number(fields[1]),
    hundredths: user + system,
    ofEnded: endedUser + endedSystem,
  };
}
