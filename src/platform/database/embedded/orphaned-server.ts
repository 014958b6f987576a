import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError, errorCodeOf } from '../../errors/errors.ts';
import type { Log } from '../../log/log.ts';
import { sleep } from '../../time/time.ts';
import { readIfThere } from './folder.ts';
import { runProgram } from './program.ts';

/** The signals and waiting times: PostgreSQL's fast shutdown, its immediate one, then SIGKILL. */
const STEPS: ReadonlyArray<[NodeJS.Signals, waitMs: number]> = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
];
const POLL_MS = 50;

/**
 * Stops a server that a crashed process left running on `cluster`. Call it only while holding DATA_DIR: then no living Campanile
 * uses that server. Throws a StartupError when it will not go.
 */
export async function stopOrphanedServer(cluster: string, log: Log): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid');
  const recorded = await readRecordedPid(pidFile);
  for (const [signal, waitMs] of STEPS) {
    const serving = await findServing(cluster, recorded);
    if (serving.length === 0) break;
    log.warn({ pids: serving, signal }, 'stopping a PostgreSQL server that an earlier run left behind');
    // The other processes follow the postmaster. Without a postmaster each needs its own signal.
    for (const pid of recorded && serving.includes(recorded) ? [recorded] : serving) sendSignal(pid, signal);
    for (const end = Date.now() + waitMs; Date.now() < end; await sleep(POLL_MS))
      if ((await findServing(cluster, recorded)).length === 0) break;
  }
  const [remaining] = await findServing(cluster, recorded);
  if (remaining)
    throw new StartupError(
      `A PostgreSQL server left behind by an earlier run (process ${remaining}) does not stop: end that process, then start Campanile again.`,
    );
  // A number that now belongs to another process, or to a dead server nobody has reaped yet, would make PostgreSQL refuse to
  // start. Where the process is gone altogether it looks after the file itself.
  if (recorded && process.platform !== 'win32' && sendSignal(recorded, 0)) await rm(pidFile, { force: true });
}

async function readRecordedPid(pidFile: string): Promise<number | undefined> {
  const pid = Number.parseInt((await readIfThere(pidFile)) ?? '', 10);
  return pid > 1 ? pid : undefined;
}

/** The living processes of a server that works in `cluster`; a zombie is none. */
async function findServing(cluster: string, recorded: number | undefined): Promise<number[]> {
  if (process.platform === 'linux') {
    const folder = await stat(cluster).catch(() => undefined);
    // Before the first start there is none.
    if (!folder) return [];
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
    const serving = await Promise.all(pids.map((pid) => isServing(pid, cluster, folder)));
    return pids.filter((_, index) => serving[index]);
  }
  if (recorded === undefined || process.platform === 'win32') return [];
  const { ok, output } = await runProgram('ps', ['-ww', '-p', String(recorded), '-o', 'state=,command='], {
    prefix: [],
  });
  const [line = ''] = output.lines;
  return ok && !line.startsWith('Z') && line.includes('postgres') && line.includes(cluster) ? [recorded] : [];
}

/** Every process of a server works in its cluster's folder and runs a program called postgres. */
async function isServing(pid: number, cluster: string, folder: { dev: number; ino: number }): Promise<boolean> {
  try {
    const [name, cwd] = await Promise.all([readFile(`/proc/${pid}/comm`, 'utf8'), stat(`/proc/${pid}/cwd`)]);
    return name.trim() === 'postgres' && cwd.dev === folder.dev && cwd.ino === folder.ino;
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === 'EACCES' || code === 'EPERM') return wasStartedFor(pid, cluster);
    // It ended while we looked, or is a zombie: neither has a folder.
    return false;
  }
}

/**
 * Compares the command line: without permission to inspect another user's processes (root in a container has none) nothing else is
 * available.
 */
async function wasStartedFor(pid: number, cluster: string): Promise<boolean> {
  const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
  return (args[0] ?? '').endsWith('/postgres') && args.includes(cluster);
}

/** Whether there was a process to receive it. Signal 0 only asks. */
function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    return errorCodeOf(error) === 'EPERM';
  }
}
