/** The live and the test workspace of one user: neither sees or changes the other. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAllowedHosts } from '../../src/platform/network/allowed-hosts.ts';
import { startTestApp, type Call, type TestApp } from '../support/app.ts';
import { findLeaks, ownedFields, ownView, sendTo, type Ids, type Party } from '../support/http/access.ts';
import { readOperations } from '../support/http/openapi.ts';
import { createOwnedResources, inventIds } from '../support/http/owned-resources.ts';
import { until } from '../support/ledger.ts';
import { startReceiver, type Receiver } from '../support/servers/receiver.ts';
import { announce, createTestKey, SCOPES, type CreatedKey, type Groups } from '../support/test-keys.ts';

let app: TestApp;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  const allowed = readAllowedHosts(['127.0.0.0/8']);
  if (!allowed) throw new Error('no such hosts');
  app = await startTestApp({ egress: { allowHttp: true, allowed, proxy: {} } });
});
afterAll(async () => {
  await app.stop();
  await receiver.close();
});

/** The ids that cannot occur by chance. */
const uniqueIds = (ids: Ids) => Object.values(ids).filter((id) => typeof id === 'string' && id.length > 20);

test('IDOR: ids of the other workspace are answered like unknown ids, and change nothing', async () => {
  const owner = await app.signUp('both-sides');
  // A test workspace uses no approval. The person of a filter of the audit log is the same on both sides.
  const operations = (await readOperations(app.url)).filter(
    ({ isBearer, takesKeys, path }) => isBearer && takesKeys && !/approval|audit_log/.test(path),
  );
  const owning = operations.filter((operation) => ownedFields(operation).length > 0);
  const fields = new Set(owning.flatMap(ownedFields));
  const send = sendTo(app.url);
  const { key, call } = await createTestKey(app, owner);
  const liveKey = (await owner.call<CreatedKey>('user/create_api_key', { name: 'live', scopes: SCOPES })).body.data.key;
  const live: Party = { token: liveKey, ids: await createOwnedResources(owner, fields) };
  const tested: Party = { token: key, ids: await createOwnedResources({ ...owner, name: 'tested', call }, fields) };
  const sides = [
    [live, tested],
    [tested, live],
  ] as const;
  const both = new Map<string, unknown>();
  // What belongs to the person has one view, and is none of a test key's.
  const visible = operations.filter(({ path }) => !/notice|security_log/.test(path));
  const look = (party: Party) => ownView(visible, send, party);
  for (const party of [live, tested]) both.set(party.token, await look(party));
  const leaks: string[] = [];
  const unseen = { look: () => Promise.resolve(undefined), seen: {} };
  for (const [victim, outsider] of sides)
    for (const operation of owning)
      leaks.push(...(await findLeaks(operation, { send, outsider, victim, never: inventIds(victim.ids), ...unseen })));
  expect(leaks).toEqual([]);
  for (const [victim, outsider] of sides) {
    const view = JSON.stringify(await look(victim));
    expect(JSON.parse(view)).toEqual(JSON.parse(JSON.stringify(both.get(victim.token))));
    for (const id of uniqueIds(outsider.ids)) expect(view).not.toContain(id);
  }
});

test('does not replay a live answer to the same idempotency key', async () => {
  const owner = await app.signUp('twice');
  const { key, call } = await createTestKey(app, owner);
  const ask = async (of: Call, token: string) => {
    const [group] = (await of<Groups>('venom/list-groups')).body.data.groups;
    const answer = await fetch(`${app.url}/api/v1/venom/add-campaign`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': 'one' },
      body: JSON.stringify({ name: 'x', html: 'x', group_metadata_ids: [group?.group_metadata_id] }),
    });
    return { status: answer.status, isReplayed: answer.headers.has('idempotency-replayed') };
  };
  expect(await ask(owner.call, owner.token)).toEqual({ status: 200, isReplayed: false });
  expect(await ask(call, key)).toEqual({ status: 200, isReplayed: false });
  expect(await ask(call, key)).toEqual({ status: 200, isReplayed: true });
});

