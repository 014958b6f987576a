import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createFairSemaphore } from '../../platform/concurrency/fair-semaphore.ts';
import type { OverloadError } from '../../platform/errors/errors.ts';
import { sleep } from '../../platform/time/time.ts';
import { shareOf } from './set-requesters.ts';

declare module 'fastify' {
  interface FastifyRequest {
    hasPassedDoor: boolean;
  }
  interface FastifyContextConfig {
    /** For the operator's probes: they have to be answered whatever waits. */
    isOutsideDoor?: boolean;
  }
}

/**
 * The door to the event loop. Every request passes it once, before anything is spent on it: after its body has arrived, and before that is
 * parsed and validated; one that is rejected without being read, before its answer is written.
 */
export type Door = ReturnType<typeof createDoor>;

export interface DoorLimits {
  maxWaiting: number;
  maxWaitMs: number;
}

export const DOOR_LIMITS: DoorLimits = { maxWaiting: 500, maxWaitMs: 30_000 };

/** A party is active for so long after its last request. */
const ACTIVE_MS = 100;
/** While nobody yields, the event loop may be used for so long before other sockets are read. */
const UNBROKEN_MS = 0.5;
/**
 * A party with further requests waiting, beside others, rests for this multiple of the cost of a request, and for a millisecond at least, as
 * timers do: requests that are cheap here cost other cores something, too. So does an answer that took `answerMs` to write.
 */
const REST = { factor: 4, answerMs: 1, maxMs: 5_000 };
/** Tarpit: a rejected client that repeats at once would be load itself. */
const REJECTION_MS = 1_000;

export function createDoor({ maxWaiting, maxWaitMs }: DoorLimits) {
  const permits = createFairSemaphore({
    name: 'event_loop',
    size: Infinity,
    perKey: 1,
    yielding: { waiters: 1, withinMs: ACTIVE_MS },
    maxWaiting,
    maxWaitMs,
  });
  let unbrokenMs = 0;

  /** Gives the permit back when other sockets have been read, or when the party has rested. */
  function releaseLater(release: (costMs: number) => void, costMs: number, isYielding: boolean): void {
    unbrokenMs += costMs;
    if (!isYielding && unbrokenMs < UNBROKEN_MS) return release(costMs);
    unbrokenMs = 0;
    if (isYielding) setTimeout(() => release(costMs), Math.min(costMs * REST.factor, REST.maxMs)).unref();
    else setImmediate(() => release(costMs));
  }

  return {
    /** Whether somebody without this key has passed just now. */
    isOtherActive: permits.isOtherActive,
    /** Runs `work` when the party of the request has its turn. `work` gets the error if too many wait. What it awaits holds no permit. */
    pass(request: FastifyRequest, work: (error?: Error) => void): void {
      request.hasPassedDoor = true;
      const party = shareOf(request);
      permits.acquire({ party }).then(
        (release) => {
          const startedAt = performance.now();
          try {
            work();
          } finally {
            releaseLater(release, performance.now() - startedAt, permits.isYielding(party));
          }
        },
        async (error: OverloadError) => {
          await sleep(REJECTION_MS);
          work(error);
        },
      );
    },
    /** Runs what writes an answer, and lets the party of the request rest for its cost as for that of `pass`. */
    answer(request: FastifyRequest, write: () => void): void {
      const startedAt = performance.now();
      write();
      const costMs = performance.now() - startedAt;
      const party = shareOf(request);
      if (costMs < REST.answerMs || !permits.isYielding(party)) return;
      permits.acquire({ party, isContinuation: true }).then(
        (release) => releaseLater(release, costMs, permits.isYielding(party)),
        // Too many wait: the next of this party is turned away, which is rest enough.
        () => undefined,
      );
    },
  };
}

/** Lets all requests pass the door whose body the JSON parser does not read. */
export function guardDoor(server: FastifyInstance, door: Door): void {
  server.decorateRequest('hasPassedDoor', false);
  server.addHook('preValidation', (request, _reply, done) => {
    if (request.hasPassedDoor || request.routeOptions.config.isOutsideDoor) done();
    else door.pass(request, done);
  });
}
