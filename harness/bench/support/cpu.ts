import { readFile } from 'node:fs/promises';
import type { Service } from '../../../test/support/service/service.ts';

const HUNDREDTH_MS = 10;

/** Returns how much a service's process has worked so far, in milliseconds of a processor's time. */
export async function cpuMs({ pid }: Service): Promise<number> {
  return (await readStat(pid)).ownMs;
}

/** Returns what Linux tells about a process: its parent, and what it and its children that have ended have worked. */
export async function readStat(pid: number | string) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // After the name, which may contain spaces: the 4th field of all, and the 14th to 17th, in hundredths of a second.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
  return {
    pid: Number(pid),
    parent: Number(fields[1]),
    ownMs: (user + system) * HUNDREDTH_MS,
    endedMs: (endedUser + endedSystem) * HUNDREDTH_MS,
  };
}
