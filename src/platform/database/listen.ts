import type { Log } from '../log/log.ts';
import { sleep } from '../time/time.ts';
import { DatabaseClient, type PostgresAddress } from './connect.ts';
import { NOTIFY_CHANNELS, type NotifyChannel } from './notify-channels.ts';

/**
 * The one connection of a process that listens for notifications (NOTIFY). A notification only makes something happen sooner: everything is
 * also found by polling, so a lost connection or a pooler that swallows LISTEN costs time and nothing else.
 */
export type Notifications = ReturnType<typeof listenForNotifications>;

const RECONNECT_MS = 1_000;

/** Starts listening; resolves at once and keeps (re)connecting in the background until closed. */
export function listenForNotifications(address: PostgresAddress, { log }: { log: Log }) {
  const handlers = new Map<string, Array<(payload: string) => void>>();
  const closed = new AbortController();
  let endWait: (() => void) | undefined;

  const emitMissedNotifications = () => {
    for (const list of handlers.values()) for (const handler of list) handler('');
  };

  async function stayConnected() {
    while (!closed.signal.aborted) {
      const current = new DatabaseClient(address, { application_name: 'campanile hints' });
      const broken = new Promise<void>((resolve) => {
        // Not once: a connection that is cut off says so twice, and an event nobody handles ends the process.
        current.on('error', () => resolve());
        current.once('end', () => resolve());
        endWait = resolve;
      });
      try {
        await current.connect();
        current.on('notification', (message) => {
          for (const handler of handlers.get(message.channel) ?? []) handler(message.payload ?? '');
        });
        await current.query(NOTIFY_CHANNELS.map((channel) => `listen ${channel}`).join('; '));
        emitMissedNotifications();
        await broken;
      } catch (error) {
        log.warn({ err: error }, 'cannot listen for hints; polling goes on');
      }
      const gone = current
        .end()
        .catch((error: unknown) => log.debug({ err: error }, 'a broken notification connection did not close cleanly'));
      await sleep(RECONNECT_MS, closed.signal);
      if (closed.signal.aborted) await Promise.race([gone, sleep(RECONNECT_MS)]);
    }
  }

  const ended = stayConnected();
  return {
    /** Calls `handler` with each payload on `channel`, and once with `''` whenever notifications may have been missed. */
    on(channel: NotifyChannel, handler: (payload: string) => void): void {
      const list = handlers.get(channel) ?? [];
      list.push(handler);
      handlers.set(channel, list);
    },
    async close(): Promise<void> {
      closed.abort();
      endWait?.();
      await ended;
    },
  };
}
