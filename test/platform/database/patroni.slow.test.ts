import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../support/ledger.ts';
import { hasPatroni, startPatroni, type Patroni } from '../../support/servers/patroni.ts';
import { startWitnessedService, type WitnessedService } from '../../../harness/witness/witnessed-service.ts';

const GROUPS = 25;
const CAMPAIGNS = 6;

// `apt-get install patroni etcd-server haproxy postgresql-15` brings them.
describe.runIf(hasPatroni)('three PostgreSQL under Patroni', () => {
  let patroni: Patroni;
  let service: WitnessedService;
  beforeAll(async () => {
    patroni = await startPatroni();
    const { socket, user, database } = patroni;
    service = await startWitnessedService({ socket, user, database }, GROUPS);
  });
  afterAll(async () => {
    await service.remove();
    await patroni.stop();
  });

  test('lose nothing accepted and send nothing twice when the leader dies in the middle of campaigns', async () => {
    for (let index = 1; index < CAMPAIGNS; index++) await service.send(`before ${index}`);
    await until(
      () => service.accepted('before 1'),
      (count) => count >= 5,
    );
    const killed = await patroni.killLeader();
    // The request gets 503, and is retried until there is a leader.
    await service.send('during');
    expect(await patroni.awaitLeader(killed)).not.toBe(killed);
    patroni.revive(killed);
    await service.expectNothingLostOrTwice();
  });
});
