import type { ServerResponse } from 'node:http';
import type { Cursor } from '../../workspaces/events/read-new-events.ts';
import type { Caller } from '../operation.ts';
import { readEventId, writeEventId } from './event-id.ts';

/** The stream of one client. Messages leave in order. A client that does not read is disconnected, and reconnects. */
export interface EventStream {
  readonly caller: Caller;
  /** The client's `Last-Event-ID`; undefined: it is new. */
  readonly lastEventId: string | undefined;
  /** The position of the last event that was sent; undefined: the client gets no earlier events. */
  cursor: Cursor | undefined;
  /** Sends something however long it is. */
  sendUnbounded(frames: string): void;
  /** Sends frames, or disconnects a client with more than `mostUnread` unread bytes. */
  send(frames: string): void;
  /** Resolves when the client has read everything sent to it, or has disconnected. */
  taken(): Promise<void>;
  isOpen(): boolean;
  /** Shows proxies that the stream lives, and drops a client that has read nothing since the last time. */
  keepAlive(): void;
  /** Ends the stream as it should end. */
  end(): void;
}

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
  { caller, lastEventId }: Pick<EventStream, 'caller' | 'lastEventId'>,
  { limits, onDrop }: { limits: StreamLimits; onDrop: () => void },
): EventStream {
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
    cursor: lastEventId === undefined ? undefined : readEventId(lastEventId),
    sendUnbounded: write,
    send(frames) {
      if (response.writableLength > limits.mostUnread) drop();
      else write(frames);
    },
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
    keepAlive() {
      const { writableLength, writableNeedDrain } = response;
      // The same amount as before and a little more: nothing has left.
      if (writableNeedDrain && stuckAt !== undefined && writableLength >= stuckAt) return drop();
      stuckAt = writableNeedDrain ? writableLength : undefined;
      write(COMMENT);
    },
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
