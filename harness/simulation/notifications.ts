/** Hints in a simulated world: PostgreSQL's own, brought by the simulator soon, later, or never. */
import pg from 'pg';
import { connectionSettings, type PostgresAddress } from '../../src/platform/database/connect.ts';
import { NOTIFY_CHANNELS } from '../../src/platform/database/notify-channels.ts';
import type { Notifications } from '../../src/platform/database/listen.ts';
import { time, type VirtualProcess } from './virtual-time.ts';

const MARKER = 'simulation_marker';

export interface SimulatedNotifications {
  /** Resolves when everything notified by what is committed has been handed on. */
  collect(): Promise<void>;
  open(process: VirtualProcess): Notifications;
  /** Leaves the database alone, and comes back to it. */
  pause(): Promise<void>;
  goOn(): Promise<void>;
  close(): Promise<void>;
}

/** `delay`: by how many milliseconds a hint comes late, or null, when it is lost. */
export async function openNotifications(
  address: PostgresAddress,
  delay: () => number | null,
): Promise<SimulatedNotifications> {
  const listeners: Array<{ process: VirtualProcess; channel: string; handler: (payload: string) => void }> = [];
  let onMarker: (() => void) | undefined;

  /** Told by the server, and handed on when it is known to have told all. */
  let received: Array<{ channel: string; payload: string }> = [];
  let client = await listen();

  async function listen(): Promise<pg.Client> {
    const opened = new pg.Client({ ...connectionSettings(address), connectionTimeoutMillis: 0 });
    await opened.connect();
    opened.on('notification', ({ channel, payload = '' }) => {
      if (channel === MARKER) onMarker?.();
      else received.push({ channel, payload });
    });
    await opened.query([...NOTIFY_CHANNELS, MARKER].map((channel) => `listen ${channel}`).join('; '));
    return opened;
  }

  function handOn({ channel, payload }: { channel: string; payload: string }): void {
    for (const one of listeners) {
      if (one.process.isDead || one.channel !== channel) continue;
      const lateMs = delay();
      if (lateMs !== null) time.at(time.nowMs() + lateMs, () => one.handler(payload), one.process);
    }
  }

  return {
    async collect() {
      const arrived = new Promise<void>((resolve) => (onMarker = resolve));
      await client.query(`notify ${MARKER}`);
      await arrived;
      const all = received;
      received = [];
      for (const one of all) handOn(one);
    },
    open: (process) => ({
      on(channel, handler) {
        listeners.push({ process, channel, handler });
        time.at(time.nowMs() + 1, () => handler(''), process);
      },
      close: () => Promise.resolve(),
    }),
    pause: () => client.end(),
    async goOn() {
      client = await listen();
    },
    close: () => client.end(),
  };
}
