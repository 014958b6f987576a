import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { until } from '../../../support/ledger.ts';
import { removeService, startService, type Service } from '../../../support/service/service.ts';
import { createGroups, linkByQr, progressOf, sendCampaign, timesShown, towards } from '../../../support/whatsapp.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from '../../../../harness/whatsapp-peer/peer.ts';

const GROUPS = 6;
let peer: WhatsAppPeer;
let database: TestDatabase;
let api: TestApp;
const workers: Service[] = [];

beforeAll(async () => {
  peer = await startWhatsAppPeer();
  database = await createTestDatabase();
  api = await startTestApp({ ...towards(peer), role: 'api' }, database);
});
afterAll(async () => {
  for (const worker of workers) {
    await worker.kill();
    await removeService(worker);
  }
  await api.stop();
  await peer.stop();
  await database.drop();
});

/** A worker in its own process, which can be killed without ending the test. */
async function startWorker(): Promise<Service> {
  if ('url' in database.address) throw new Error('tests need a server on a Unix socket');
  const { socketFolder, user, database: name } = database.address;
  const worker = await startService({
    environment: {
      ...peer.environment,
      ROLE: 'worker',
      STATE_DIR: database.stateDir,
      DATABASE_URL: `postgres://${user}@localhost/${name}?host=${encodeURIComponent(socketFolder)}`,
      JWT_SECRET: 'the secret of the tests, long enough',
      ENCRYPTION_KEY: '07'.repeat(32),
    },
  });
  workers.push(worker);
  return worker;
}

test('lets another worker take over a campaign on the same link after a kill', async () => {
  const first = await startWorker();
  const phone = peer.addPerson('447700900001');
  const members = [peer.addPerson('4915100000002', [5]), peer.addPerson('4915100000003')];
  const alice = await api.signUp('alice', '+447700900001');
  const companion = await linkByQr(peer, alice, phone);
  const groups = await createGroups(alice, GROUPS, members);
  let seen = 0;
  const killed = Promise.withResolvers<void>();
  peer.script.judge = () => {
    if (++seen !== 3) return 'accept';
    void first.kill().then(() => killed.resolve());
    return 'lose the answer';
  };
  const campaign = await sendCampaign(alice, groups, 'taken over');
  await killed.promise;
  await until(
    () => companion.connection,
    (connection) => connection === undefined,
  );
  // As if its lease had expired, ten seconds later. Other tests check the wait.
  await sql`update shards set worker_id = null`.execute(database.db);
  await startWorker();
  const { totals } = await until(
    () => progressOf(alice, campaign),
    (progress) => progress.totals.queued === 0,
  );
  expect(totals).toMatchObject({ sent: GROUPS, failed: 0 });
  // The account's own phone, and three devices of members.
  expect(timesShown(peer, 'taken over')).toEqual(Array.from({ length: GROUPS * 4 }, () => 1));
  expect(peer.received.length).toBeGreaterThan(GROUPS);
});
