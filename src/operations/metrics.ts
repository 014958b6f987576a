import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { countAccounts, countWaiting } from '../sending/accounts/count-accounts.ts';
import type { Database } from '../platform/database/statements.ts';
import { BATCHES, countQuarantined } from '../platform/database/quarantine.ts';
import { readDatabaseSize } from '../platform/database/read-size.ts';
import { readFreeBytes } from '../platform/database/watch-disk.ts';
import { readBacklog, type Backlog } from '../sending/deliveries/read-backlog.ts';
import type { Outcome } from '../sending/deliveries/outcome.ts';
import type { Log } from '../platform/log/log.ts';
import { sleep } from '../platform/time/time.ts';
import { readVersion } from '../platform/config/version.ts';
import { readClientInUse } from '../messengers/whatsapp/connect/client-version-age.ts';
import { WHATSAPP_CONDITIONS, type WhatsAppCondition } from '../messengers/whatsapp/connect/conditions.ts';
import type { WhatsAppAlarm } from '../messengers/whatsapp/connect/load-client.ts';

const ALARMS: readonly WhatsAppAlarm[] = ['version_refused', 'devices_missed', 'certificate', 'account_signature'];

/** The results of an attempt. */
const OUTCOMES: ReadonlyArray<Outcome['kind']> = ['sent', 'failed', 'retry', 'snooze'];
/** The background loops of all kinds of processes. */
const LOOPS = [
  'activity',
  'answers',
  'backups',
  'channels',
  'commands',
  'credentials',
  'deleted campaigns',
  'due runs',
  'epoch',
  'erasure',
  'events',
  'failover',
  'group syncs',
  'health',
  'housekeeping',
  'lanes',
  'late approvals',
  'late revisions',
  'late runs',
  'leases',
  'live progress',
  'mails',
  'notices',
  'old campaigns',
  'old commands',
  'old posts',
  'old receipts',
  'pushes',
  'requests',
  'review answers',
  'sandbox members',
  'sessions',
  'slow webhooks',
  'sums',
  'sums of minutes',
  'unbegun runs',
  'unused media',
  'waits',
  'webhooks',
  'WhatsApp members',
  'work poll',
  'zone rules',
];

/** The metrics of a process, beside those of the HTTP server. */
export type Metrics = ReturnType<typeof createMetrics>;

/** A registry of its own for each process, so that several can run in one (as in tests). */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const outcomes = addCounter(registry, 'campanile_attempts_total', 'Attempts to send a delivery, by outcome', {
    outcome: OUTCOMES,
  });
  const retries = addCounter(registry, 'campanile_retries_total', 'Attempts of deliveries that were attempted before');
  const loopErrors = addCounter(
    registry,
    'campanile_loop_errors_total',
    'Failed steps of background loops; each is retried',
    { loop: LOOPS },
  );
  const lateness = new Histogram({
    name: 'campanile_first_attempt_late_seconds',
    help: 'From the due time of a run to its first attempt',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800, 7_200, 21_600],
    registers,
  });
  const lostEvents = addCounter(
    registry,
    'campanile_member_events_lost_total',
    'Receipts, reactions and replies that were dropped, since they could not be recorded in time',
  );
  const alarms = addCounter(
    registry,
    'campanile_whatsapp_alarms_total',
    'Events on WhatsApp that an operator should investigate',
    { alarm: ALARMS },
  );
  const conditions = addCounter(
    registry,
    'campanile_whatsapp_conditions_total',
    'Events on connections to WhatsApp that are no errors',
    { condition: WHATSAPP_CONDITIONS },
  );
  const build = new Gauge({
    name: 'campanile_build_info',
    help: 'Always 1; its labels name the running version',
    labelNames: ['version', 'commit'],
    registers,
  });
  const { version, commit = 'unknown' } = readVersion();
  build.set({ version, commit }, 1);
  return {
    registry,
    countAlarm: (alarm: WhatsAppAlarm) => alarms.inc({ alarm }),
    countCondition: (condition: WhatsAppCondition) => conditions.inc({ condition }),
    countOutcome: (outcome: string, count: number) => outcomes.inc({ outcome }, count),
    countRetry: () => retries.inc(),
    countLoopError: (loop: string) => loopErrors.inc({ loop }),
    countLostEvents: (count: number) => lostEvents.inc(count),
    observeFirstAttempt: (lateSeconds: number) => lateness.observe(Math.max(0, lateSeconds)),
  };
}

