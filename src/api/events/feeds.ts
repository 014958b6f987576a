import { AppError, OverloadError } from '../../platform/errors/errors.ts';
import type { UserId, WorkspaceId } from '../../platform/database/schema.ts';
import type { Caller } from '../operation.ts';
import type { EventStream } from './event-stream.ts';
import { createWorkspaceChannel, type WorkspaceChannel } from './workspace-feed.ts';

/** The most streams. */
export interface FeedLimits {
  perUser: number;
  /** Of this process. */
  most: number;
}

/** After so long one who was refused may come again. */
export const RETRY_SECONDS = 5;

/** The clients of this process that listen to live progress, by workspace. */
export interface Feeds {
  all(): WorkspaceChannel[];
  of(workspaceId: WorkspaceId): WorkspaceChannel | undefined;
  streams(): Iterable<EventStream>;
  /** Of streams. */
  count(): number;
  /** Throws `rate_limited` or `unavailable` when there are too many already. */
  assertStreamLimit(caller: Caller): void;
  /** Adds a newcomer. Returns the function that removes it. */
  add(stream: EventStream): () => void;
}

export function createFeeds(limits: FeedLimits): Feeds {
  const feeds = new Map<WorkspaceId, WorkspaceChannel>();
  /** Live and test streams together. */
  const perUser = new Map<UserId, number>();
  let size = 0;

  function count({ caller: { userId } }: EventStream, by: 1 | -1) {
    size += by;
    const own = (perUser.get(userId) ?? 0) + by;
    if (own > 0) perUser.set(userId, own);
    else perUser.delete(userId);
  }

  function remove(feed: WorkspaceChannel, stream: EventStream) {
    const wasThere = [feed.streams, feed.newcomers, feed.behind].filter((those) => those.delete(stream));
    if (wasThere.length === 0) return;
    count(stream, -1);
    if (feed.streams.size + feed.newcomers.size + feed.behind.size === 0) feeds.delete(feed.workspaceId);
  }

  return {
    all: () => [...feeds.values()],
    of: (workspaceId) => feeds.get(workspaceId),
    *streams() {
      for (const feed of feeds.values()) {
        yield* feed.streams;
        yield* feed.newcomers;
        yield* feed.behind;
      }
    },
    count: () => size,
    assertStreamLimit({ userId }) {
      if (size >= limits.most) throw new OverloadError('event_streams', RETRY_SECONDS);
      if ((perUser.get(userId) ?? 0) >= limits.perUser)
        throw new AppError('too_many_streams', `Limit exceeded: ${limits.perUser} concurrent event streams per user`, {
          retryAfterSeconds: RETRY_SECONDS,
          limit: limits.perUser,
        });
    },
    add(stream) {
      const { workspaceId } = stream.caller;
      const feed = feeds.get(workspaceId) ?? createWorkspaceChannel(workspaceId);
      feeds.set(workspaceId, feed);
      feed.newcomers.add(stream);
      count(stream, 1);
      return () => remove(feed, stream);
    },
  };
}
