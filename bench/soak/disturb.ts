import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '../../src/lib/time.ts';
import { startService, type Service } from '../../test/support/service.ts';
import { drawMs, type Span } from '../../test/support/random.ts';

/** What was done to the service, how often. */
export interface Disturbances {
  'kill -9': number;
  'kill -9, PostgreSQL too': number;
  SIGTERM: number;
  /** SIGTERMs that did not end with exit code 0. */
  uncleanStops: number;
  slowestStartMs: number;
}

const QUIET: Span = { minMs: 2_000, maxMs: 10_000 };
const KINDS = ['kill -9', 'kill -9', 'kill -9, PostgreSQL too', 'kill -9, PostgreSQL too', 'SIGTERM'] as const;

/** The service, started again on the same folder whenever it was ended. */
export interface Disturbed {
  service(): Service;
  disturbances: Disturbances;
  /** Ends and starts the service at random moments, until told to stop; then it runs. */
  keepDisturbing(random: () => number, stop: AbortSignal): Promise<void>;
}

export async function startDisturbed(environment: Record<string, string>): Promise<Disturbed> {
  let service = await startService({ environment });
  const { folder } = service;
  const disturbances: Disturbances = {
    'kill -9': 0,
    'kill -9, PostgreSQL too': 0,
    SIGTERM: 0,
    uncleanStops: 0,
    slowestStartMs: 0,
  };

  async function disturb(kind: (typeof KINDS)[number]): Promise<void> {
    disturbances[kind] += 1;
    if (kind === 'SIGTERM') {
      if ((await service.stop()) !== 0) disturbances.uncleanStops += 1;
    } else {
      if (kind === 'kill -9, PostgreSQL too') await killPostgres(folder);
      await service.kill();
    }
    const startedAt = performance.now();
    service = await startService({ folder, environment });
    disturbances.slowestStartMs = Math.max(disturbances.slowestStartMs, performance.now() - startedAt);
  }

  return {
    service: () => service,
    disturbances,
    async keepDisturbing(random, stop) {
      for (;;) {
        await sleep(drawMs(random, QUIET), stop);
        if (stop.aborted) return;
        await disturb(KINDS[Math.floor(random() * KINDS.length)] ?? 'kill -9');
      }
    },
  };
}

/** The server's own process; its children end when they notice, as after any crash. */
async function killPostgres(folder: string): Promise<void> {
  const cluster = join(folder, 'data', 'postgres');
  const pid = Number((await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
  // A pid alone may be anybody's by now.
  if (words.includes(cluster)) process.kill(pid, 'SIGKILL');
}
