import { execute, readCount, readRows } from '../../../src/platform/database/statements.ts';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readAllowedHosts } from '../../../src/platform/network/allowed-hosts.ts';
import { useTestApp, type Person } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';
import { startReceiver, type Receiver } from '../../support/servers/receiver.ts';

let receiver: Receiver;
let alice: Person;
let people = 0;

const allowed = readAllowedHosts(['127.0.0.0/8']);
if (!allowed) throw new Error('no such hosts');
const app = await useTestApp({ egress: { allowHttp: true, allowed, proxy: {} } });
beforeEach(async () => {
  receiver = await startReceiver();
  alice = await app.signUp(`alice${++people}`);
});
afterEach(() => receiver.close());

interface Listed {
  webhook_id: string;
  events: string[];
  status: string;
  disabled_reason: string | null;
  is_behind: boolean;
}
interface Attempt {
  message_id: string;
  type: string;
  status: number | null;
  answer: string | null;
  error: string | null;
}

async function make(body: object = {}) {
  const { status, body: answer } = await alice.call<{ webhook_id: string; secret: string }>('venom/create-webhook', {
    url: receiver.url,
    ...body,
  });
  expect(status, JSON.stringify(answer)).toBe(200);
  return answer.data;
}

const list = async () => (await alice.call<{ webhooks: Listed[] }>('venom/list-webhooks')).body.data.webhooks;
const tries = async (webhook_id: string, more: object = {}) =>
  (await alice.call<{ tries: Attempt[] }>('venom/list-webhook-tries', { webhook_id, ...more })).body.data.tries;
const types = () => receiver.received.map(({ type }) => type);
const ids = () => receiver.received.map(({ headers }) => headers['webhook-id']);

/** Inserts events of the user. */
async function happen(...names: string[]): Promise<void> {
  for (const name of names)
    await execute(app.database.db)`
      insert into events (workspace_id, type, data)
      select workspace_id, 'group.changed', ${JSON.stringify({ name })}::jsonb from memberships where user_id = ${alice.userId}`;
}
const told = () => receiver.received.map(({ data }) => data['name']);

/** Reads the wait until the next attempt, which no operation returns. */
async function waitingSeconds(webhookId: string): Promise<number> {
  return readCount(app.database.db)`
    select extract(epoch from next_try_at - campanile_now())::float8 as seconds from webhooks where webhook_id = ${webhookId}`;
}

