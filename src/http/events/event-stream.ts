import type { ServerResponse } from 'node:http';
import type { Caller } from '../operation.ts';

/** One client that listens. What it is sent leaves in order; a client that does not read is dropped, and comes back for a snapshot. */
export interface EventStream {
  readonly caller: Caller;
  /** The first of what is sent, however long it is. */
  begin(frames: string): void;
  /** Sends what has changed, or drops a client with more than `mostUnread` bytes unread. */
  send(frames: string): void;
  /** Shows proxies that the stream lives, and drops a client that has read nothing since the last time. */
  keepAlive(): void;
  /** Ends the stream as it should end. */
  end(): void;
}

export interface StreamLimits {
  /** Bytes sent and not yet taken by the client's connection, beyond which it is dropped. */
  mostUnread: number;
  /** Milliseconds a client is asked to wait before it connects again, drawn between half of it and all of it. */
  retryMs: number;
}

const COMMENT = ': still here\n\n';

/** Takes a response over, whose head is out. `onDrop` is called when the client was too slow. */
export function openStream(
  response: ServerResponse,
  caller: Caller,
  { limits, onDrop }: { limits: StreamLimits; onDrop: () => void },
): EventStream {
  let stuckAt: number | undefined;

  function drop() {
    if (response.destroyed) return;
    onDrop();
    response.destroy();
  }

  function write(text: string) {
    if (!response.writableEnded && !response.destroyed) response.write(text);
  }

  return {
    caller,
    begin(frames) {
      // Not all at once after a restart.
      write(`retry: ${Math.round(limits.retryMs * (0.5 + Math.random() / 2))}\n\n${frames}`);
    },
    send(frames) {
      if (response.writableLength > limits.mostUnread) drop();
      else write(frames);
    },
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

/** One event as it goes over the wire; `json` is on one line. */
export function eventFrame(name: 'account' | 'campaign' | 'campaign_deleted', json: string): string {
  return `event: ${name}\ndata: ${json}\n\n`;
}
