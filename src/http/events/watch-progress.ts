import type { ServerResponse } from 'node:http';
import { readAccountStates } from '../../accounts/account-status.ts';
import { NEVER_SEEN, readProgress } from '../../campaigns/read-progress.ts';
import type { Database } from '../../database/connect.ts';
import type { Hints } from '../../database/listen.ts';
import { AppError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { startLoop } from '../../lib/loop.ts';
import type { Clock } from '../../lib/time.ts';
import { findLapsed } from '../../users/find-lapsed.ts';
import type { Caller } from '../operation.ts';
import { toAccountEvent, toCampaignEvent, toDeletedEvent } from '../routes/live-events.ts';
import { openStream, type StreamLimits } from './event-stream.ts';
import { createFeeds, RETRY_SECONDS, type FeedLimits, type Feeds } from './feeds.ts';

export interface WatchLimits extends StreamLimits, FeedLimits {
  /** Milliseconds between two looks, and so between two events about one campaign: at most two a second (contract §4). */
  lookMs: number;
  /** So long newcomers wait for others to come, so that they are looked up together. */
  gatherMs: number;
  keepAliveMs: number;
}

export const WATCH_LIMITS: WatchLimits = {
  // Not 500: clients count by their own clock.
  lookMs: 600,
  gatherMs: 10,
  // Proxies take a connection for dead after 30 to 60 s.
  keepAliveMs: 15_000,
  perUser: 100,
  most: 5_000,
  mostUnread: 256 * 1024,
  retryMs: 3_000,
};

/** The clients of this process that listen to live progress. */
export interface Watch {
  /** Throws `rate_limited` or `unavailable` when there are too many already, or none are taken any more. */
  requireRoom(caller: Caller): void;
  /** Tells the client from now on, until it leaves, is too slow, or its token ends. */
  add(response: ServerResponse, caller: Caller): void;
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
  hints,
  limits = WATCH_LIMITS,
  onDrop,
  onLoopError,
}: {
  db: Database;
  log: Log;
  clock: Clock;
  hints?: Pick<Hints, 'on'>;
  limits?: WatchLimits;
  /** Called when a client was too slow. */
  onDrop: () => void;
  onLoopError?: (loop: string) => void;
}): Watch {
  const feeds = createFeeds(limits);
  let isEnding = false;
  let gathering: NodeJS.Timeout | undefined;

  const step = async () => {
    if (feeds.count() === 0) return limits.keepAliveMs;
    await look({ db, clock }, feeds, limits.lookMs);
    return limits.lookMs;
  };
  const loop = startLoop('live progress', step, { log, ...(onLoopError && { onError: onLoopError }) });
  const heart = setInterval(() => {
    for (const stream of feeds.streams()) stream.keepAlive();
  }, limits.keepAliveMs).unref();
  hints?.on('campanile_tokens', () => loop.wake());

  return {
    requireRoom(caller) {
      if (isEnding) throw new AppError('unavailable', 'The server is stopping', { retryAfterSeconds: RETRY_SECONDS });
      feeds.requireRoom(caller);
    },
    add(response, caller) {
      const leave = feeds.add(openStream(response, caller, { limits, onDrop }));
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

/** Reads what has changed, for all at once, and tells it: to those who wait for a snapshot everything. */
async function look(deps: { db: Database; clock: Clock }, feeds: Feeds, pauseMs: number): Promise<void> {
  const all = feeds.all();
  const waiting = all.flatMap((feed) => (feed.newcomers.size > 0 ? [{ feed, streams: [...feed.newcomers] }] : []));
  // A snapshot is of now, whether anything has changed or not.
  for (const { feed } of waiting) feed.changes = NEVER_SEEN;
  const [lapsed, accounts, progress] = await Promise.all([
    findLapsed(
      deps,
      [...feeds.streams()].map((stream) => ({ ...stream.caller, stream })),
    ),
    readAccountStates(
      deps,
      all.map(({ workspaceId }) => workspaceId),
    ),
    readProgress(deps, all),
  ]);
  for (const { stream } of lapsed) stream.end();
  for (const [workspaceId, state] of accounts)
    feeds.of(workspaceId)?.noteAccount(JSON.stringify(toAccountEvent(state)));
  for (const { workspaceId, changes, campaigns } of progress) {
    const feed = feeds.of(workspaceId);
    if (!feed) continue;
    feed.changes = changes;
    feed.noteCampaigns(
      campaigns.map((campaign) => ({
        ...campaign,
        json: JSON.stringify(campaign.isDeleted ? toDeletedEvent(campaign) : toCampaignEvent(campaign)),
      })),
    );
  }
  const nowMs = performance.now();
  for (const feed of all) feed.tell(nowMs, pauseMs);
  for (const { feed, streams } of waiting) feed.welcome(streams);
}
