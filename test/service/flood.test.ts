import { execute, readCount, sql } from '../../src/platform/database/statements.ts';
import { afterAll, expect, test } from 'vitest';
import { connectDatabase } from '../../src/platform/database/connect.ts';
import { REQUEST_SHARES } from '../../src/platform/database/share-connections.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { sleep } from '../../src/platform/time/time.ts';
import { useTestApp, type Person } from '../support/app.ts';
import { until } from '../support/ledger.ts';

/** Clients per user: few enough that no user has to yield to others. */
const CLIENTS = 6;
const PAUSE_MS = 50;

const app = await useTestApp();
const byHand = connectDatabase(app.database.address, { log: createLog('silent'), poolSize: 1, silenceMs: Infinity });
const alice = await app.signUp('alice');
const people = [alice, await app.signUp('dora'), await app.signUp('erin')];
afterAll(() => byHand.destroy());

/** Counts the statements that wait for a lock and contain `part` in the first thousand characters, which is all that PostgreSQL shows. */
async function countHeld(part = 'calendar_links'): Promise<number> {
  return readCount(app.database.db)`
    select count(*) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like ${`%${part}%`}`;
}

/** Repeats a request that blocks while its table is locked; sending does not use that table. */
async function flood(person: Person, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await person.call('venom/list-calendar-links', {});
    await sleep(PAUSE_MS, signal);
  }
}

test('sends due posts and stays ready while requests occupy all their connections', async () => {
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
    await execute(trx)`set local idle_in_transaction_session_timeout = 0`;
    await execute(trx)`lock table calendar_links in access exclusive mode`;
    clients = people.flatMap((person) => Array.from({ length: CLIENTS }, () => flood(person, over.signal)));
    await until(countHeld, (count) => count === REQUEST_SHARES.permits);
    await app.database.clock.set(`${date}T09:00:01Z`);
    await until(
      () => sql<{ status: string }>`select status from deliveries`.execute(app.database.db),
      ({ rows: found }) => found.length === groups.length && found.every(({ status }) => status === 'sent'),
    );
    expect((await fetch(`${app.url}/health/ready`)).status).toBe(200);
    expect(await countHeld()).toBeGreaterThan(0);
  });
  try {
    await held;
  } finally {
    over.abort();
    await Promise.all(clients);
  }
});

test('reads one analysis of a user at a time, beside one of another user', async () => {
  const bob = await app.signUp('bob');
  const campaigns = new Map<Person, string>();
  for (const person of [alice, bob]) {
    const { groups } = (await person.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups')).body
      .data;
    const ids = groups.slice(0, 1).map((group) => group.group_metadata_id);
    const sent = await person.call<{ campaign_id: string }>('venom/add-campaign', {
      name: 'Read by many',
      html: 'Hello',
      group_metadata_ids: ids,
    });
    campaigns.set(person, sent.body.data.campaign_id);
  }
  const analyse = (person: Person) =>
    person.call('analytics/get-campaign-group-analytics-master', { campaign_id: campaigns.get(person) });
  let answers: Array<ReturnType<typeof analyse>> = [];
  await byHand.transaction().execute(async (trx) => {
    await execute(trx)`set local idle_in_transaction_session_timeout = 0`;
    await execute(trx)`lock table group_sums in access exclusive mode`;
    answers = Array.from({ length: 4 }, () => analyse(alice));
    await until(
      () => countHeld('unwritten as'),
      (count) => count > 0,
    );
    answers.push(analyse(bob));
    await until(
      () => countHeld('unwritten as'),
      (count) => count > 1,
    );
    expect(await countHeld('unwritten as')).toBe(2);
  });
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
});
