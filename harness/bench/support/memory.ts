import { readFile } from 'node:fs/promises';
import type { Service } from '../../../test/support/service/service.ts';

/** Returns the resident memory of a service's process, now (`VmRSS`) or at its peak (`VmHWM`), from Linux's /proc. */
export async function memoryMb({ pid }: Service, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round((Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1_024) / 1_000_000);
}
