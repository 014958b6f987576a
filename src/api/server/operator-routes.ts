import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { AppError } from '../../platform/errors/errors.ts';
import { sleep } from '../../platform/time/time.ts';
import type { Health } from '../../platform/concurrency/health.ts';
import type { Log } from '../../platform/log/log.ts';
import { readVersion } from '../../platform/config/version.ts';
import { classifyDatabaseError } from './database-unavailable.ts';

/** Named things that have to be in order before requests can be served; each throws when it is not. */
export type ReadyChecks = Readonly<Record<string, () => Promise<void>>>;

/** Returns why nothing is sent, as a sentence; undefined when the ledger is not held. */
export type ReadHoldReason = () => Promise<string | undefined>;

const CHECK_TIMEOUT_MS = 3_000;

/** Registers the routes that machines poll: liveness, readiness and metrics. */
export function registerOperatorRoutes(
  server: FastifyInstance,
  {
    readyChecks,
    readHoldReason,
    health,
    isDiskFull,
    isStopping,
    metrics,
    settings: { metricsToken, publicUrl, publicDocs = false },
    log,
  }: {
    readyChecks: ReadyChecks;
    readHoldReason?: ReadHoldReason;
    health?: Pick<Health, 'problems'>;
    isDiskFull: () => boolean;
    isStopping(): boolean;
    metrics: Registry;
    settings: { metricsToken?: string | undefined; publicUrl?: string | undefined; publicDocs?: boolean | undefined };
    log: Log;
  },
): void {
  // Strangers need not know which of our versions they are up against.
  const version = publicUrl === undefined || publicDocs ? readVersion() : {};
  server.get('/health/live', { schema: { hide: true } }, async () => ({ status: 'ok', ...version }));

  server.get('/health/ready', { schema: { hide: true } }, async (_request, reply) => {
    let message: string | undefined;
    const checks = await runChecks(readyChecks, (check, error) => {
      log.debug({ err: error, check }, 'not ready');
      message ??= error instanceof AppError ? error.message : classifyDatabaseError(error, isDiskFull())?.message;
    });
    if (isStopping()) checks['stopping'] = 'failed';
    const problems = health?.problems() ?? [];
    for (const { name } of problems) checks[name] = 'failed';
    message ??= problems[0]?.message;
    const isReady = Object.values(checks).every((outcome) => outcome === 'ok');
    reply.code(isReady ? 200 : 503);
    let held: string | undefined;
    if (isReady && readHoldReason)
      await outcomeOf(
        async () => {
          held = await readHoldReason();
        },
        (error) => log.debug({ err: error }, 'whether the ledger is held could not be read'),
      );
    const details = { ...(message !== undefined && { message }), ...(held !== undefined && { held }) };
    return { status: isReady ? 'ok' : 'unavailable', ...details, checks, ...version };
  });

  server.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (metricsToken === undefined && publicUrl !== undefined && !publicDocs)
      throw new AppError('metrics_closed', 'With PUBLIC_URL, the metrics are only available if METRICS_TOKEN is set');
    if (metricsToken !== undefined && !isSameSecret(request.headers.authorization ?? '', metricsToken))
      throw new AppError('token_invalid', 'The metrics need the header Authorization: Bearer <METRICS_TOKEN>');
    reply.type(metrics.contentType);
    return metrics.metrics();
  });
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

/** Compares hashes, so that neither the length nor the first difference shows in the time it takes. */
function isSameSecret(authorization: string, secret: string): boolean {
  const given = /^bearer +(.*)$/i.exec(authorization)?.[1] ?? '';
  return timingSafeEqual(digest(given), digest(secret));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
