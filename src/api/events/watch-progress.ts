import type { ServerResponse } from 'node:http';
import type { Database } from '../../platform/database/statements.ts';
import type { Notifications } from '../../platform/database/listen.ts';
import type { PageLimits } from '../../workspaces/events/read-new-events.ts';
import { AppError } from '../../platform/errors/errors.ts';
import type { OnLoopError } from '../../platform/concurrency/failure-streak.ts';
import type { Log } from '../../platform/log/log.ts';
import { startLoop } from '../../platform/concurrency/loop.ts';
import type { Clock } from '../../platform/time/time.ts';
import type { Caller } from '../operation.ts';
import { openStream, type StreamLimits, type EventStream } from './event-stream.ts';
import { createFeeds, RETRY_SECONDS, type FeedLimits } from './feeds.ts';
import { poll } from './poll.ts';
import { partyOf } from '../server/set-requesters.ts';
import { readEventsAfter } from '../../workspaces/events/read-events.ts';
import { createFairSemaphore, withPermit } from '../../platform/concurrency/fair-semaphore.ts';
import { workFor } from '../../platform/concurrency/requester.ts';
import { messageFrames, STREAMED_TYPES } from './broadcast-events.ts';
import type { WorkspaceChannel } from './workspace-feed.ts';

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

/** The source of live progress. */
export interface EventSource {
  db: Database;
  /** IANA zone of users who chose none. Default is UTC. */
  timeZone?: string;
  clock: Clock;
  notifications?: Pick<Notifications, 'on'>;
  limits?: Partial<WatchLimits>;
  onLoopError?: OnLoopError;
}

/**
 * The clients of this process that listen to live progress. Looks into the ledger for all of them together, a fixed number of statements however many they are; not at all
 * while there are none. `NOTIFY` is not asked: writers would have to follow each other to send it (docs/explanation/decisions/0018).
 * `onDrop` is called when a client was too slow.
 */
export function watchProgress(source: EventSource & { log: Log; onDrop: () => void }) {
  const { db, timeZone = 'UTC', log, clock, notifications, onDrop, onLoopError } = source;
  const limits = { ...WATCH_LIMITS, ...source.limits };
  const feeds = createFeeds(limits);
  let isEnding = false;
  let gathering: NodeJS.Timeout | undefined;

  const step = async () => {
    if (feeds.count() === 0) return limits.keepAliveMs;
    return (await poll({ db, timeZone, log, clock, backfill }, feeds, limits)) ? 0 : limits.pollMs;
  };
  const loop = startLoop('live progress', step, { log, onLoopError });
  const backfill = createBackfill({ db, log }, { page: limits.events.page, onBackfilled: () => loop.wake() });
  const heart = setInterval(() => {
    for (const stream of feeds.streams()) stream.keepAlive();
    for (const feed of feeds.all()) feed.broadcastPosition();
  }, limits.keepAliveMs).unref();
  notifications?.on('campanile_tokens', () => loop.wake());

  return {
    /** Throws `rate_limited` or `unavailable` when there are too many already, or none are taken any more. */
    assertStreamLimit(caller: Caller) {
      if (isEnding)
        throw new AppError('server_stopping', 'The server is stopping', { retryAfterSeconds: RETRY_SECONDS });
      feeds.assertStreamLimit(caller);
    },
    /**
     * Streams to the client, from `lastEventId` or from now on, until the client leaves, is too slow, or its token ends. An invalid id is
     * treated like one that is too old.
     */
    add(response: ServerResponse, who: { caller: Caller; lastEventId: string | undefined }) {
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
    /** Ends all streams; takes no more. */
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

/** Backfills at once, and no more: backfilling is not urgent, since there is far more to read than for live streams. */
const PERMITS = { name: 'event_streams', size: 4, perKey: 1, maxWaiting: 5_000, maxWaitMs: 60_000 };

/**
 * Backfill: sends a stream that has missed more than a page its missed events, one page at a time. The next page is read only after the
 * client has taken the one before, so memory holds at most one page per stream. A stream takes three steps: *backfill* here; *cut-over* as
 * a newcomer once a page is the last one, where the next poll continues from the stream's cursor; then *live* with the other streams of
 * its workspace.
 */
function createBackfill(
  { db, log }: { db: Database; log: Log },
  /** `page`: in events. */
  { page, onBackfilled }: { page: number; onBackfilled: () => void },
): (feed: WorkspaceChannel, stream: EventStream) => void {
  const permits = createFairSemaphore(PERMITS);

  /** Returns whether there may be more. */
  async function sendEventPage({ workspaceId }: WorkspaceChannel, stream: EventStream): Promise<boolean> {
    const { cursor, caller } = stream;
    if (!cursor) return false;
    const party = partyOf(caller);
    const read = () => readEventsAfter(db, workspaceId, cursor.position, { filters: STREAMED_TYPES, limit: page });
    const events = await withPermit(permits, () => workFor({ party, isWrite: false }, read), { party });
    const last = events.at(-1);
    if (last) stream.cursor = { epoch: cursor.epoch, position: last.position, at: last.at };
    stream.sendUnbounded(messageFrames(cursor.epoch, events));
    return events.length >= page;
  }

  async function backfill(feed: WorkspaceChannel, stream: EventStream): Promise<void> {
    let isMore = true;
    while (isMore && stream.isOpen()) {
      isMore = await sendEventPage(feed, stream);
      await stream.taken();
    }
    if (!feed.behind.delete(stream)) return;
    feed.newcomers.add(stream);
    onBackfilled();
  }

  return (feed, stream) => {
    backfill(feed, stream).catch((error: unknown) => {
      log.warn({ err: error }, 'what a stream has missed could not be read: its client comes back');
      stream.end();
    });
  };
}
