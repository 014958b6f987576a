/** Metrics of webhooks, and the rotation of the key that seals their secrets. */
import { execute, readRows, sql } from '../../../src/platform/database/statements.ts';
import { Registry } from 'prom-client';
import { Webhook } from 'standardwebhooks';
import { afterAll, expect, test } from 'vitest';
import { assignPositions } from '../../../src/workspaces/events/assign-positions.ts';
import { readAllowedHosts } from '../../../src/platform/network/allowed-hosts.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { createVault } from '../../../src/platform/secrets/secret-box.ts';
import { countWebhooks } from '../../../src/notifications/webhooks/count-webhooks.ts';
import { measureWebhooks } from '../../../src/operations/measure-webhooks.ts';
import { resealWebhooks } from '../../../src/notifications/webhooks/manage-webhooks.ts';
import { aboutSecret } from '../../../src/notifications/webhooks/webhook-store.ts';
import { useTestApp } from '../../support/app.ts';
import { createTestDatabase } from '../../support/database.ts';
import { until } from '../../support/ledger.ts';
import { startReceiver } from '../../support/servers/receiver.ts';
import { workspaceOf } from '../../support/workspaces.ts';

const allowed = readAllowedHosts(['127.0.0.0/8']);
if (!allowed) throw new Error('no such hosts');
const app = await useTestApp({ egress: { allowHttp: true, allowed, proxy: {} } });
const receiver = await startReceiver();
const alice = await app.signUp('alice');
afterAll(() => receiver.close());

async function make(url = receiver.url) {
  const { body } = await alice.call<{ webhook_id: string; secret: string }>('venom/create-webhook', { url });
  return body.data;
}

const metrics = async () => (await fetch(`${app.url}/metrics`)).text();
const valueOf = (text: string, name: string) =>
  Number(new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (.*)$`, 'm').exec(text)?.[1]);

async function happen(): Promise<void> {
  await execute(app.database.db)`
    insert into events (workspace_id, type, data) values (${workspaceOf(alice)}, 'group.changed', '{}')`;
}

test('counts attempts by outcome, and disabled webhooks', async () => {
  const attempts = (outcome: string) => `campanile_webhook_attempts_total{outcome="${outcome}"}`;
  const off = 'campanile_webhooks_disabled_total{reason="gone"}';
  const before = await metrics();
  for (const name of [attempts('accepted'), attempts('rejected'), attempts('no_response'), off])
    expect(valueOf(before, name), name).toBe(0);
  await make();
  await make('http://127.0.0.1:9/nobody');
  await happen();
  await until(
    metrics,
    (text) => valueOf(text, attempts('accepted')) === 1 && valueOf(text, attempts('no_response')) === 1,
  );
  receiver.answer(() => ({ status: 410 }));
  await happen();
  await until(metrics, (text) => valueOf(text, off) === 1);
  expect(valueOf(await metrics(), attempts('rejected'))).toBe(1);
  const registry = new Registry();
  measureWebhooks(registry, { db: app.database.db, log: createLog('silent') });
  const text = await registry.metrics();
  expect(
    ['active', 'failing', 'disabled'].map((status) => valueOf(text, `campanile_webhooks{status="${status}"}`)),
  ).toEqual([0, 1, 1]);
});

test('measures the wait of webhooks from their first pending event, except of claimed, slow and held ones', async () => {
  const database = await createTestDatabase();
  const { db, clock } = database;
  const overdue = async () => Math.round((await countWebhooks(db)).overdueSeconds);
  await execute(db)`insert into workspaces default values`;
  await execute(db)`
    insert into webhooks (webhook_id, workspace_id, user_id, url, description, events, signature, secret, position, newest)
    select gen_random_uuid(), workspace_id, 1, '', '', '{run.completed}', 'v1', '', 0, 0 from workspaces`;
  await clock.advance({ hours: 5 });
  await execute(db)`
    insert into events (workspace_id, type, data) select workspace_id, 'run.completed', '{}' from workspaces`;
  await assignPositions({ db });
  expect(await overdue()).toBe(0);
  await clock.advance({ seconds: 90 });
  expect(await overdue()).toBe(90);
  await execute(db)`update webhooks set claimed_until = campanile_now() + interval '1 minute'`;
  expect(await overdue()).toBe(0);
  await execute(db)`update webhooks set claimed_until = null, is_slow = true`;
  expect(await countWebhooks(db)).toMatchObject({ overdueSeconds: 0, slow: 1 });
  await execute(db)`update webhooks set is_slow = false`;
  await execute(db)`update ledger set held_since = campanile_now(), held_reason = 'copied'`;
  expect(await overdue()).toBe(0);
  await database.drop();
});

test('reseals secrets under the present key, and signs as before', async () => {
  const { db } = app.database;
  const { webhook_id, secret } = await make();
  const rotated = await alice.call<{ secret: string }>('venom/rotate-webhook-secret', { webhook_id });
  const rows = await readRows<{ secret: Buffer; former: Buffer }>(db)`
    select secret, former_secret as former from webhooks where webhook_id = ${webhook_id}`;
  const [ours] = rows;
  if (!ours) throw new Error('it is gone');
  const about = aboutSecret(webhook_id);
  const open = (whsec: string) => Buffer.from(whsec.replace('whsec_', ''), 'base64');
  const [key, previousKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const former = createVault({ key: previousKey });
  await execute(db)`
    update webhooks set secret = ${former.seal(open(rotated.body.data.secret), about)},
      former_secret = ${former.seal(open(secret), about)} where webhook_id = ${webhook_id}`;
  await execute(db)`delete from webhooks where webhook_id <> ${webhook_id}`;
  expect(await resealWebhooks(db, createVault({ key, previousKey }))).toBe(2);
  expect(await resealWebhooks(db, createVault({ key, previousKey }))).toBe(0);
  const sealed = await sql<{ secret: Buffer; former: Buffer }>`
    select secret, former_secret as former from webhooks`.execute(db);
  const present = createVault({ key });
  expect(sealed.rows.map((row) => [row.secret, row.former].map((one) => present.open(one, about)))).toEqual([
    [open(rotated.body.data.secret), open(secret)],
  ]);
  // The service continues with the secrets that its own key has sealed.
  await execute(db)`
    update webhooks set secret = ${ours.secret}, former_secret = ${ours.former} where webhook_id = ${webhook_id}`;
  receiver.answer(() => ({ status: 204 }));
  const seen = receiver.received.length;
  await happen();
  await until(
    () => receiver.received.length,
    (count) => count > seen,
  );
  const { text, headers } = receiver.received.at(-1) ?? {};
  for (const one of [secret, rotated.body.data.secret])
    new Webhook(one).verify(text ?? '', headers as Record<string, string>);
});