/** Adds a counter. `labels` has its label with all values: a series that exists from the start shows its first event as an increase. */
export function addCounter(
  registry: Registry,
  name: string,
  help: string,
  labels: Readonly<Record<string, readonly string[]>> = {},
): Counter {
  const counter = new Counter({ name, help, labelNames: Object.keys(labels), registers: [registry] });
  for (const [label, values] of Object.entries(labels)) for (const value of values) counter.inc({ [label]: value }, 0);
  return counter;
}

/** Caches the database's answer for this time, for any number of scrapes. */
const MEASURED_AGE_MS = 5_000;

/** A scrape waits so long for the database: less than Prometheus waits for the scrape. */
const MEASURE_LIMIT_MS = 3_000;

/** Reads at most once in 5 s. Undefined while the database cannot tell, or takes longer than 3 s. */
export function readSeldom<Found>(read: () => Promise<Found>, log: Log): () => Promise<Found | undefined> {
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
    return withinLimit(last.found);
  };
}

async function withinLimit<Found>(found: Promise<Found | undefined>): Promise<Found | undefined> {
  const done = new AbortController();
  const tooLate = sleep(MEASURE_LIMIT_MS, done.signal).then(() => undefined);
  const first = await Promise.race([found, tooLate]);
  done.abort();
  return first;
}

type Read<Found> = () => Found | undefined | Promise<Found | undefined>;

/** Adds a gauge that is NaN, and not its last value, while it cannot be read. */
export function addGauge(registry: Registry, name: string, help: string, read: Read<number>): void {
  const gauge = new Gauge({
    name,
    help,
    registers: [],
    async collect() {
      this.set((await read()) ?? Number.NaN);
    },
  });
  registry.registerMetric(gauge);
}

/** Adds a gauge for each value of a label; there is none while they cannot be read. */
export function addGauges(
  registry: Registry,
  name: string,
  { help, label }: { help: string; label: string },
  read: Read<ReadonlyMap<string, number>>,
): void {
  const gauges = new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [],
    async collect() {
      const found = await read();
      this.reset();
      for (const [value, count] of found ?? []) this.set({ [label]: value }, count);
    },
  });
  registry.registerMetric(gauges);
}

interface MeasureDeps {
  db: Database;
  log: Log;
}

/** Adds what waits to be sent, over all workers. */
export function measureBacklog(registry: Registry, { db, log }: MeasureDeps): void {
  const backlog = readSeldom(() => readBacklog(db), log);
  const gauge = (name: string, help: string, of: keyof Backlog) =>
    addGauge(registry, name, help, async () => (await backlog())?.[of]);
  gauge('campanile_queue_deliveries', 'Deliveries queued in runs under way', 'queued');
  gauge('campanile_queue_oldest_seconds', 'Lateness of the oldest unfinished run', 'oldestSeconds');
  gauge('campanile_runs_late', 'Runs of which nothing was tried a minute after their time', 'late');
  gauge('campanile_lane_overdue_seconds', 'Delay of the most overdue lane', 'overdueSeconds');
}

