import { EVENT_TYPES } from '../../workspaces/events/event-types.ts';
import type { NewEvents, Cursor } from '../../workspaces/events/read-new-events.ts';
import type { WorkspaceEvent } from '../../workspaces/events/read-events.ts';
import type { ExpiredEvent } from '../contract/events.ts';
import { isRetained } from './event-id.ts';
import { eventFrame, type EventStream } from './event-stream.ts';
import type { WorkspaceChannel } from './workspace-feed.ts';

/** The types of events on streams; the others are about webhooks themselves. */
export const STREAMED_TYPES: readonly string[] = EVENT_TYPES;

/** Returns events in the wire format, each with its id. The data is the same as for webhooks. */
export function messageFrames(epoch: number, events: readonly WorkspaceEvent[]): string {
  return events
    .map(({ type, at, data, position }) =>
      eventFrame('message', JSON.stringify({ type, timestamp: at.toISOString(), data }), { epoch, position, at }),
    )
    .join('');
}

/** Sends the open streams of a workspace the events since the last broadcast. */
export function broadcastEvents(feed: WorkspaceChannel, newEvents: NewEvents): void {
  if (feed.streams.size === 0) return;
  const { events, upTo } = newEvents.of(feed.workspaceId);
  const before = feed.cursor?.position ?? upTo.position;
  const frames = messageFrames(
    upTo.epoch,
    events.filter(({ position }) => position > before),
  );
  // For newcomers the events may have been read from an earlier position.
  if (upTo.position >= before) feed.cursor = upTo;
  if (frames !== '') for (const stream of feed.streams) stream.send(frames);
}

/**
 * Sends a newcomer the missed events that were read. Returns false when more events are missing: the stream then needs a backfill before
 * it goes live.
 */
export function sendMissedEvents(
  stream: EventStream,
  workspaceId: WorkspaceChannel['workspaceId'],
  newEvents: NewEvents,
): boolean {
  const { events, upTo } = newEvents.of(workspaceId);
  const missedFrom: Cursor | undefined =
    stream.cursor && isRetained(stream.cursor, newEvents.head) ? stream.cursor : undefined;
  if (!missedFrom) {
    if (stream.lastEventId !== undefined) stream.sendUnbounded(expiredFrame(stream.lastEventId));
    stream.cursor = newEvents.head;
    return true;
  }
  const missed = events.filter(({ position }) => position > missedFrom.position);
  stream.sendUnbounded(messageFrames(upTo.epoch, missed));
  if (upTo.position > missedFrom.position) stream.cursor = upTo;
  return upTo.position === newEvents.head.position;
}

function expiredFrame(lastEventId: string): string {
  return eventFrame('expired', JSON.stringify({ last_event_id: lastEventId } satisfies ExpiredEvent));
}