test('delivers the events of a campaign in order, with signatures that the standard’s library verifies', async () => {
  const { secret } = await make();
  const groups = await alice.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  const campaign = await alice.call<{ campaign_id: string }>('venom/add-campaign', {
    name: 'News',
    html: 'Hello',
    group_metadata_ids: [groups.body.data.groups[0]?.group_metadata_id],
  });
  await until(types, (all) => all.includes('campaign.completed'));
  expect(types().filter((type) => /^(campaign|run)\./.test(type))).toEqual([
    'campaign.accepted',
    'campaign.started',
    'run.started',
    'run.completed',
    'campaign.completed',
  ]);
  expect(secret).toMatch(/^whsec_/);
  const webhook = new Webhook(secret);
  for (const { text, headers } of receiver.received)
    expect(webhook.verify(text, headers as Record<string, string>)).toMatchObject({
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  expect(receiver.received.at(-1)?.data).toMatchObject({ campaign_id: campaign.body.data.campaign_id });
  expect(new Set(ids()).size).toBe(receiver.received.length);
});

test('retries a failed message with the same id, and holds later ones back', async () => {
  const { webhook_id } = await make({ events: ['group.changed'] });
  receiver.answer(() => ({ status: 500, text: 'broken' }));
  await happen('one', 'two', 'three');
  await until(told, (all) => all.length === 1);
  const waits = await until(
    () => waitingSeconds(webhook_id),
    (seconds) => seconds > 4,
  );
  expect(waits).toBeLessThanOrEqual(5.5);
  expect(await list()).toMatchObject([{ status: 'failing', is_behind: true }]);
  await app.database.clock.advance({ seconds: 6 });
  await until(told, (all) => all.length === 2);
  await until(
    () => waitingSeconds(webhook_id),
    (seconds) => seconds > 280,
  );
  receiver.answer(() => ({ status: 200 }));
  await app.database.clock.advance({ minutes: 6 });
  await until(told, (all) => all.length === 5);
  expect(told()).toEqual(['one', 'one', 'one', 'two', 'three']);
  expect(new Set(ids()).size).toBe(3);
  await until(list, ([one]) => one?.status === 'active' && !one.is_behind);
  expect(await tries(webhook_id, { failed_only: true })).toMatchObject([
    { status: 500, answer: 'broken', error: null },
    { status: 500 },
  ]);
  expect(await tries(webhook_id)).toHaveLength(5);
});

test('counts a redirect and a refused connection as failures', async () => {
  const { webhook_id } = await make({ events: ['group.changed'] });
  receiver.answer(() => ({ status: 302, headers: { location: receiver.url } }));
  await happen('one');
  await until(
    () => tries(webhook_id),
    ([last]) => last?.status === 302,
  );
  await receiver.close();
  await app.database.clock.advance({ seconds: 6 });
  await until(
    () => tries(webhook_id),
    ([last]) => last?.error === 'ECONNREFUSED',
  );
  expect(await list()).toMatchObject([{ status: 'failing', is_behind: true }]);
  receiver = await startReceiver();
});

test('waits as long as Retry-After says', async () => {
  const { webhook_id } = await make({ events: ['group.changed'] });
  receiver.answer(() => ({ status: 429, headers: { 'retry-after': '3600' } }));
  await happen('one');
  const seconds = await until(
    () => waitingSeconds(webhook_id),
    (left) => left > 10,
  );
  expect(seconds).toBeGreaterThan(3_500);
});

test('disables a webhook on 410, and resumes where it stopped once it is enabled again', async () => {
  const { webhook_id } = await make({ events: ['group.changed'] });
  receiver.answer(() => ({ status: 410 }));
  await happen('one', 'two');
  await until(list, ([one]) => one?.status === 'disabled');
  expect(await list()).toMatchObject([
    { disabled_reason: 'gone', disabled_at: expect.stringMatching(/Z$/), last_try: { status: 410, error: null } },
  ]);
  receiver.answer(() => ({ status: 204 }));
  await happen('three');
  expect((await alice.call('venom/test-webhook', { webhook_id })).status).toBe(409);
  expect((await alice.call('venom/update-webhook', { webhook_id, is_enabled: true })).status).toBe(200);
  await until(told, (all) => all.length === 4);
  expect(told()).toEqual(['one', 'one', 'two', 'three']);
});

test('disables a webhook that fails for a day, and notifies its owner', async () => {
  const { webhook_id } = await make({ events: ['group.changed'] });
  receiver.answer(() => ({ status: 503 }));
  await happen('one');
  let seen = 0;
  await until(
    async () => {
      const { length } = receiver.received;
      const waits = await waitingSeconds(webhook_id);
      if (length > seen && waits > 1) {
        seen = length;
        await app.database.clock.advance({ seconds: Math.ceil(waits) });
      }
      return list();
    },
    ([one]) => one?.disabled_reason === 'failing',
  );
  expect(receiver.received).toHaveLength(10);
  expect(new Set(ids()).size).toBe(1);
  const { entries } = (await alice.call<{ entries: Array<{ action: string; subject: string }> }>('user/list_audit_log'))
    .body.data;
  expect(entries[0]).toMatchObject({ action: 'webhook.switched_off', subject: receiver.url });
  const rows = await readRows<{ data: unknown }>(app.database.db)`
    select data from events e join memberships m using (workspace_id)
    where m.user_id = ${alice.userId} and type = 'webhook.switched_off'`;
  expect(rows).toMatchObject([{ data: { webhook_id, reason: 'failing' } }]);
});

test('signs with both secrets during a rotation', async () => {
  const { webhook_id, secret } = await make({ events: ['group.changed'] });
  const rotated = await alice.call<{ secret: string }>('venom/rotate-webhook-secret', { webhook_id });
  await happen('one');
  await until(told, (all) => all.length === 1);
  const [first] = receiver.received;
  const verify = (key: string, message = first) =>
    new Webhook(key).verify(message?.text ?? '', message?.headers as Record<string, string>);
  expect(verify(secret)).toBeTruthy();
  expect(verify(rotated.body.data.secret)).toBeTruthy();
  await app.database.clock.advance({ hours: 25 });
  await happen('two');
  await until(told, (all) => all.length === 2);
  expect(() => verify(secret, receiver.received[1])).toThrow('No matching signature');
  expect(verify(rotated.body.data.secret, receiver.received[1])).toBeTruthy();
});

/** Rotates the secret, then delivers a message. Returns the answer, and whether each secret verifies the message. */
async function rotateAndDeliver(webhook_id: string, secrets: string[], body: object) {
  const { status, body: answer } = await alice.call<{ secret: string; former_secret_until: string | null }>(
    'venom/rotate-webhook-secret',
    { webhook_id, ...body },
  );
  expect(status, JSON.stringify(answer)).toBe(200);
  const count = receiver.received.length;
  await happen('one');
  await until(told, (all) => all.length === count + 1);
  const message = receiver.received.at(-1);
  const verifies = (secret: string) => {
    try {
      new Webhook(secret).verify(message?.text ?? '', message?.headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };
  return { until: answer.data.former_secret_until, verified: [...secrets, answer.data.secret].map(verifies) };
}

test('expires the former secret at once if a rotation says so', async () => {
  const { webhook_id, secret } = await make({ events: ['group.changed'] });
  const rotated = await rotateAndDeliver(webhook_id, [secret], { expire_former: 'now' });
  expect(rotated).toEqual({ until: null, verified: [false, true] });
  expect(await list()).toMatchObject([{ former_secret_until: null }]);
});

test('expires the former secret at the instant of the rotation', async () => {
  const { webhook_id, secret } = await make({ events: ['group.changed'] });
  const inTwoHours = new Date((await app.database.clock.now()).getTime() + 2 * 60 * 60 * 1_000).toISOString();
  const rotated = await rotateAndDeliver(webhook_id, [secret], { expire_former: inTwoHours });
  expect(rotated).toEqual({ until: inTwoHours, verified: [true, true] });
  await app.database.clock.advance({ hours: 3 });
  const again = await rotateAndDeliver(webhook_id, [secret], { expire_former: 'now' });
  expect(again.verified).toEqual([false, true]);
});

test('rejects a former secret that would expire in the past or after more than 7 days', async () => {
  const { webhook_id } = await make({ events: ['group.changed'] });
  const now = (await app.database.clock.now()).getTime();
  for (const expire_former of [
    new Date(now - 60_000).toISOString(),
    new Date(now + 8 * 86_400_000).toISOString(),
    'soon',
  ]) {
    const { status, body } = await alice.call('venom/rotate-webhook-secret', { webhook_id, expire_former });
    expect([status, body.details], expire_former).toMatchObject([400, [{ field: 'expire_former' }]]);
  }
});

test('delivers a family of events by its wildcard, and every event by *', async () => {
  const { webhook_id: ofRuns } = await make({ events: ['run.*', 'group.changed'] });
  const { webhook_id: ofAll } = await make({ events: ['*'] });
  const { webhook_id: ofTests } = await make();
  const groups = await alice.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  await alice.call('venom/test-webhook', { webhook_id: ofTests });
  const group_metadata_ids = [groups.body.data.groups[0]?.group_metadata_id];
  await alice.call('venom/add-campaign', { name: 'News', html: 'Hello', group_metadata_ids });
  const sentTo = async (id: string) => (await tries(id)).map(({ type }) => type).toReversed();
  const isOfCampaign = (type: string) => /^(campaign|run|webhook)\./.test(type);
  await until(
    () => sentTo(ofAll),
    (all) => all.includes('campaign.completed'),
  );
  await until(
    () => sentTo(ofTests),
    (all) => all.includes('campaign.completed'),
  );
  const ofCampaign = ['campaign.accepted', 'campaign.started', 'run.started', 'run.completed', 'campaign.completed'];
  expect((await sentTo(ofAll)).filter(isOfCampaign)).toEqual(ofCampaign);
  expect((await sentTo(ofTests)).filter(isOfCampaign).toSorted()).toEqual([...ofCampaign, 'webhook.test'].toSorted());
  expect(
    (
      await until(
        () => sentTo(ofRuns),
        (all) => all.includes('run.completed'),
      )
    ).filter(isOfCampaign),
  ).toEqual(['run.started', 'run.completed']);
  expect((await list()).map(({ events }) => events)).toEqual([['run.*', 'group.changed'], ['*'], ['*']]);
  const span = { from: '2000-01-01T00:00:00Z' };
  await until(list, (all) => all.every((one) => !one.is_behind));
  const again = await alice.call<{ message_count: number }>('venom/retry-webhook', { webhook_id: ofRuns, ...span });
  expect(again.status, JSON.stringify(again.body)).toBe(200);
  expect(again.body.data.message_count).toBe((await sentTo(ofRuns)).length);
});

test('returns one webhook by its id, and none of another workspace', async () => {
  const { webhook_id } = await make({ events: ['campaign.*'] });
  const [listed] = await list();
  const { body } = await alice.call('venom/get-webhook', { webhook_id });
  expect(body.data).toEqual(listed);
  const bob = await app.signUp(`bob${people}`);
  expect((await bob.call('venom/get-webhook', { webhook_id })).body).toMatchObject({
    code: 404,
    error_code: 'webhook_not_found',
  });
});

test('sends a test message, repeats one message, and repeats a period', async () => {
  const { webhook_id } = await make({ events: ['group.changed'] });
  expect(await list()).toMatchObject([{ disabled_at: null, last_try: null }]);
  const sent = await alice.call<{ message_id: string }>('venom/test-webhook', { webhook_id });
  await until(types, (all) => all.includes('webhook.test'));
  expect(ids()).toEqual([sent.body.data.message_id]);
  const from = (await app.database.clock.now()).toISOString();
  await happen('one', 'two', 'three');
  await until(told, (all) => all.length === 4);
  const message_id = ids()[2];
  expect((await alice.call('venom/retry-webhook', { webhook_id, message_id })).body.data).toEqual({ message_count: 1 });
  await until(told, (all) => all.length === 5);
  expect(ids()[4]).toBe(message_id);
  await until(list, ([one]) => !one?.is_behind);
  const to = new Date((await app.database.clock.now()).getTime() + 1_000).toISOString();
  expect((await alice.call('venom/retry-webhook', { webhook_id, from, to })).body.data).toEqual({ message_count: 3 });
  await until(told, (all) => all.length === 8);
  expect(told().slice(5)).toEqual(['one', 'two', 'three']);
  expect((await alice.call('venom/retry-webhook', { webhook_id })).status).toBe(400);
  const span = { from: '2001-01-01T00:00:00Z', to: '2001-01-02T00:00:00Z' };
  expect((await alice.call('venom/retry-webhook', { webhook_id, ...span })).status).toBe(409);
});

test('rejects invalid URLs, and more than 20 webhooks', async () => {
  const create = (body: object) => alice.call('venom/create-webhook', body);
  for (const url of ['ftp://hooks.example.com/', 'https://a:b@hooks.example.com/', 'nonsense'])
    expect((await create({ url })).body.details).toMatchObject([{ field: 'url' }]);
  expect((await create({ url: receiver.url, events: ['webhook.test'] })).status).toBe(400);
  const made = await Promise.all(Array.from({ length: 20 }, () => create({ url: receiver.url })));
  expect(made.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  expect((await create({ url: receiver.url })).status).toBe(409);
  const [first] = await list();
  expect((await alice.call('venom/delete-webhook', { webhook_id: first?.webhook_id })).status).toBe(200);
  expect(await list()).toHaveLength(19);
});

test('returns the public key of v1a, and no secret', async () => {
  const made = await alice.call('venom/create-webhook', { url: receiver.url, signature: 'v1a' });
  expect(made.body.data).toMatchObject({ secret: null, public_key: expect.stringMatching(/^whpk_/) });
  await happen('one');
  await until(told, (all) => all.length === 1);
  expect(receiver.received[0]?.headers['webhook-signature']).toMatch(/^v1a,/);
  expect(await list()).toMatchObject([{ public_key: expect.stringMatching(/^whpk_/) }]);
});
