import type { Registry } from 'prom-client';
import type { Database } from '../platform/database/statements.ts';
import type { Log } from '../platform/log/log.ts';
import { addCounter, addGauge, addGauges, readSeldom } from './metrics.ts';
import { countWebhooks } from '../notifications/webhooks/count-webhooks.ts';
import { WEBHOOK_OUTCOMES, type DisabledReason, type WebhookOutcome } from '../notifications/webhooks/deliver-batch.ts';

const DISABLED_REASONS: readonly DisabledReason[] = ['gone', 'failing'];

/** Adds the counters of this process's webhook deliveries, and returns the hooks that count. */
export function createWebhookMetrics(registry: Registry) {
  const attempts = addCounter(
    registry,
    'campanile_webhook_attempts_total',
    'Attempts to deliver a webhook message, by outcome',
    { outcome: WEBHOOK_OUTCOMES },
  );
  const disabled = addCounter(registry, 'campanile_webhooks_disabled_total', 'Webhooks that the service disabled', {
    reason: DISABLED_REASONS,
  });
  return {
    onAttempt: (outcome: WebhookOutcome) => attempts.inc({ outcome }),
    onDisabled: (reason: DisabledReason) => disabled.inc({ reason }),
  };
}

/** Adds global gauges: webhooks in each state, and how long they wait. NaN while the database is unavailable. */
export function measureWebhooks(registry: Registry, { db, log }: { db: Database; log: Log }): void {
  const read = readSeldom(() => countWebhooks(db), log);
  const counted = { help: 'Webhooks, by status', label: 'status' };
  addGauges(registry, 'campanile_webhooks', counted, async () => (await read())?.byStatus);
  const slow = 'Webhooks whose last answer took over 2 s, and which use separate permits';
  addGauge(registry, 'campanile_webhooks_slow', slow, async () => (await read())?.slow);
  const overdue = 'Delay of the webhook that has waited longest, without slow endpoints';
  addGauge(registry, 'campanile_webhook_overdue_seconds', overdue, async () => (await read())?.overdueSeconds);
}
