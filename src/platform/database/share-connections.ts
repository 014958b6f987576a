import type pg from 'pg';
import { ConnectionWaitError } from '../errors/database-errors.ts';
import { OverloadError } from '../errors/errors.ts';
import { createFairSemaphore, type ReleasePermit } from '../concurrency/fair-semaphore.ts';
import { currentRequester, type Requester } from '../concurrency/requester.ts';

export interface ConnectionShares {
  /** Connections lent at once. Fewer than the pool has, since hints need one, too. */
  permits: number;
  /** The most one person, workspace or address holds at once. */
  perRequester: number;
  /** When a requester yields and holds one permit at a time. */
  yielding: { waiters: number; withinMs: number };
  maxWaiting: number;
  maxWaitMs: number;
}

/**
 * Shares for requests: one requester gets at most half of the connections, so that slow statements leave the other half. A flood gets one
 * while other requesters are active, because the database's cores are shared as well. With usual statements of 5 ms the last of 400
 * waiters waits 0.3 s, with slow ones of 100 ms 6 s.
 */
export const REQUEST_SHARES: ConnectionShares = {
  permits: 7,
  perRequester: 4,
  yielding: { waiters: 8, withinMs: 100 },
  maxWaiting: 400,
  maxWaitMs: 10_000,
};

export type LendingPool = Pick<pg.Pool, 'connect' | 'on' | 'options' | 'end'>;

/**
 * The same pool behind a fair semaphore: requesters take turns, and load shedding begins with the one that has most waiting. A permit
 * is held exactly as long as a connection, never while a request waits for its body, a worker or its client, so that it can be part
 * of no deadlock (docs/explanation/decisions/0109).
 */
export function shareConnections(
  pool: pg.Pool,
  { permits, perRequester, ...limits }: ConnectionShares,
): LendingPool & { waiting(): number } {
  const semaphore = createFairSemaphore({ ...limits, name: 'database', size: permits, perKey: perRequester });
  const held = new Map<pg.PoolClient, ReleasePermit>();
  pool.on('release', (_error, client) => {
    held.get(client)?.();
    held.delete(client);
  });

  function acquirePermit(requester: Requester | undefined): Promise<ReleasePermit> {
    if (!requester) return semaphore.acquire();
    const { party, isWrite: isExclusive, hasBegun: isContinuation } = requester;
    return semaphore.acquire({ party, isExclusive, isContinuation });
  }

  function toError(error: unknown): unknown {
    if (!(error instanceof OverloadError)) return error;
    // Nobody has a connection: those with a permit are still trying to make one.
    if (held.size === 0) return Object.assign(new Error('no connection could be made', { cause: error }), TIMED_OUT);
    return new ConnectionWaitError(error);
  }

  async function connect(): Promise<pg.PoolClient> {
    const requester = currentRequester();
    let release: ReleasePermit;
    try {
      release = await acquirePermit(requester);
    } catch (error) {
      throw toError(error);
    }
    if (requester) requester.hasBegun = true;
    try {
      const client = await pool.connect();
      held.set(client, release);
      return client;
    } catch (error) {
      release();
      throw error;
    }
  }

  return {
    connect: connect as pg.Pool['connect'],
    on: pool.on.bind(pool),
    options: pool.options,
    end: () => pool.end(),
    waiting: semaphore.waiting,
  };
}

const TIMED_OUT = { code: 'ETIMEDOUT' };
