import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler, onRequestHookHandler } from 'fastify';
import { AppError } from '../../platform/errors/errors.ts';

/** The headers of the rate limit in each answer of a limited operation. */
export const RATE_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'] as const;
export type RateHeader = (typeof RATE_HEADERS)[number];

const MINUTE_MS = 60_000;
const USERS_KNOWN = 100_000;

/** Hooks that refuse what a user asks too often in a minute: of `all`, where that is limited, and of `previews` by themselves. */
export async function limitRates(
  server: FastifyInstance,
  { all, previews }: { all: number | undefined; previews: number },
): Promise<{ rateLimit?: onRequestHookHandler; previewLimit: onRequestHookHandler }> {
  await server.register(rateLimit, {
    global: false,
    timeWindow: MINUTE_MS,
    cache: USERS_KNOWN,
    keyGenerator: (request) => String(request.caller?.userId),
  });
  return {
    ...(all !== undefined && { rateLimit: limitTo(server, all, 'requests') }),
    previewLimit: limitTo(server, previews, 'previews and checks'),
  };
}

/** If two limits apply to a request, the answer's headers describe the narrower one, which is checked last. */
function limitTo(server: FastifyInstance, max: number, what: string): onRequestAsyncHookHandler {
  const count = server.createRateLimit({ max });
  return async (request: FastifyRequest, reply) => {
    const limit = await count(request);
    if (limit.isAllowed) return;
    const [limitName, remainingName, resetName] = RATE_HEADERS;
    reply.header(limitName, limit.max).header(remainingName, limit.remaining).header(resetName, limit.ttlInSeconds);
    if (limit.isExceeded)
      throw new AppError('rate_limited', `Rate limit exceeded: ${max} ${what} a minute`, {
        retryAfterSeconds: Math.max(1, limit.ttlInSeconds),
      });
  };
}
