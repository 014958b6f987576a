import type pg from 'pg';
import { sleep } from '../../src/platform/time/time.ts';
import { drawMs, type Span } from '../../test/support/inputs/random.ts';
import { PATIENCE_MS } from '../../test/support/patience.ts';
import { GAP } from './gap.ts';
import type { LedgerClock } from './ledger-clock.ts';

/** Longer than the 15 minutes that a stored wait is believed (`limit-future-instants.ts`): the soak would wait for a shorter step. */
const STEP: Span = { minMs: 3_600_000, maxMs: 6 * 3_600_000 };
const POLL_MS = 100;

/** An account with posts left to send, and how many posts it was done with. */
interface Account {
  id: string;
  done: string;
}

/**
 * Clock step: sets the database's clock back by hours once no run is planned. Resolves when every account that had posts left has sent one
 * more, and no account with a gap waits longer than one whole gap. Throws when accounts do not go on.
 */
export async function stepClockBack(client: pg.Client, clock: LedgerClock, random: () => number): Promise<void> {
  const ms = drawMs(random, STEP);
  let busy: Account[] = [];
  await clock.step(ms, {
    async drain() {
      while ((await client.query(`select from runs where status = 'planned' limit 1`)).rows.length > 0)
        await sleep(POLL_MS);
    },
    async setBack() {
      busy = await findBusy(client);
      await client.query(`update test_clock set shift = shift - $1 * interval '1 millisecond'`, [ms]);
    },
  });
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const stuck = [...(await findStandingStill(client, busy)), ...(await findOverlongWaits(client))];
    if (stuck.length === 0) return;
    if (performance.now() > deadlineMs)
      throw new Error(
        `accounts stood still after the clock was set back by ${Math.round(ms / 60_000)} min: ${JSON.stringify(stuck)}`,
      );
    await sleep(POLL_MS);
  }
}

const WITH_POSTS_LEFT = `exists (
  select from runs r where r.workspace_id = l.workspace_id and r.status = 'running' and not r.paused and r.queued > 0)`;
const DONE = `(select coalesce(sum(r.sent + r.failed + r.cancelled), 0) from runs r where r.workspace_id = l.workspace_id)`;

async function findBusy(client: pg.Client): Promise<Account[]> {
  const { rows } = await client.query<Account>(`
    select l.account_id as id, ${DONE} as done from lanes l where ${WITH_POSTS_LEFT}`);
  return rows;
}

/** Accounts that still have posts left and have finished none since. */
async function findStandingStill(client: pg.Client, busy: readonly Account[]): Promise<object[]> {
  const { rows } = await client.query<object>(
    `select l.* from unnest($1::bigint[], $2::bigint[]) i (id, done)
     join lanes l on l.account_id = i.id
     where ${DONE} = i.done and ${WITH_POSTS_LEFT}`,
    [busy.map(({ id }) => id), busy.map(({ done }) => done)],
  );
  return rows;
}

/** Accounts with something to do that would wait longer than one whole gap between two posts. */
async function findOverlongWaits(client: pg.Client): Promise<object[]> {
  const { rows } = await client.query<object>(
    `select l.* from lanes l
     where l.wake_at is not null and l.next_send_at > campanile_now() + $1 * interval '1 millisecond'`,
    [GAP.maxMs],
  );
  return rows;
}