/** Adds how many accounts there are in each state, how many a messaging application lets rest, and how many were stopped, over all workers. */
export function measureAccounts(registry: Registry, { db, log }: MeasureDeps): void {
  const read = readSeldom(() => countAccounts(db), log);
  const linked = { help: 'Accounts, by the state of their link', label: 'status' };
  addGauges(registry, 'campanile_accounts', linked, async () => (await read())?.byStatus);
  const paused = { help: 'Accounts that the messaging application has paused, by cause', label: 'cause' };
  addGauges(registry, 'campanile_accounts_paused', paused, async () => (await read())?.paused);
  const stopped = 'Accounts in quarantine, since their ledger would have become inconsistent';
  addGauge(registry, 'campanile_accounts_stopped', stopped, async () => (await read())?.stopped);
}

/** Adds how many accounts have something due and send nothing, by the reason, over all workers. */
export function measureWaits(registry: Registry, { db, log }: MeasureDeps): void {
  const read = readSeldom(() => countWaiting(db), log);
  const help = 'Accounts with something due that have sent nothing for 15 minutes, by what keeps them';
  addGauges(registry, 'campanile_accounts_waiting', { help, label: 'reason' }, async () => (await read())?.byReason);
  const due = 'Accounts that have something to send, at once or later';
  addGauge(registry, 'campanile_accounts_due', due, async () => (await read())?.due);
}

/** Adds how many accounts, workspaces and users are left out of each batch, over all workers. */
export function measureQuarantine(registry: Registry, { db, log }: MeasureDeps): void {
  const read = readSeldom(() => countQuarantined(db), log);
  const help = 'Accounts, workspaces and users in quarantine, since they made a batch fail, by batch';
  addGauges(registry, 'campanile_quarantined', { help, label: 'batch' }, async () => {
    const found = await read();
    return found && new Map(Object.keys(BATCHES).map((batch) => [batch, found.get(batch) ?? 0]));
  });
}

/** Adds the size of the database, and the free space of its disk if that disk is on this machine. */
export function measureStore(
  registry: Registry,
  { db, log, folder }: MeasureDeps & { folder: string | undefined },
): void {
  const gauge = (name: string, help: string, read: () => Promise<number>) =>
    addGauge(registry, name, help, readSeldom(read, log));
  gauge('campanile_database_size_bytes', 'Size of the database on its disk', () => readDatabaseSize(db));
  if (folder !== undefined)
    gauge('campanile_disk_free_bytes', 'Free space on the disk of the embedded database', () => readFreeBytes(folder));
}

/** Adds how old the version of WhatsApp's client is that was last accepted; NaN if no account has ever logged in. */
export function measureClientVersion(registry: Registry, { db, log }: MeasureDeps): void {
  const help = "Least age of the version of WhatsApp's client that WhatsApp last accepted";
  const inUse = readSeldom(() => readClientInUse(db), log);
  addGauge(registry, 'campanile_whatsapp_client_age_seconds', help, async () => {
    const found = await inUse();
    return found && found.ageMs / 1_000;
  });
}

/** Adds how many shards this process serves. */
export function measureShards(registry: Registry, shardsHeld: () => number): void {
  addGauge(registry, 'campanile_shards_held', 'Shards that this process serves, of 256', shardsHeld);
}

/** Adds when the last good backup was made; 0: none is there. */
export function measureBackups(registry: Registry, lastGoodAt: () => Date | undefined): void {
  const help = 'Time of the last good daily backup, in seconds since 1970; 0: no backup exists';
  addGauge(registry, 'campanile_backup_last_success_timestamp_seconds', help, () => toSeconds(lastGoodAt()));
}

/** Adds when BACKUP_COMMAND last succeeded; 0: never. */
export function measureBackupCommand(registry: Registry, lastCommandAt: () => Date | undefined): void {
  const help = 'Time of the last success of BACKUP_COMMAND, in seconds since 1970; 0: it never succeeded';
  addGauge(registry, 'campanile_backup_command_last_success_timestamp_seconds', help, () => toSeconds(lastCommandAt()));
}

const toSeconds = (at: Date | undefined) => (at?.getTime() ?? 0) / 1_000;
