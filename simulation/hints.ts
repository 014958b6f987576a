/** Hints in a simulated world: PostgreSQL's own, brought by the simulator soon, later, or never. */
import pg from 'pg';
import { connectionSettings, type PostgresAddress } from '../src/database/connect.ts';
import { HINT_CHANNELS } from '../src/database/hint-channels.ts';
import type { Hints } from '../src/database/listen.ts';
import { time, type VirtualProcess } from './virtual-time.ts';

const MARKER = 'simulation_marker';

export interface Notifications {
  /** Resolves when everything notified by what is committed has been handed on. */
  collect(): Promise<void>;
  open(process: VirtualProcess): Hints;
  close(): Promise<void>;
}

/** `chance` draws in [0, 1) what becomes of a hint. */
export async function openNotifications(
  address: PostgresAddress,
  chance: () => number,
  isCalm: () => boolean,
): Promise<Notifications> {
  const client = new pg.Client({ ...connectionSettings(address), connectionTimeoutMillis: 0 });
  await client.connect();
  await client.query([...HINT_CHANNELS, MARKER].map((channel) => `listen ${channel}`).join('; '));
  const listeners: Array<{ process: VirtualProcess; channel: string; handler: (payload: string) => void }> = [];
  let marked: (() => void) | undefined;

  /** Told by the server, and handed on when it is known to have told all. */
  let told: Array<{ channel: string; payload: string }> = [];
  client.on('notification', ({ channel, payload = '' }) => {
    if (channel === MARKER) marked?.();
    else told.push({ channel, payload });
  });

  function handOn({ channel, payload }: { channel: string; payload: string }): void {
    for (const one of listeners) {
      if (one.process.isDead || one.channel !== channel) continue;
      const drawn = chance();
      if (drawn < 0.1 && !isCalm()) continue;
      time.at(time.nowMs() + drawn * 30, () => one.handler(payload), one.process);
    }
  }

  return {
    async collect() {
      const arrived = new Promise<void>((resolve) => (marked = resolve));
      await client.query(`notify ${MARKER}`);
      await arrived;
      const all = told;
      told = [];
      for (const one of all) handOn(one);
    },
    open: (process) => ({
      on(channel, handler) {
        listeners.push({ process, channel, handler });
        time.at(time.nowMs() + 1, () => handler(''), process);
      },
      close: () => Promise.resolve(),
    }),
    close: () => client.end(),
  };
}
