import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { countPauses } from './accounts/count-pauses.ts';
import type { Database } from './database/connect.ts';
import { readBacklog, type Backlog } from './deliveries/read-backlog.ts';
import type { Log } from './lib/log.ts';
import type { WhatsAppAlarm } from './messenger/whatsapp/connect/load-client.ts';

const ALARMS: readonly WhatsAppAlarm[] = ['version_refused', 'certificate', 'account_signature'];

/** What a process counts for its operator, beside what the edge counts by itself. */
export interface Metrics {
  registry: Registry;
  countOutcome(kind: string, count: number): void;
  countRetry(): void;
  countLoopError(loop: string): void;
  observeFirstTry(lateSeconds: number): void;
  countLostEvents(count: number): void;
  countAlarm(alarm: WhatsAppAlarm): void;
}

/** A registry of its own for each process, so that several can run in one (as in tests). */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const outcomes = new Counter({
    name: 'campanile_tries_total',
    help: 'Tries to send a delivery, by what they came to',
    labelNames: ['outcome'],
    registers,
  });
  const retries = new Counter({
    name: 'campanile_retries_total',
    help: 'Tries of deliveries that had been tried before',
    registers,
  });
  const loopErrors = new Counter({
    name: 'campanile_loop_errors_total',
    help: 'Failed steps of background loops; each is tried again',
    labelNames: ['loop'],
    registers,
  });
  const lateness = new Histogram({
    name: 'campanile_first_try_late_seconds',
    help: 'From the due time of a run to its first try',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800, 7_200, 21_600],
    registers,
  });
  const lostEvents = new Counter({
    name: 'campanile_member_events_lost_total',
    help: 'Receipts, reactions and replies that could not be recorded in time and were let go of',
    registers,
  });
  const alarms = new Counter({
    name: 'campanile_whatsapp_alarms_total',
    help: 'What WhatsApp did that an operator should look into',
    labelNames: ['alarm'],
    registers,
  });
  for (const alarm of ALARMS) alarms.inc({ alarm }, 0);
  return {
    registry,
    countAlarm: (alarm) => alarms.inc({ alarm }),
    countOutcome: (outcome, count) => outcomes.inc({ outcome }, count),
    countRetry: () => retries.inc(),
    countLoopError: (loop) => loopErrors.inc({ loop }),
    countLostEvents: (count) => lostEvents.inc(count),
    observeFirstTry: (lateSeconds) => lateness.observe(Math.max(0, lateSeconds)),
  };
}

/** However often it is asked, the database is asked once in so long. */
const MEASURED_AGE_MS = 5_000;

/** Undefined while the database cannot tell. */
function readSeldom<Found>(read: () => Promise<Found>, log: Log): () => Promise<Found | undefined> {
  let last: { atMs: number; found: Promise<Found | undefined> } | undefined;
  return () => {
    const nowMs = performance.now();
    if (!last || nowMs - last.atMs >= MEASURED_AGE_MS) {
      const found = read().catch((error: unknown) => {
        log.debug({ err: error }, 'something that is measured could not be read');
        return undefined;
      });
      last = { atMs: nowMs, found };
    }
    return last.found;
  };
}

/** Adds what waits to be sent, over all workers. While the database cannot tell, the values are NaN and not old ones. */
export function measureBacklog(registry: Registry, { db, log }: { db: Database; log: Log }): void {
  const backlog = readSeldom(() => readBacklog(db), log);
  const gauge = (name: string, help: string, pick: (found: Backlog) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const found = await backlog();
        this.set(found ? pick(found) : Number.NaN);
      },
    });
  gauge('campanile_queue_deliveries', 'Deliveries queued in runs under way', (found) => found.queued);
  gauge('campanile_queue_oldest_seconds', 'Since the oldest unfinished run was due', (found) => found.oldestSeconds);
  gauge('campanile_lane_overdue_seconds', 'How long the most overdue lane waits', (found) => found.overdueSeconds);
}

/**
 * Adds how many accounts a messaging application lets rest, and how many were stopped, over all workers. While the database cannot tell,
 * there are no values, and NaN.
 */
export function measurePauses(registry: Registry, { db, log }: { db: Database; log: Log }): void {
  const read = readSeldom(() => countPauses(db), log);
  const paused = new Gauge({
    name: 'campanile_accounts_paused',
    help: 'Accounts that rest because their messaging application asks for it, by cause',
    labelNames: ['cause'],
    registers: [],
    async collect() {
      const counts = await read();
      this.reset();
      for (const [cause, count] of counts?.paused ?? []) this.set({ cause }, count);
    },
  });
  registry.registerMetric(paused);
  const stopped = new Gauge({
    name: 'campanile_accounts_stopped',
    help: 'Accounts that were stopped because their ledger would have become wrong',
    registers: [],
    async collect() {
      this.set((await read())?.stopped ?? Number.NaN);
    },
  });
  registry.registerMetric(stopped);
}

/** Adds how many shards this process serves. */
export function measureShards(registry: Registry, shardsHeld: () => number): void {
  const held = new Gauge({
    name: 'campanile_shards_held',
    help: 'Shards that this process serves, of 256',
    registers: [],
    collect() {
      this.set(shardsHeld());
    },
  });
  registry.registerMetric(held);
}
