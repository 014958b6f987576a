import { readAccountStates } from '../../accounts/account-status.ts';
import { NEVER_SEEN, readProgress } from '../../campaigns/read/read-progress.ts';
import type { Database } from '../../database/connect.ts';
import { readNewEvents, type NewEvents, type PageLimits } from '../../events/read-new-events.ts';
import type { Clock } from '../../lib/time.ts';
import { findLapsed } from '../../users/sessions/find-lapsed.ts';
import { toAccountEvent, toCampaignEvent, toDeletedEvent } from '../routes/live-events.ts';
import type { EventStream } from './event-stream.ts';
import type { Feeds } from './feeds.ts';
import { STREAMED_TYPES, tellEvents, tellMissed } from './tell-events.ts';
import type { WorkspaceFeed } from './workspace-feed.ts';

interface LookDeps {
  db: Database;
  clock: Clock;
  /** Takes over a stream that has missed more than was read. */
  catchUp: (feed: WorkspaceFeed, stream: EventStream) => void;
}

/**
 * Reads what has changed and what has happened, for all at once, and tells it: to newcomers what they have missed, and a snapshot.
 * Answers whether more has happened than was read.
 */
export async function look(
  deps: LookDeps,
  feeds: Feeds,
  { lookMs, events }: { lookMs: number; events: PageLimits },
): Promise<boolean> {
  const all = feeds.all();
  const waiting = all.flatMap((feed) => (feed.newcomers.size > 0 ? [{ feed, streams: [...feed.newcomers] }] : []));
  // A snapshot is of now, whether anything has changed or not.
  for (const { feed } of waiting) feed.changes = NEVER_SEEN;
  const wanted = all.map((feed) => ({ workspaceId: feed.workspaceId, after: feed.after() }));
  const [lapsed, accounts, progress, happened] = await Promise.all([
    findLapsed(
      deps,
      [...feeds.streams()].map((stream) => ({ ...stream.caller, stream })),
    ),
    readAccountStates(
      deps,
      all.map(({ workspaceId }) => workspaceId),
    ),
    readProgress(deps, all),
    readNewEvents(deps.db, wanted, { ...events, types: STREAMED_TYPES }),
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
  for (const feed of all) {
    tellEvents(feed, happened);
    feed.tell(nowMs, lookMs);
  }
  for (const { feed, streams } of waiting) welcome(deps, happened, { feed, streams });
  return all.some(({ streams, place }) => streams.size > 0 && (place?.position ?? 0) < happened.head.position);
}

function welcome(
  { catchUp }: LookDeps,
  happened: NewEvents,
  { feed, streams }: { feed: WorkspaceFeed; streams: readonly EventStream[] },
): void {
  // It may have left meanwhile.
  const there = streams.filter((stream) => feed.newcomers.has(stream));
  const [ready, behind] = [new Array<EventStream>(), new Array<EventStream>()];
  for (const stream of there) (tellMissed(stream, feed.workspaceId, happened) ? ready : behind).push(stream);
  if (feed.streams.size === 0) feed.place = happened.head;
  feed.welcome(ready);
  for (const stream of behind) {
    feed.newcomers.delete(stream);
    feed.behind.add(stream);
    catchUp(feed, stream);
  }
}
