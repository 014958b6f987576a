import { Counter, Gauge, type Registry } from 'prom-client';
import type { Database } from '../platform/database/connect.ts';
import type { Log } from '../platform/log/log.ts';
import { addGauge, readSeldom } from './metrics.ts';
import { countWebhooks } from '../notifications/webhooks/count-webhooks.ts';
import { WEBHOOK_OUTCOMES, type DisabledReason, type WebhookOutcome } from '../notifications/webhooks/deliver-batch.ts';

const DISABLED_REASONS: readonly DisabledReason[] = ['gone', 'failing'];

/** Adds the counters of this process's webhook deliveries, and returns the hooks that count. */
export function createWebhookMetrics(registry: Registry): {
  onAttempt(outcome: WebhookOutcome): void;
  onDisabled(reason: DisabledReason): void;
} {
  const registers = [registry];
  const attempts = new Counter({
    name: 'campanile_webhook_attempts_total',
    help: 'Attempts to deliver a webhook message, by outcome',
    labelNames: ['outcome'],
    registers,
  });
  const disabled = new Counter({
    name: 'campanile_webhooks_disabled_total',
    help: 'Webhooks that the service disabled',
    labelNames: ['reason'],
    registers,
  });
  // A series that exists from the start shows its first event as an increase.
  for (const outcome of WEBHOOK_OUTCOMES) attempts.inc({ outcome }, 0);
  for (const reason of DISABLED_REASONS) disabled.inc({ reason }, 0);
  return {
    onAttempt: (outcome) => attempts.inc({ outcome }),
    onDisabled: (reason) => disabled.inc({ reason }),
  };
}

/** Adds global gauges: webhooks in each state, and how long they wait. NaN while the database is unavailable. */
export function measureWebhooks(registry: Registry, { db, log }: { db: Database; log: Log }): void {
  const read = readSeldom(() => countWebhooks(db), log);
  const counted = new Gauge({
    name: 'campanile_webhooks',
    help: 'Webhooks, by status',
    labelNames: ['status'],
    registers: [],
    async collect() {
      const found = await read();
      this.reset();
      for (const [status, count] of found?.byStatus ?? []) this.set({ status }, count);
    },
  });
  registry.registerMetric(counted);
  const overdue = {
    name: 'campanile_webhook_overdue_seconds',
    help: 'Delay of the webhook that has waited longest, without slow endpoints',
  };
  const slow = {
    name: 'campanile_webhooks_slow',
    help: 'Webhooks whose last answer took over 2 s, and which use separate permits',
  };
  addGauge(registry, slow, async () => (await read())?.slow);
  addGauge(registry, overdue, async () => (await read())?.overdueSeconds);
}
