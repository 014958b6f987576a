import { readFile } from 'node:fs/promises';
import type { Service } from '../../test/support/service/service.ts';

/** What a service's process holds now, or has held at most, as Linux tells it. */
export async function memoryMb({ pid }: Service, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round((Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1_024) / 1_000_000);
}
