import type { ServerResponse } from 'node:http';
import type { Database } from '../../platform/database/connect.ts';
import type { Notifications } from '../../platform/database/listen.ts';
import type { PageLimits } from '../../workspaces/events/read-new-events.ts';
import { AppError } from '../../platform/errors/errors.ts';
import type { OnLoopError } from '../../platform/concurrency/failure-streak.ts';
import type { Log } from '../../platform/log/log.ts';
import { startLoop } from '../../platform/concurrency/loop.ts';
import type { Clock } from '../../platform/time/time.ts';
import type { Caller } from '../operation.ts';
import { createBackfill } from './backfill.ts';
import { openStream, type StreamLimits } from './event-stream.ts';
import { createFeeds, RETRY_SECONDS, type FeedLimits } from './feeds.ts';
import { poll } from './poll.ts';

export interface WatchLimits extends StreamLimits, FeedLimits {
  /** Milliseconds between two looks, and so between two events about one campaign: at most two a second (contract §4). */
  pollMs: number;
  /** Newcomers wait so long for others, so that they share one read. */
  gatherMs: number;
  keepAliveMs: number;
  /** How many events are read at once. */
  events: PageLimits;
}

export const WATCH_LIMITS: WatchLimits = {
  // Not 500: clients count by their own clock.
  pollMs: 600,
  gatherMs: 10,
  // Proxies take a connection for dead after 30 to 60 s.
  keepAliveMs: 15_000,
  perUser: 100,
  perWorkspace: 250,
  most: 5_000,
  mostUnread: 256 * 1024,
  retryMs: 3_000,
  // One has 20 kB at most, and 300 bytes as a rule.
  events: { page: 100, most: 1_000 },
};

/** The clients of this process that listen to live progress. */
export interface Watch {
  /** Throws `rate_limited` or `unavailable` when there are too many already, or none are taken any more. */
  assertStreamLimit(caller: Caller): void;
  /**
   * Streams to the client, from `lastEventId` or from now on, until the client leaves, is too slow, or its token ends. An invalid id is
   * treated like one that is too old.
   */
  add(response: ServerResponse, who: { caller: Caller; lastEventId: string | undefined }): void;
  count(): number;
  /** Ends all streams; takes no more. */
  end(): void;
  stop(): Promise<void>;
}

/**
 * Looks into the ledger for all clients of this process together, a fixed number of statements however many they are; not at all
 * while there are none. `NOTIFY` is not asked: writers would have to follow each other to send it (docs/explanation/decisions/0018).
 */
export function watchProgress({
  db,
  log,
  clock,
  notifications,
  limits = WATCH_LIMITS,
  onDrop,
  onLoopError,
}: {
  db: Database;
  log: Log;
  clock: Clock;
  notifications?: Pick<Notifications, 'on'>;
  limits?: WatchLimits;
  /** Called when a client was too slow. */
  onDrop: () => void;
  onLoopError?: OnLoopError;
}): Watch {
  const feeds = createFeeds(limits);
  let isEnding = false;
  let gathering: NodeJS.Timeout | undefined;

  const step = async () => {
    if (feeds.count() === 0) return limits.keepAliveMs;
    return (await poll({ db, log, clock, backfill }, feeds, limits)) ? 0 : limits.pollMs;
  };
  const loop = startLoop('live progress', step, { log, ...(onLoopError && { onError: onLoopError }) });
  const backfill = createBackfill({ db, log, page: limits.events.page, onBackfilled: () => loop.wake() });
  const heart = setInterval(() => {
    for (const stream of feeds.streams()) stream.keepAlive();
    for (const feed of feeds.all()) feed.broadcastPosition();
  }, limits.keepAliveMs).unref();
  notifications?.on('campanile_tokens', () => loop.wake());

  return {
    assertStreamLimit(caller) {
      if (isEnding)
        throw new AppError('server_stopping', 'The server is stopping', { retryAfterSeconds: RETRY_SECONDS });
      feeds.assertStreamLimit(caller);
    },
    add(response, who) {
      // The client left during authentication, so `close` will not be emitted again.
      if (response.destroyed) return;
      const leave = feeds.add(openStream(response, who, { limits, onDrop }));
      response.once('close', leave);
      gathering ??= setTimeout(() => {
        gathering = undefined;
        loop.wake();
      }, limits.gatherMs);
    },
    count: feeds.count,
    end() {
      isEnding = true;
      for (const stream of feeds.streams()) stream.end();
    },
    async stop() {
      clearTimeout(gathering);
      clearInterval(heart);
      await loop.stop();
    },
  };
}
