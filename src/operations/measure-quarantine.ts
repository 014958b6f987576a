import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../platform/database/connect.ts';
import { BATCHES, countQuarantined } from '../platform/database/quarantine.ts';
import type { Log } from '../platform/log/log.ts';
import { readSeldom } from './metrics.ts';

/** Adds how many accounts, workspaces and users are left out of each batch, over all workers. No values while the database cannot tell. */
export function measureQuarantine(registry: Registry, { db, log }: { db: Database; log: Log }): void {
  const read = readSeldom(() => countQuarantined(db), log);
  const counted = new Gauge({
    name: 'campanile_quarantined',
    help: 'Accounts, workspaces and users in quarantine, since they made a batch fail, by batch',
    labelNames: ['batch'],
    registers: [],
    async collect() {
      const found = await read();
      this.reset();
      if (found) for (const batch of Object.keys(BATCHES)) this.set({ batch }, found.get(batch) ?? 0);
    },
  });
  registry.registerMetric(counted);
}
