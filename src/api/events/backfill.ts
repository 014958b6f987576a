import { partyOf } from '../server/set-requesters.ts';
import type { Database } from '../../platform/database/connect.ts';
import { readEventsAfter } from '../../workspaces/events/read-events.ts';
import type { Log } from '../../platform/log/log.ts';
import { createFairSemaphore } from '../../platform/concurrency/fair-semaphore.ts';
import { workFor } from '../../platform/concurrency/requester.ts';
import type { EventStream } from './event-stream.ts';
import { messageFrames, STREAMED_TYPES } from './broadcast-events.ts';
import type { WorkspaceChannel } from './workspace-feed.ts';

/** Backfills at once, and no more: backfilling is not urgent, since there is far more to read than for live streams. */
const PERMITS = { name: 'event_streams', size: 4, perKey: 1, maxWaiting: 5_000, maxWaitMs: 60_000 };

/**
 * Backfill: sends a stream that has missed more than a page its missed events, one page at a time. The next page is read only after the
 * client has taken the one before, so memory holds at most one page per stream. A stream takes three steps: *backfill* here; *cut-over* as
 * a newcomer once a page is the last one, where the next poll continues from the stream's cursor; then *live* with the other streams of
 * its workspace.
 */
export function createBackfill({
  db,
  log,
  page,
  onBackfilled,
}: {
  db: Database;
  log: Log;
  /** In events. */
  page: number;
  onBackfilled: () => void;
}): (feed: WorkspaceChannel, stream: EventStream) => void {
  const permits = createFairSemaphore(PERMITS);

  /** Returns whether there may be more. */
  async function sendEventPage({ workspaceId }: WorkspaceChannel, stream: EventStream): Promise<boolean> {
    const { cursor, caller } = stream;
    if (!cursor) return false;
    const party = partyOf(caller);
    const release = await permits.acquire({ party });
    try {
      const events = await workFor({ party, isWrite: false }, () =>
        readEventsAfter(db, workspaceId, cursor.position, { filters: STREAMED_TYPES, limit: page }),
      );
      const last = events.at(-1);
      if (last) stream.cursor = { epoch: cursor.epoch, position: last.position, at: last.at };
      stream.sendUnbounded(messageFrames(cursor.epoch, events));
      return events.length >= page;
    } finally {
      release();
    }
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
