import { readFile } from 'node:fs/promises';
import type { Service } from '../../test/support/service/service.ts';

/** How much a service's process has worked so far, in milliseconds of a processor's time, as Linux tells it. */
export async function cpuMs({ pid }: Service): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // After the name, which may contain spaces: the 14th and 15th field of all, in hundredths of a second.
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (user + system) * 10;
}
