import { sql, type RawBuilder } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase } from '../../../src/platform/database/connect.ts';
import type { Database } from '../../../src/platform/database/statements.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { sleep } from '../../../src/platform/time/time.ts';
import { countBlocked } from '../../support/count-blocked.ts';
import { until } from '../../support/ledger.ts';
import { startOwnPostgres, type OwnPostgres, type ServerEnd } from '../../support/servers/own-postgres.ts';
import { signal } from '../../support/servers/signal.ts';
import {
  expectPutOff,
  startWitnessedService,
  type WitnessedService,
} from '../../../harness/witness/witnessed-service.ts';

const GROUPS = 40;
/** The database role of the service. It is no superuser: no limit applies to superusers. */
const ROLE = 'campanile_service';

let postgres: OwnPostgres;
let service: WitnessedService;
beforeAll(async () => {
  postgres = await startOwnPostgres();
  const { database } = postgres.address();
  await administer(async (db) => {
    await sql`create role ${sql.id(ROLE)} login`.execute(db);
    await sql`alter database ${sql.id(database)} owner to ${sql.id(ROLE)}`.execute(db);
  });
  service = await startWitnessedService({ socket: postgres.socket, user: ROLE, database }, GROUPS);
});
afterAll(async () => {
  await service.remove();
  await postgres.remove();
});

/** Runs `work` as the superuser of the server. */
async function administer(work: (db: Database) => Promise<unknown>): Promise<void> {
  const db = connectDatabase(postgres.address(), { log: createLog('silent'), poolSize: 1 });
  await work(db);
  await db.destroy();
}

/** Limits the connections of the service; -1 removes the limit. */
const limitConnections = (db: Database, most: number) =>
  sql`alter role ${sql.id(ROLE)} connection limit ${sql.lit(most)}`.execute(db);

/** Ends all connections of the service, and returns their number. */
async function cutOffTheService(db: Database): Promise<number> {
  const { rows } = await sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${ROLE}`.execute(
    db,
  );
  return rows.length;
}

const OPERATIONS = ['user/get_profile', 'venom/list-campaigns', 'venom/list-groups'];

/** Sends a campaign, and waits until it is in the middle. */
async function beInTheMiddle(text: string): Promise<void> {
  await service.send(text);
  await until(
    () => service.accepted(text),
    (count) => count >= GROUPS / 4,
  );
}

async function expectAllPutOff(): Promise<void> {
  for (const answer of await Promise.all(OPERATIONS.map((path) => service.ask(path)))) expectPutOff(answer);
  expect((await fetch(`${service.url}/health/ready`)).status).toBe(503);
  expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
}

test.each<ServerEnd>(['fast', 'immediate', 'kill -9'])(
  'survives a server that ends in the middle of a campaign (%s), without loss or duplicates',
  async (how) => {
    await beInTheMiddle(how);
    await postgres.end(how);
    await expectAllPutOff();
    const asked = service.send(`asked for while it was away: ${how}`);
    await sleep(500);
    await postgres.start();
    await asked;
    await service.expectNothingLostOrTwice();
  },
);

test('survives a network that breaks every connection', async () => {
  await beInTheMiddle('cut');
  service.network.cut();
  await expectAllPutOff();
  service.network.heal();
  await service.expectNothingLostOrTwice();
});

test('survives a stalled network', async () => {
  await beInTheMiddle('stall');
  service.network.stall();
  const before = await service.accepted('stall');
  await expectAllPutOff();
  // Its lease has expired, so it has stopped sending: only the post in hand has left.
  expect(await service.accepted('stall')).toBeLessThanOrEqual(before + 1);
  service.network.heal();
  await service.expectNothingLostOrTwice();
});

/** Longer than a statement may take, and than a lease lasts. */
const LOCKED_MS = 15_000;
const SLOW_MS = 10_000;
const CANCELLED_MS = 5_000;

test.each(['deliveries', 'lanes', 'shards'])('survives that somebody keeps the table %s locked', async (table) => {
  await beInTheMiddle(`locked: ${table}`);
  await administer((db) =>
    db.transaction().execute(async (trx) => {
      await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(trx);
      let blocked = 0;
      await repeatFor(LOCKED_MS, 500, async () => {
        blocked = Math.max(blocked, await countBlocked(trx));
      });
      expect(blocked).toBeGreaterThan(0);
    }),
  );
  await service.expectNothingLostOrTwice();
});

test('survives a server whose processes stand still most of the time, and keep their locks', async () => {
  await beInTheMiddle('slow');
  let stopped = 0;
  await administer((db) =>
    repeatFor(SLOW_MS, 30, async () => {
      const pids = await findBackends(db, sql`true`);
      for (const pid of pids) signal(pid, 'SIGSTOP');
      stopped += pids.length;
      await sleep(120);
      for (const pid of pids) signal(pid, 'SIGCONT');
    }),
  );
  expect(stopped).toBeGreaterThan(0);
  await service.expectNothingLostOrTwice();
});

test('survives that statements are cancelled in the middle', async () => {
  await beInTheMiddle('cancelled');
  let cancelled = 0;
  await administer((db) =>
    repeatFor(CANCELLED_MS, 20, async () => {
      const [pid] = await findBackends(db, sql`state = 'active'`);
      if (pid === undefined) return;
      await sql`select pg_cancel_backend(${pid})`.execute(db);
      cancelled += 1;
    }),
  );
  expect(cancelled).toBeGreaterThan(0);
  await service.expectNothingLostOrTwice();
});

/** Returns the processes of the server that work for the service. */
async function findBackends(db: Database, condition: RawBuilder<unknown>): Promise<number[]> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity where usename = ${ROLE} and ${condition} order by random()`.execute(db);
  return rows.map(({ pid }) => pid);
}

/** Takes a step again and again, with so long a pause after each, until the time is over. */
async function repeatFor(ms: number, pauseMs: number, step: () => Promise<void>): Promise<void> {
  for (const untilMs = performance.now() + ms; performance.now() < untilMs; await sleep(pauseMs)) await step();
}

test('survives a server that is out of connections', async () => {
  await beInTheMiddle('crowd');
  await administer(async (db) => {
    await limitConnections(db, 0);
    // A connection attempt may have begun before the limit; no new one succeeds after it.
    await until(
      () => cutOffTheService(db),
      (cut) => cut === 0,
    );
  });
  await expectAllPutOff();
  await administer((db) => limitConnections(db, -1));
  await service.expectNothingLostOrTwice();
});
