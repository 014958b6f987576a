import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { connectionSettings } from '../../src/platform/database/connect.ts';
import { sleep } from '../../src/platform/time/time.ts';
import { MOVABLE_CLOCK } from '../../test/support/movable-clock.ts';
import { fillDisk } from '../../test/support/servers/own-disk.ts';
import type { ServerEnd } from '../../test/support/servers/own-postgres.ts';
import { drawMs, pick, type Span } from '../../test/support/inputs/random.ts';
import type { Fleet } from './fleet.ts';
import { stepClockBack } from './step-clock-back.ts';

/** What is done to the database. Of a hundred faults so many are of that kind. */
export interface DatabaseFault {
  name: string;
  share: number;
  /** Lasts long, or needs what a short run has not got. */
  isLong?: true;
  inflict(fleet: Fleet, random: () => number): Promise<void>;
}

const BEFORE_A_START: Span = { minMs: 0, maxMs: 2_000 };
/** Below and well over what anybody waits for a statement. */
const LOCKED: Span = { minMs: 5_000, maxMs: 30_000 };
const SLOW: Span = { minMs: 5_000, maxMs: 15_000 };
const CANCELLED: Span = { minMs: 2_000, maxMs: 6_000 };
const FULL: Span = { minMs: 3_000, maxMs: 8_000 };
const SET_BACK: Span = { minMs: 1_000, maxMs: 15_000 };
const TABLES = ['deliveries', 'runs', 'campaigns', 'lanes', 'shards', 'accounts'];
const FINDS_ROOM_MS = 15_000;

const ending = (how: ServerEnd, share: number): DatabaseFault => ({
  name: `PostgreSQL: ${how}`,
  share,
  async inflict({ postgres }, random) {
    await postgres.end(how);
    await sleep(drawMs(random, BEFORE_A_START));
    await postgres.start();
  },
});

export const DATABASE_FAULTS: readonly DatabaseFault[] = [
  ending('fast', 2),
  ending('immediate', 2),
  ending('kill -9', 2),
  { name: 'PostgreSQL: a table locked', share: 4, isLong: true, inflict: lockTable },
  { name: 'PostgreSQL: every statement slow', share: 3, isLong: true, inflict: slowDown },
  { name: 'PostgreSQL: statements cancelled', share: 3, inflict: cancelStatements },
  { name: 'PostgreSQL: its disk full', share: 2, isLong: true, inflict: leaveNoRoom },
  { name: 'PostgreSQL: its clock set back', share: 2, inflict: setClockBack },
  { name: 'PostgreSQL: its clock set back by hours', share: 2, isLong: true, inflict: setClockBackByHours },
];

async function lockTable(fleet: Fleet, random: () => number): Promise<void> {
  const table = pick(random, TABLES);
  await withConnection(fleet, async (client) => {
    await client.query(`begin; lock table ${table} in access exclusive mode`);
    await sleep(drawMs(random, LOCKED));
    await client.query('commit');
  });
}

/** Simulates an overloaded machine: each process of the server is stopped most of the time, and keeps its locks. */
async function slowDown(fleet: Fleet, random: () => number): Promise<void> {
  const untilMs = performance.now() + drawMs(random, SLOW);
  await withConnection(fleet, async (client) => {
    while (performance.now() < untilMs) {
      const pids = await findBackends(client);
      for (let round = 0; round < 4; round++) {
        signal(pids, 'SIGSTOP');
        await sleep(120).finally(() => signal(pids, 'SIGCONT'));
        await sleep(30);
      }
    }
  });
}

async function cancelStatements(fleet: Fleet, random: () => number): Promise<void> {
  const untilMs = performance.now() + drawMs(random, CANCELLED);
  await withConnection(fleet, async (client) => {
    while (performance.now() < untilMs) {
      const pids = await findBackends(client, "and state = 'active'");
      if (pids.length > 0) await client.query('select pg_cancel_backend($1)', [pick(random, pids)]);
      await sleep(20);
    }
  });
}

/** A full disk may end the server. Then this starts the server again, as an operator would. */
async function leaveNoRoom({ postgres, hasOwnDisk }: Fleet, random: () => number): Promise<void> {
  if (!hasOwnDisk) return;
  const filler = join(postgres.folder, 'filler');
  try {
    await fillDisk(filler);
    await sleep(drawMs(random, FULL));
  } finally {
    await rm(filler, { force: true });
  }
  if (await answers(postgres)) return;
  await postgres.end('fast');
  await postgres.start();
}

async function answers({ address }: Fleet['postgres']): Promise<boolean> {
  for (const deadline = performance.now() + FINDS_ROOM_MS; performance.now() < deadline; await sleep(500)) {
    const client = connect(address());
    const isUp = await client.connect().then(
      () => true,
      () => false,
    );
    if (isUp) await client.end();
    if (isUp) return true;
  }
  return false;
}

async function setClockBack(fleet: Fleet, random: () => number): Promise<void> {
  const ms = drawMs(random, SET_BACK);
  fleet.clock.mostMs += ms;
  await withConnection(fleet, async (client) => {
    await client.query(`update test_clock set shift = shift - $1 * interval '1 millisecond'`, [ms]);
  });
  fleet.clock.leastMs += ms;
}

async function setClockBackByHours(fleet: Fleet, random: () => number): Promise<void> {
  await withConnection(fleet, (client) => stepClockBack(client, fleet.clock, random));
}

/** Makes the clock of the database one that can be set back, before anybody uses it. */
export async function createClock(postgres: Fleet['postgres']): Promise<void> {
  const client = connect(postgres.address());
  await client.connect();
  await client.query(MOVABLE_CLOCK);
  await client.end();
}

async function findBackends(client: pg.Client, further = ''): Promise<number[]> {
  const { rows } = await client.query<{ pid: number }>(`
    select pid from pg_stat_activity
    where backend_type = 'client backend' and pid <> pg_backend_pid() ${further}`);
  return rows.map(({ pid }) => pid);
}

/** Those that have ended meanwhile need none. */
function signal(pids: readonly number[], name: 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of pids)
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
}

function connect(address: ReturnType<Fleet['postgres']['address']>): pg.Client {
  const client = new pg.Client({ ...connectionSettings(address), application_name: 'soak' });
  client.on('error', () => undefined);
  return client;
}

async function withConnection({ postgres }: Fleet, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = connect(postgres.address());
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
