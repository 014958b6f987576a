import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase } from '../../src/database/connect.ts';
import { createLog } from '../../src/lib/log.ts';
import { sleep } from '../../src/lib/time.ts';
import { until } from '../support/ledger.ts';
import { startOwnPostgres, type OwnPostgres, type ServerEnd } from '../support/own-postgres.ts';
import { expectPutOff, startWitnessedService, type WitnessedService } from '../witness/witnessed-service.ts';

const GROUPS = 40;
const MAX_CONNECTIONS = 30;

let postgres: OwnPostgres;
let service: WitnessedService;
beforeAll(async () => {
  postgres = await startOwnPostgres({ max_connections: String(MAX_CONNECTIONS) });
  const { user, database } = postgres.address();
  service = await startWitnessedService({ socket: postgres.socket, user, database }, GROUPS);
});
afterAll(async () => {
  await service.remove();
  await postgres.remove();
});

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
  'a server that ends in the middle of a campaign (%s) and comes back costs nothing but time',
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
  60_000,
);

test('so does a network that breaks every connection', async () => {
  await beInTheMiddle('cut');
  service.network.cut();
  await expectAllPutOff();
  service.network.heal();
  await service.expectNothingLostOrTwice();
}, 60_000);

test('so does a network that carries nothing and does not say so', async () => {
  await beInTheMiddle('stall');
  service.network.stall();
  const before = await service.accepted('stall');
  await expectAllPutOff();
  // Whatever it knew of its lease is over, so it has stopped sending; what was in hand is all that left.
  expect(await service.accepted('stall')).toBeLessThanOrEqual(before + 1);
  service.network.heal();
  await service.expectNothingLostOrTwice();
}, 60_000);

test('so does a server that is out of connections', async () => {
  await beInTheMiddle('crowd');
  const crowd: pg.Client[] = [];
  const { socketFolder: host, port, user, database } = postgres.address();
  const db = connectDatabase(postgres.address(), { log: createLog('silent'), poolSize: 1 });
  const cutOffTheService = () =>
    sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'campanile%' and pid <> pg_backend_pid()`.execute(
      db,
    );
  await sql`set application_name = 'crowd'`.execute(db);
  // The service takes a place whenever one is free, until all are taken.
  while (crowd.length < MAX_CONNECTIONS - 1) {
    await cutOffTheService();
    const client = new pg.Client({ host, port, user, database, application_name: 'crowd' });
    client.on('error', () => undefined);
    const failure: unknown = await client.connect().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure === undefined) crowd.push(client);
    else if (!(failure instanceof pg.DatabaseError && failure.code === '53300')) throw failure;
  }
  await expectAllPutOff();
  await Promise.all(crowd.map((client) => client.end()));
  await db.destroy();
  await service.expectNothingLostOrTwice();
}, 60_000);
