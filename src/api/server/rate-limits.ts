import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../platform/errors/errors.ts';
import { shareOf } from './set-requesters.ts';

/**
 * The headers of the rate limit in each answer of a limited operation: those in wide use, and those of the IETF
 * (draft-ietf-httpapi-ratelimit-headers-11), which name the limit.
 */
export const RATE_HEADERS = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'ratelimit-policy',
  'ratelimit',
] as const;
export type RateHeader = (typeof RATE_HEADERS)[number];

/** A hook that counts a request. Throws `rate_limited` when there are too many. */
export type CheckRate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

const MINUTE_MS = 60_000;
const KEYS_KNOWN = 100_000;

/** Hooks that refuse what a person or a workspace asks too often in a minute: of `all`, where that is limited, and of `previews` by themselves. */
export async function limitRates(
  server: FastifyInstance,
  { all, previews }: { all: number | undefined; previews: number },
): Promise<{ rateLimit?: CheckRate; previewLimit: CheckRate }> {
  await server.register(rateLimit, {
    global: false,
    timeWindow: MINUTE_MS,
    cache: KEYS_KNOWN,
  });
  return {
    ...(all !== undefined && { rateLimit: limitTo(server, all, { name: 'requests', what: 'requests' }) }),
    previewLimit: limitTo(server, previews, { name: 'previews', what: 'previews and checks' }),
  };
}

const personOf = (request: FastifyRequest) => shareOf(request)[0] ?? '';
const workspaceOf = (request: FastifyRequest) => shareOf(request)[1] ?? '';

/**
 * Counts by person and by workspace, and reports the narrower count. If two limits apply to a request, the `x-` headers describe the narrower one, which is checked last, and the others list both.
 * `name` is that of the policy.
 */
function limitTo(server: FastifyInstance, max: number, { name, what }: { name: string; what: string }): CheckRate {
  const counters = [personOf, workspaceOf].map((keyGenerator) => server.createRateLimit({ max, keyGenerator }));
  return async (request, reply) => {
    const limits = await Promise.all(counters.map((count) => count(request)));
    const [limit] = limits
      .flatMap((one) => (one.isAllowed ? [] : [one]))
      .toSorted((one, other) => one.remaining - other.remaining || other.ttl - one.ttl);
    if (!limit) return;
    writeLimit(reply, name, limit);
    if (limit.isExceeded)
      throw new AppError('rate_limited', `Rate limit exceeded: ${max} ${what} a minute`, {
        retryAfterSeconds: Math.max(1, limit.ttlInSeconds),
      });
  };
}

function writeLimit(
  reply: FastifyReply,
  name: string,
  { max, remaining, ttlInSeconds: seconds }: { max: number; remaining: number; ttlInSeconds: number },
): void {
  const [limitName, remainingName, resetName, policiesName, limitsName] = RATE_HEADERS;
  reply.header(limitName, max).header(remainingName, remaining).header(resetName, seconds);
  addToList(reply, policiesName, `"${name}";q=${max};w=${MINUTE_MS / 1_000}`);
  addToList(reply, limitsName, `"${name}";r=${remaining};t=${seconds}`);
}

/** Adds an item to a header that is a list (RFC 9651). */
function addToList(reply: FastifyReply, header: RateHeader, item: string): void {
  const before = reply.getHeader(header);
  reply.header(header, before === undefined ? item : `${String(before)}, ${item}`);
}
