import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { AppError } from '../../lib/errors.ts';
import { sleep } from '../../lib/time.ts';
import type { Log } from '../../lib/log.ts';

/** Named things that have to be in order before requests can be served; each throws when it is not. */
export type ReadyChecks = Readonly<Record<string, () => Promise<void>>>;

const CHECK_TIMEOUT_MS = 3_000;

/** What machines ask: is it alive, is it ready, how is it doing. */
export function registerOperatorRoutes(
  server: FastifyInstance,
  {
    readyChecks,
    isStopping,
    metrics,
    metricsToken,
    log,
  }: {
    readyChecks: ReadyChecks;
    isStopping(): boolean;
    metrics: Registry;
    metricsToken: string | undefined;
    log: Log;
  },
): void {
  server.get('/health/live', { schema: { hide: true } }, async () => ({ status: 'ok' }));

  server.get('/health/ready', { schema: { hide: true } }, async (_request, reply) => {
    const checks = await runChecks(readyChecks, log);
    if (isStopping()) checks['stopping'] = 'failed';
    const isReady = Object.values(checks).every((outcome) => outcome === 'ok');
    reply.code(isReady ? 200 : 503);
    return { status: isReady ? 'ok' : 'unavailable', checks };
  });

  server.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (metricsToken !== undefined && !isSameSecret(request.headers.authorization ?? '', metricsToken))
      throw new AppError('unauthenticated', 'The metrics need the header Authorization: Bearer <METRICS_TOKEN>');
    reply.type(metrics.contentType);
    return metrics.metrics();
  });
}

async function runChecks(checks: ReadyChecks, log: Log): Promise<Record<string, 'ok' | 'failed'>> {
  const outcomes = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await outcomeOf(name, check, log)] as const),
  );
  return Object.fromEntries(outcomes);
}

async function outcomeOf(name: string, check: () => Promise<void>, log: Log): Promise<'ok' | 'failed'> {
  const done = new AbortController();
  const tooLate = sleep(CHECK_TIMEOUT_MS, done.signal).then(() => 'failed' as const);
  const checked = check().then(
    () => 'ok' as const,
    (error: unknown) => {
      log.debug({ err: error, check: name }, 'not ready');
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
