import { AppError, OverloadError } from '../../platform/errors/errors.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import type { Caller } from '../operation.ts';
import type { EventStream } from './event-stream.ts';
import { createWorkspaceChannel, type WorkspaceChannel } from './workspace-feed.ts';

/** The most streams. */
export interface FeedLimits {
  perUser: number;
  /** So that a workspace with many members leaves room for the others. */
  perWorkspace: number;
  /** Of this process. */
  most: number;
}

/** After so long one who was refused may come again. */
export const RETRY_SECONDS = 5;

export type Feeds = ReturnType<typeof createFeeds>;

/** The clients of this process that listen to live progress, by workspace. */
export function createFeeds(limits: FeedLimits) {
  const feeds = new Map<WorkspaceId, WorkspaceChannel>();
  /** Live and test streams together, by user and by workspace. */
  const open = new Map<string, number>();
  let size = 0;

  function count({ caller }: EventStream, by: 1 | -1) {
    size += by;
    for (const { key } of limitsOf(caller)) {
      const own = (open.get(key) ?? 0) + by;
      if (own > 0) open.set(key, own);
      else open.delete(key);
    }
  }

  function limitsOf({ userId, workspaceId, testOf }: Caller) {
    return [
      { key: `user ${userId}`, limit: limits.perUser, of: 'user' },
      { key: `workspace ${testOf ?? workspaceId}`, limit: limits.perWorkspace, of: 'workspace' },
    ];
  }

  function remove(feed: WorkspaceChannel, stream: EventStream) {
    const wasThere = [feed.streams, feed.newcomers, feed.behind].filter((those) => those.delete(stream));
    if (wasThere.length === 0) return;
    count(stream, -1);
    if (feed.streams.size + feed.newcomers.size + feed.behind.size === 0) feeds.delete(feed.workspaceId);
  }

  return {
    all: () => [...feeds.values()],
    of: (workspaceId: WorkspaceId) => feeds.get(workspaceId),
    *streams(): Iterable<EventStream> {
      for (const feed of feeds.values()) {
        yield* feed.streams;
        yield* feed.newcomers;
        yield* feed.behind;
      }
    },
    /** Of streams. */
    count: () => size,
    /** Throws `rate_limited` or `unavailable` when there are too many already. */
    assertStreamLimit(caller: Caller) {
      if (size >= limits.most) throw new OverloadError('event_streams', RETRY_SECONDS);
      for (const { key, limit, of } of limitsOf(caller))
        if ((open.get(key) ?? 0) >= limit)
          throw new AppError('too_many_streams', `Limit exceeded: ${limit} concurrent event streams per ${of}`, {
            retryAfterSeconds: RETRY_SECONDS,
            limit,
          });
    },
    /** Adds a newcomer. Returns the function that removes it. */
    add(stream: EventStream) {
      const { workspaceId } = stream.caller;
      const feed = feeds.get(workspaceId) ?? createWorkspaceChannel(workspaceId);
      feeds.set(workspaceId, feed);
      feed.newcomers.add(stream);
      count(stream, 1);
      return () => remove(feed, stream);
    },
  };
}
