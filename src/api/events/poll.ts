import { readAccountStates } from '../../sending/accounts/account-status.ts';
import { NEVER_SEEN, readProgress } from '../../sending/campaigns/read/read-progress.ts';
import type { Database } from '../../platform/database/statements.ts';
import { readNewEvents, type NewEvents, type PageLimits } from '../../workspaces/events/read-new-events.ts';
import { isDataError } from '../../platform/errors/database-errors.ts';
import { isolate } from '../../platform/concurrency/isolate.ts';
import { failureLevel, type Log } from '../../platform/log/log.ts';
import type { Clock } from '../../platform/time/time.ts';
import { findLapsed } from '../../identity/sessions/find-lapsed.ts';
import { toAccountEvent, toCampaignEvent } from '../routes/live-events.ts';
import type { EventStream } from './event-stream.ts';
import type { Feeds } from './feeds.ts';
import { STREAMED_TYPES, broadcastEvents, sendMissedEvents } from './broadcast-events.ts';
import type { WorkspaceChannel } from './workspace-feed.ts';

interface PollDeps {
  db: Database;
  /** IANA zone of users who chose none. */
  timeZone: string;
  log: Log;
  clock: Clock;
  /** Takes over a stream that has missed more than one page. */
  backfill: (feed: WorkspaceChannel, stream: EventStream) => void;
}

/** The data of several workspaces from one read. */
type Seen = Awaited<ReturnType<typeof read>>;

/**
 * Reads the changes and new events of all workspaces at once and sends them. Newcomers also get the events that they missed, and a
 * snapshot. If the data of a workspace cannot be read, only its streams end. Returns whether there are more events to read.
 */
export async function poll(
  deps: PollDeps,
  feeds: Feeds,
  { pollMs, events }: { pollMs: number; events: PageLimits },
): Promise<boolean> {
  const all = feeds.all();
  const waiting = new Map(all.map((feed) => [feed, [...feed.newcomers]]));
  // A snapshot is of now, whether anything has changed or not.
  for (const [feed, streams] of waiting) if (streams.length > 0) feed.changes = NEVER_SEEN;
  const callers = [...feeds.streams()].map((stream) => ({ ...stream.caller, stream }));
  const [lapsed, { results, failures }] = await Promise.all([
    findLapsed(deps, callers),
    isolate(all, (some) => read(deps, some, events), isDataError),
  ]);
  for (const { stream } of lapsed) stream.end();
  for (const { item, error } of failures) endFeed(deps, item, error);
  const nowMs = performance.now();
  for (const seen of results)
    for (const feed of seen.feeds)
      try {
        updateFeed(seen, feed);
        feed.broadcastChanges(nowMs, pollMs);
        const streams = waiting.get(feed) ?? [];
        if (streams.length > 0) admitNewcomers(deps, seen.happened, { feed, streams });
      } catch (error) {
        endFeed(deps, feed, error);
      }
  return results.some(({ feeds: those, happened }) =>
    those.some((feed) => feed.streams.size > 0 && (feed.cursor?.position ?? 0) < happened.head.position),
  );
}

async function read({ db, timeZone }: PollDeps, feeds: readonly WorkspaceChannel[], limits: PageLimits) {
  const [accounts, progress, happened] = await Promise.all([
    readAccountStates(
      { db, timeZone },
      feeds.map(({ workspaceId }) => workspaceId),
    ),
    readProgress({ db }, feeds),
    readNewEvents(
      db,
      feeds.map((feed) => ({ workspaceId: feed.workspaceId, after: feed.after() })),
      { ...limits, types: STREAMED_TYPES },
    ),
  ]);
  return { feeds, accounts, progress: new Map(progress.map((one) => [one.workspaceId, one])), happened };
}

function updateFeed({ accounts, progress, happened }: Seen, feed: WorkspaceChannel): void {
  const states = accounts.get(feed.workspaceId) ?? [];
  feed.setAccounts(
    states.map((state) => ({
      accountId: state.accountId,
      json: JSON.stringify(toAccountEvent(state, 'owner')),
      othersJson: JSON.stringify(toAccountEvent(state, 'manager')),
    })),
  );
  const seen = progress.get(feed.workspaceId);
  if (seen) {
    feed.changes = seen.changes;
    feed.setCampaigns(
      seen.campaigns.map((campaign) => ({
        ...campaign,
        json: JSON.stringify(toCampaignEvent(campaign)),
      })),
    );
  }
  broadcastEvents(feed, happened);
}

/** Ends the streams of a workspace. Its clients reconnect, and continue as soon as its data can be read. */
function endFeed({ log }: PollDeps, feed: WorkspaceChannel, error: unknown): void {
  const { workspaceId } = feed;
  log[failureLevel(error)](
    { err: error, workspaceId },
    'one workspace could not be told live progress; the others are',
  );
  for (const stream of [...feed.streams, ...feed.newcomers, ...feed.behind]) stream.end();
}

function admitNewcomers(
  { backfill }: PollDeps,
  happened: NewEvents,
  { feed, streams }: { feed: WorkspaceChannel; streams: readonly EventStream[] },
): void {
  // It may have left meanwhile.
  const there = streams.filter((stream) => feed.newcomers.has(stream));
  const [ready, behind] = [new Array<EventStream>(), new Array<EventStream>()];
  for (const stream of there) (sendMissedEvents(stream, feed.workspaceId, happened) ? ready : behind).push(stream);
  if (feed.streams.size === 0) feed.cursor = happened.head;
  feed.sendSnapshot(ready);
  for (const stream of behind) {
    feed.newcomers.delete(stream);
    feed.behind.add(stream);
    backfill(feed, stream);
  }
}
