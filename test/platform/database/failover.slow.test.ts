import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep } from '../../../src/platform/time/time.ts';
import { until } from '../../support/ledger.ts';
import { startOwnPostgres, type OwnPostgres } from '../../support/servers/own-postgres.ts';
import { startReplica, type Replica } from '../../support/servers/replica.ts';
import {
  expectPutOff,
  startWitnessedService,
  type WitnessedService,
} from '../../../harness/witness/witnessed-service.ts';

const GROUPS = 25;

let primary: OwnPostgres;
let replica: Replica;
let current: OwnPostgres;
let service: WitnessedService;
beforeAll(async () => {
  primary = await startOwnPostgres();
  current = primary;
  const { user, database } = primary.address();
  service = await startWitnessedService({ socket: () => current.socket(), user, database }, GROUPS);
  replica = await startReplica(primary);
});
afterAll(async () => {
  await service.remove();
  await replica.remove();
  await primary.remove();
});

test('loses nothing accepted and sends nothing twice when a synchronous replica replaces a dead server', async () => {
  await service.send('before');
  let during = 0;
  const over = new AbortController();
  // Campaigns arrive all the time, so that one has just been accepted whenever the server dies.
  const sending = (async () => {
    while (!over.signal.aborted && during < 6) await service.send(`during ${++during}`);
  })();
  await until(
    () => service.accepted('before'),
    (count) => count >= 5,
  );
  await primary.end('kill -9');
  expectPutOff(await service.ask('venom/list-campaigns'));
  expectPutOff(await service.ask('user/get_profile'));
  current = await replica.promote();
  await sleep(200);
  over.abort();
  await sending;
  await service.send('after');
  await service.expectNothingLostOrTwice();
  expect(during).toBeGreaterThan(1);
});
