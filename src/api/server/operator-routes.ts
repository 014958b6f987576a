import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { AppError } from '../../platform/errors/errors.ts';
import { hashSecret } from '../../platform/secrets/hash-secret.ts';
import { readVersion } from '../../platform/config/version.ts';
import { createReadiness, measureReadiness, type ReadinessDependencies } from './readiness.ts';

const OUTSIDE = { config: { isOutsideDoor: true } };

/** Registers the routes that machines poll: liveness, readiness and metrics. */
export function registerOperatorRoutes(
  server: FastifyInstance,
  {
    metrics,
    settings: { metricsToken, publicUrl, publicDocs = false },
    ...dependencies
  }: ReadinessDependencies & {
    metrics: Registry;
    settings: { metricsToken?: string | undefined; publicUrl?: string | undefined; publicDocs?: boolean | undefined };
  },
): void {
  const readReadiness = createReadiness(dependencies);
  measureReadiness(metrics, readReadiness);
  // Strangers need not know which of our versions they are up against.
  const version = publicUrl === undefined || publicDocs ? readVersion() : {};
  server.get('/health/live', OUTSIDE, async () => ({ status: 'ok', ...version }));

  server.get('/health/ready', OUTSIDE, async (_request, reply) => {
    const { isReady, checks, message, held } = await readReadiness();
    reply.code(isReady ? 200 : 503);
    const details = { ...(message !== undefined && { message }), ...(isReady && typeof held === 'string' && { held }) };
    return { status: isReady ? 'ok' : 'unavailable', ...details, checks, ...version };
  });

  server.get('/metrics', OUTSIDE, async (request, reply) => {
    if (metricsToken === undefined && publicUrl !== undefined && !publicDocs)
      throw new AppError('metrics_closed', 'With PUBLIC_URL, the metrics are only available if METRICS_TOKEN is set');
    if (metricsToken !== undefined && !isSameSecret(request.headers.authorization ?? '', metricsToken))
      throw new AppError('token_invalid', 'The metrics need the header Authorization: Bearer <METRICS_TOKEN>');
    reply.type(metrics.contentType);
    return metrics.metrics();
  });
}

/** Compares hashes, so that neither the length nor the first difference shows in the time it takes. */
function isSameSecret(authorization: string, secret: string): boolean {
  const given = /^bearer +(.*)$/i.exec(authorization)?.[1] ?? '';
  return timingSafeEqual(hashSecret(given), hashSecret(secret));
}
