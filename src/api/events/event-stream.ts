import type { ServerResponse } from 'node:http';
import type { Cursor } from '../../workspaces/events/read-new-events.ts';
import type { Caller } from '../operation.ts';
import { readEventId, writeEventId } from './event-id.ts';

/** The stream of one client. Messages leave in order. A client that does not read is disconnected, and reconnects. */
export type EventStream = ReturnType<typeof openStream>;

export interface StreamLimits {
  /** Bytes sent and not yet taken by the client's connection, beyond which it is dropped. */
  mostUnread: number;
  /** The reconnection time that a client is given, in milliseconds: drawn between half of this value and the full value. */
  retryMs: number;
}

const COMMENT = ': still here\n\n';

/** Takes over a response whose head has been sent. `onDrop` is called when the client was too slow. */
export function openStream(
  response: ServerResponse,
  /** `lastEventId`: the client's `Last-Event-ID`; undefined: it is new. */
  { caller, lastEventId }: { caller: Caller; lastEventId: string | undefined },
  { limits, onDrop }: { limits: StreamLimits; onDrop: () => void },
) {
  let stuckAt: number | undefined;
  const isOpen = () => !response.writableEnded && !response.destroyed;

  function drop() {
    if (response.destroyed) return;
    onDrop();
    response.destroy();
  }

  function write(text: string) {
    if (text !== '' && isOpen()) response.write(text);
  }

  // Not all at once after a restart.
  write(`retry: ${Math.round(limits.retryMs * (0.5 + Math.random() / 2))}\n\n`);
  return {
    caller,
    lastEventId,
    /** The position of the last event that was sent; undefined: the client gets no earlier events. */
    cursor: lastEventId === undefined ? undefined : readEventId(lastEventId),
    /** Sends something however long it is. */
    sendUnbounded: write,
    /** Sends frames, or disconnects a client with more than `mostUnread` unread bytes. */
    send(frames: string) {
      if (response.writableLength > limits.mostUnread) drop();
      else write(frames);
    },
    /** Resolves when the client has read everything sent to it, or has disconnected. */
    async taken() {
      if (!isOpen() || !response.writableNeedDrain) return;
      await new Promise<void>((resolve) => {
        const done = () => {
          response.off('drain', done).off('close', done);
          resolve();
        };
        response.on('drain', done).on('close', done);
      });
    },
    isOpen,
    /** Shows proxies that the stream lives, and drops a client that has read nothing since the last time. */
    keepAlive() {
      const { writableLength, writableNeedDrain } = response;
      // The same amount as before and a little more: nothing has left.
      if (writableNeedDrain && stuckAt !== undefined && writableLength >= stuckAt) return drop();
      stuckAt = writableNeedDrain ? writableLength : undefined;
      write(COMMENT);
    },
    /** Ends the stream as it should end. */
    end() {
      response.end();
    },
  };
}

/** Returns an event in the wire format; `json` is one line. With `cursor` the client can resume after it. */
export function eventFrame(
  name: 'account' | 'campaign' | 'campaign_deleted' | 'message' | 'expired',
  json: string,
  cursor?: Cursor,
): string {
  return `${cursor ? idLine(cursor) : ''}event: ${name}\ndata: ${json}\n\n`;
}

/** No event, but from where its client can go on. */
export function positionFrame(cursor: Cursor): string {
  return `${idLine(cursor)}\n`;
}

function idLine(cursor: Cursor): string {
  return `id: ${writeEventId(cursor)}\n`;
}