test('has an audit log and quotas of its own', async () => {
  const owner = await app.signUp('logged');
  const { call, api_key_id } = await createTestKey(app, owner);
  await announce(call);
  interface Log {
    entries: Array<{ action: string; api_key_id?: number }>;
  }
  const tested = (await call<Log>('user/list_audit_log')).body.data.entries;
  expect(tested.map(({ action }) => action)).toEqual(['campaign.accepted']);
  expect(tested[0]).toMatchObject({ api_key_id });
  const live = (await owner.call<Log>('user/list_audit_log')).body.data.entries;
  expect(live.map(({ action }) => action)).not.toContain('campaign.accepted');
  expect(live.map(({ action }) => action)).toContain('api_key.created');
  const open = { name: 'x', html: 'x', is_schedule: true, start_date: '2999-01-01', end_date: '2999-01-01' };
  const [group] = (await call<Groups>('venom/list-groups')).body.data.groups;
  await call('venom/add-campaign-batch', {
    ...open,
    schedule_time: '09:00:00',
    group_metadata_ids: [group?.group_metadata_id],
  });
  interface Quotas {
    quotas: { campaigns: { used: number; limit: number } };
  }
  const quotasOf = async (of: Call) => (await of<Quotas>('user/get_profile')).body.data.quotas.campaigns;
  expect(await quotasOf(call)).toEqual({ used: 1, limit: 10_000 });
  expect(await quotasOf(owner.call)).toEqual({ used: 0, limit: 10_000 });
});

test('has webhooks and live events of its own', async () => {
  const owner = await app.signUp('heard');
  const { key, call } = await createTestKey(app, owner);
  for (const [of, path] of [
    [owner.call, '/live'],
    [call, '/test'],
  ] as const) {
    const made = await of('venom/create-webhook', {
      url: receiver.url.replace('/hook', path),
      events: ['campaign.completed'],
    });
    expect(made.status, JSON.stringify(made.body)).toBe(200);
  }
  const stop = new AbortController();
  const streamOf = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const { body } = await fetch(`${app.url}/api/v1/events`, { headers, signal: stop.signal });
    let text = '';
    void (async () => {
      for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) text += piece;
    })().catch(() => undefined);
    await until(
      () => text,
      (got) => got.includes('event: account'),
    );
    return () => text;
  };
  const [live, tested] = [await streamOf(owner.token), await streamOf(key)];
  const { campaignId } = await announce(call);
  await until(tested, (text) => text.includes('campaign.completed'));
  await until(
    () => receiver.received,
    (got) => got.some(({ path, data }) => path === '/test' && data['campaign_id'] === campaignId),
  );
  // Live events after the test's show that none was on its way.
  const own = await announce(owner.call);
  await until(live, (text) => text.includes(own.campaignId) && text.includes('campaign.completed'));
  await until(
    () => receiver.received,
    (got) => got.some(({ path, data }) => path === '/live' && data['campaign_id'] === own.campaignId),
  );
  stop.abort();
  expect(live()).not.toContain(campaignId);
  expect(tested()).not.toContain(own.campaignId);
  const pairs = receiver.received.map(({ path, data }) => [path, data['campaign_id']]);
  expect(pairs).not.toContainEqual(['/live', campaignId]);
  expect(pairs).not.toContainEqual(['/test', own.campaignId]);
});

test('makes no notice for the person', async () => {
  const owner = await app.signUp('noticed');
  const { call } = await createTestKey(app, owner);
  await announce(call);
  const own = await announce(owner.call);
  interface Notices {
    notices: Array<{ campaign: { campaign_id: string } }>;
  }
  const { notices } = await until(
    async () => (await owner.call<Notices>('user/list_notices')).body.data,
    (data) => data.notices.length > 0,
  );
  expect(notices.map(({ campaign }) => campaign.campaign_id)).toEqual([own.campaignId]);
});
