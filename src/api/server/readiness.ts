import type { Registry } from 'prom-client';
import { addGauge } from '../../operations/metrics.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { sleep } from '../../platform/time/time.ts';
import type { Health } from '../../platform/concurrency/health.ts';
import type { Log } from '../../platform/log/log.ts';
import { classifyDatabaseError } from './database-unavailable.ts';

/** Named things that have to be in order before requests can be served; each throws when it is not. */
export type ReadyChecks = Readonly<Record<string, () => Promise<void>>>;

/** Returns why nothing is sent, as a sentence; undefined when the ledger is not held. */
export type ReadHoldReason = () => Promise<string | undefined>;

export interface ReadinessDependencies {
  readyChecks: ReadyChecks;
  readHoldReason?: ReadHoldReason;
  health?: Pick<Health, 'problems'>;
  /** Whether the disk that the database is on is known to be full. */
  isDiskFull: () => boolean;
  isStopping(): boolean;
  log: Log;
}

export interface Readiness {
  isReady: boolean;
  checks: Readonly<Record<string, 'ok' | 'failed'>>;
  /** The cause of the first failure, if it is known. */
  message: string | undefined;
  /** Why nothing is sent; null when the ledger is not held; undefined when that could not be read. */
  held: string | null | undefined;
}

const CHECK_TIMEOUT_MS = 3_000;

/** Returns a function that checks whether the process can serve requests. It takes 6 s at most. Callers meanwhile share the answer. */
export function createReadiness(dependencies: ReadinessDependencies): () => Promise<Readiness> {
  let underWay: Promise<Readiness> | undefined;
  return () => {
    underWay ??= checkReadiness(dependencies).finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

async function checkReadiness({
  readyChecks,
  readHoldReason,
  health,
  isDiskFull,
  isStopping,
  log,
}: ReadinessDependencies): Promise<Readiness> {
  let message: string | undefined;
  const checks = await runChecks(readyChecks, (check, error) => {
    log.debug({ err: error, check }, 'not ready');
    message ??= error instanceof AppError ? error.message : classifyDatabaseError(error, isDiskFull())?.message;
  });
  const canRead = checks['database'] !== 'failed';
  if (isStopping()) checks['stopping'] = 'failed';
  const problems = health?.problems() ?? [];
  for (const { name } of problems) checks[name] = 'failed';
  message ??= problems[0]?.message;
  let held: string | null | undefined;
  if (canRead && readHoldReason)
    await outcomeOf(
      async () => {
        held = (await readHoldReason()) ?? null;
      },
      (error) => log.debug({ err: error }, 'whether the ledger is held could not be read'),
    );
  return { isReady: Object.values(checks).every((outcome) => outcome === 'ok'), checks, message, held };
}

/** Adds gauges of 0 and 1 for alarms. They answer while the database is away. */
export function measureReadiness(registry: Registry, read: () => Promise<Readiness>): void {
  const gauge = (name: string, help: string, pick: (found: Readiness) => boolean | undefined) =>
    addGauge(registry, name, help, async () => {
      const found = pick(await read());
      return found === undefined ? undefined : Number(found);
    });
  gauge('campanile_ready', 'Whether this process can serve requests, as /health/ready says', (found) => found.isReady);
  const isUp = ({ checks }: Readiness) => checks['database'] !== 'failed';
  gauge('campanile_database_up', 'Whether the database answers this process', isUp);
  gauge('campanile_held', 'Whether the ledger is held, so that nothing is sent', ({ held }) =>
    held === undefined ? undefined : held !== null,
  );
}

async function runChecks(
  checks: ReadyChecks,
  onFailure: (name: string, error: unknown) => void,
): Promise<Record<string, 'ok' | 'failed'>> {
  const outcomes = await Promise.all(
    Object.entries(checks).map(
      async ([name, check]) => [name, await outcomeOf(check, (error) => onFailure(name, error))] as const,
    ),
  );
  return Object.fromEntries(outcomes);
}

async function outcomeOf(check: () => Promise<void>, onFailure: (error: unknown) => void): Promise<'ok' | 'failed'> {
  const done = new AbortController();
  const tooLate = sleep(CHECK_TIMEOUT_MS, done.signal).then(() => 'failed' as const);
  const checked = check().then(
    () => 'ok' as const,
    (error: unknown) => {
      onFailure(error);
      return 'failed' as const;
    },
  );
  const outcome = await Promise.race([checked, tooLate]);
  done.abort();
  return outcome;
}
