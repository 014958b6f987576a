import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, type Database } from '../../src/database/connect.ts';
import { createLog } from '../../src/lib/log.ts';
import { sleep } from '../../src/lib/time.ts';
import { startTestApp, type Person, type TestApp } from '../support/app.ts';
import { until } from '../support/ledger.ts';

/** That requests have. */
const CONNECTIONS = 8;
const CLIENTS = 30;
const PAUSE_MS = 50;

let app: TestApp;
let byHand: Database;
let alice: Person;
beforeAll(async () => {
  app = await startTestApp();
  byHand = connectDatabase(app.database.address, { log: createLog('silent'), poolSize: 1, silenceMs: Infinity });
  alice = await app.signUp('alice');
});
afterAll(async () => {
  await byHand.destroy();
  await app.stop();
});

/** Statements of requests that wait for a lock. */
async function countHeld(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%group_lists%'`.execute(
    app.database.db,
  );
  return rows[0]?.count ?? 0;
}

/** Asks again and again for what cannot be answered while its table is held, and nothing that sends needs. */
async function flood(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await alice.call('venom/list-group-lists', {});
    await sleep(PAUSE_MS, signal);
  }
}

test('while requests have taken every connection there is for them, what falls due is sent', async () => {
  const { groups } = (await alice.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups', {})).body
    .data;
  const tomorrow = (await app.database.clock.now()).toTemporalInstant().toZonedDateTimeISO('UTC').add({ days: 1 });
  const date = tomorrow.toPlainDate().toString();
  const answer = await alice.call('venom/add-campaign-batch', {
    name: 'Due in the flood',
    html: 'Hello',
    group_metadata_ids: groups.map((group) => group.group_metadata_id),
    is_schedule: true,
    start_date: date,
    end_date: date,
    schedule_time: '09:00:00',
  });
  expect([answer.status, answer.body.message]).toEqual([200, undefined]);

  const over = new AbortController();
  let clients: Array<Promise<void>> = [];
  const held = byHand.transaction().execute(async (trx) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx);
    await sql`lock table group_lists in access exclusive mode`.execute(trx);
    clients = Array.from({ length: CLIENTS }, () => flood(over.signal));
    await until(countHeld, (count) => count === CONNECTIONS);
    await app.database.clock.set(`${date}T09:00:01Z`);
    await until(
      () => app.database.db.selectFrom('deliveries').select('status').execute(),
      (found) => found.length === groups.length && found.every(({ status }) => status === 'sent'),
    );
    expect(await countHeld()).toBeGreaterThan(0);
  });
  try {
    await held;
  } finally {
    over.abort();
    await Promise.all(clients);
  }
});
