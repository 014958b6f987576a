import { execute, readRows, sql } from '../../../src/platform/database/statements.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSafeHttpClient, type Egress } from '../../../src/platform/http-client/safe-http-client.ts';
import { assignPositions } from '../../../src/workspaces/events/assign-positions.ts';
import { readAllowedHosts } from '../../../src/platform/network/allowed-hosts.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { createVault } from '../../../src/platform/secrets/secret-box.ts';
import { sendWebhooks, SLOW_AFTER_MS } from '../../../src/notifications/webhooks/send-webhooks.ts';
import { deliverBatch } from '../../../src/notifications/webhooks/deliver-batch.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createOwner, until, type Owner } from '../../support/ledger.ts';
import { seededRandom } from '../../support/inputs/random.ts';
import { startReceiver, type Receiver } from '../../support/servers/receiver.ts';
import { claimDue, insertEvents, insertWebhook } from '../../support/webhooks.ts';

let database: TestDatabase;
let owner: Owner;
let receiver: Receiver;
let egress: Egress;
const vault = createVault({ key: Buffer.alloc(32, 3) });
const log = createLog('silent');

beforeEach(async () => {
  database = await createTestDatabase();
  owner = await createOwner(database.db, 1);
  receiver = await startReceiver();
  const allowed = readAllowedHosts(['127.0.0.1']);
  if (!allowed) throw new Error('no such hosts');
  egress = createSafeHttpClient({ allowHttp: true, allowed, timeoutMs: 1_000 });
});
afterEach(async () => {
  egress.close();
  await receiver.close();
  await database.drop();
});

const addWebhook = () => insertWebhook(database.db, vault, owner, receiver.url);
const happen = (from: number, to: number) => insertEvents(database.db, owner, from, to);
const start = () => sendWebhooks({ db: database.db, log, egress, vault });
const numbers = () => receiver.received.map(({ data }) => Number(data['number']));
const tell = (lane: Parameters<typeof deliverBatch>[1]) =>
  deliverBatch(
    { db: database.db, egress, vault, signal: new AbortController().signal, slowAfterMs: SLOW_AFTER_MS },
    lane,
  );

test('delivers every event to a slow, failing and absent receiver in order, and repeats one with the same id', async () => {
  const COUNT = 1_500;
  await addWebhook();
  const random = seededRandom(7);
  const moods = [{ status: 204 }, { status: 204 }, { status: 500 }, { status: 302 }, 'silence'] as const;
  receiver.answer(() =>
    random() < 0.99 ? { status: 204 } : (moods[Math.floor(random() * moods.length)] ?? { status: 204 }),
  );
  // Two processes, and one of them restarts repeatedly.
  const steady = start();
  let other = start();
  await happen(1, COUNT / 2);
  const port = Number(new URL(receiver.url).port);
  const before: typeof receiver.received = [];
  let rounds = 0;
  await until(async () => {
    rounds += 1;
    if (rounds % 20 === 0) {
      // Expires all claims.
      await database.clock.advance({ minutes: 10 });
      await other.stop();
      other = start();
    }
    if (rounds === 5) await happen(COUNT / 2 + 1, COUNT);
    if (rounds === 30) {
      before.push(...receiver.received);
      await receiver.close();
      await database.clock.advance({ minutes: 1 });
      receiver = await startReceiver(port);
    }
    const rows = await readRows<{ done: boolean }>(database.db)`
        select position = newest as done from webhooks where newest >= ${COUNT} and disabled_at is null`;
    // The webhook is never disabled: this test is about the retries.
    await execute(database.db)`
        update webhooks set failing_since = null, next_try_at = least(next_try_at, campanile_now())`;
    return rows[0]?.done ?? false;
  }, Boolean);
  await Promise.all([steady.stop(), other.stop()]);
  const received = [...before, ...receiver.received];
  const firsts = new Map<number, string | undefined>();
  for (const { data, headers } of received) {
    const number = Number(data['number']);
    const id = String(headers['webhook-id']);
    expect(firsts.get(number) ?? id).toBe(id);
    firsts.set(number, id);
  }
  expect([...firsts.keys()]).toEqual(Array.from({ length: COUNT }, (_, index) => index + 1));
  expect(received.length).toBeGreaterThan(COUNT);
});

test('delivers the batch of a crashed process again, and records no late result of it', async () => {
  const id = await addWebhook();
  await happen(1, 3);
  await assignPositions(database);
  const [dead] = await claimDue(database.db);
  if (!dead) throw new Error('nothing was due');
  expect(await claimDue(database.db)).toEqual([]);
  await database.clock.advance({ seconds: 61 });
  const [taken] = await claimDue(database.db);
  if (!taken) throw new Error('nobody took it over');
  expect(taken).toMatchObject({ webhookId: id, position: 0 });
  await tell(taken);
  await tell(dead);
  expect(numbers()).toEqual([1, 2, 3, 1, 2, 3]);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(ids.slice(3)).toEqual(ids.slice(0, 3));
  const rows = await readRows(database.db)`select from webhook_attempts`;
  expect(rows).toHaveLength(3);
});

test('delivers nothing from a ledger on hold', async () => {
  await addWebhook();
  await happen(1, 1);
  await assignPositions(database);
  await execute(database.db)`update ledger set held_since = campanile_now(), held_reason = 'a copy'`;
  expect(await claimDue(database.db)).toEqual([]);
  await execute(database.db)`update ledger set held_since = null, held_reason = null`;
  expect(await claimDue(database.db)).toHaveLength(1);
});

test('skips events that a webhook no longer subscribes to, and goes idle', async () => {
  const id = await addWebhook();
  await happen(1, 3);
  await assignPositions(database);
  await execute(database.db)`update webhooks set events = '{group.changed}' where webhook_id = ${id}`;
  const [lane] = await claimDue(database.db);
  if (!lane) throw new Error('nothing was due');
  await tell(lane);
  expect(numbers()).toEqual([]);
  expect(await claimDue(database.db)).toEqual([]);
});

test('reports failing loops, and delivers as soon as they recover', async () => {
  await addWebhook();
  await happen(1, 2);
  const failing = new Set<string>();
  const rename = async (from: string, to: string) => {
    for (const table of ['events', 'webhooks'])
      await execute(database.db)`alter table ${sql.id(table + from)} rename to ${sql.id(table + to)}`;
  };
  await rename('', '_gone');
  const webhooks = sendWebhooks({ db: database.db, log, egress, vault, onLoopError: (loop) => failing.add(loop) });
  await until(() => failing.size, 3);
  expect([...failing].toSorted()).toEqual(['events', 'slow webhooks', 'webhooks']);
  await rename('_gone', '');
  expect(await until(numbers, (all) => all.length === 2)).toEqual([1, 2]);
  await webhooks.stop();
});
