import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { groupsOf, startTestApp, type Person, type TestApp } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';
import { listen, type CampaignSeen, type Listener } from '../../support/http/listen.ts';
import { workspaceOf } from '../../support/workspaces.ts';

let app: TestApp;
/** Acts as another api process on the same database. */
let other: TestApp;
let alice: Person;
let bob: Person;
let mallory: Person;
let groupIds: number[];

beforeAll(async () => {
  app = await startTestApp();
  other = await startTestApp({ role: 'api' }, app.database);
  alice = await app.signUp('alice');
  bob = await app.signUp('bob');
  mallory = await app.signUp('mallory');
  groupIds = await groupsOf(alice);
});
afterAll(async () => {
  await other.stop();
  await app.stop();
});

async function send(person: Person, name = 'Now'): Promise<string> {
  const ids = person === alice ? groupIds : await groupsOf(person);
  const { body } = await person.call<{ campaign_id: string }>('venom/add-campaign', {
    name,
    html: 'Hello',
    group_metadata_ids: ids,
  });
  return body.data.campaign_id;
}

async function scheduleNextYear(person: Person, name: string): Promise<string> {
  const year = new Date().getUTCFullYear() + 1;
  const { headers } = await person.call('venom/add-campaign-batch', {
    name,
    html: 'Hello',
    group_metadata_ids: groupIds,
    is_schedule: true,
    start_date: `${year}-03-01`,
    end_date: `${year}-03-02`,
    schedule_time: '09:00:00',
    time_zone: 'UTC',
  });
  return headers.get('x-campaign-id') ?? '';
}

describe('a stream of events', () => {
  test('tells each account, the default one first, and its changes', async () => {
    const person = await app.signUp('several');
    await person.call('venom/add-account', { name: 'Second' });
    const { body } = await person.call<{ accounts: { account_id: number }[] }>('venom/list-accounts');
    const [first = 0, second = 0] = body.data.accounts.map(({ account_id }) => account_id);
    const listener = await listen(app.url, person.token);
    const told = () =>
      listener.events.map(({ data }) => data as { account_id: number; is_default: boolean; status: string });
    expect((await listener.snapshot()).map(({ event }) => event)).toEqual(['account', 'account']);
    expect(told()).toMatchObject([
      { account_id: first, is_default: true },
      { account_id: second, is_default: false },
    ]);
    await person.call('venom/disconnect-account', { account_id: second });
    await until(
      async () => told().some(({ account_id, status }) => account_id === second && status === 'unlinked'),
      (isTold) => isTold,
    );
    await person.call('venom/set-default-account', { account_id: second });
    await until(
      async () => [first, second].map((id) => told().findLast(({ account_id }) => account_id === id)?.is_default),
      ([former, now]) => former === false && now === true,
    );
    await listener.leave();
  });

  test('starts with a snapshot: the account and each campaign that is open or has just ended', async () => {
    const planned = await scheduleNextYear(alice, 'Next year');
    const done = await send(alice);
    const first = await listen(app.url, alice.token);
    await first.hears(done, (campaign) => campaign.status === 'completed').catch(() => undefined);
    await first.leave();
    const listener = await listen(app.url, alice.token);
    const [account, ...campaigns] = await listener.snapshot();
    expect(listener.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(listener.headers.get('cache-control')).toContain('no-store');
    expect(listener.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(listener.text()).toMatch(/^retry: \d+\n\n/);
    const status = await alice.call('venom/account-status');
    expect(account).toMatchObject({ event: 'account', data: status.body.data });
    const told = campaigns.flatMap(({ event, data }) => (event === 'campaign' ? [data as CampaignSeen] : []));
    expect(told.map(({ campaign_id, status }) => [campaign_id, status])).toEqual([
      [planned, 'scheduled'],
      [done, 'completed'],
    ]);
    expect(listener.last(planned)).toEqual({
      campaign_id: planned,
      name: 'Next year',
      status: 'scheduled',
      progress: { deliveries: 0, queued: 0, sent: 0, failed: 0, cancelled: 0, delivered: 0, read: 0 },
      next_run_at: expect.stringMatching(/-03-01T09:00:00.000Z$/),
    });
    await alice.call('venom/cancel-campaign', { campaign_id: planned });
    await listener.hears(planned, (campaign) => campaign.status === 'cancelled');
    await listener.leave();
  });

  test('receives the progress of a campaign to its end, and the receipts after it, from every api process', async () => {
    const listeners = await Promise.all([app, app, other].map(({ url }) => listen(url, bob.token)));
    await Promise.all(listeners.map((listener) => listener.snapshot()));
    const id = await send(bob, 'Fair');
    const ends = await Promise.all(
      listeners.map((listener) => listener.hears(id, (campaign) => campaign.status === 'completed')),
    );
    for (const end of ends)
      expect(end).toMatchObject({ name: 'Fair', progress: { deliveries: 3, queued: 0, sent: 3 }, next_run_at: null });
    const analytics = async () =>
      (
        await bob.call<{ totals: { recipients: number; delivered: number; read: number } }>(
          'analytics/get-campaign-group-analytics-master',
          { campaign_id: id },
        )
      ).body.data.totals;
    const { recipients } = await analytics();
    const all = (campaign: CampaignSeen) => campaign.progress.delivered === recipients;
    const heard = await Promise.all(listeners.map((listener) => listener.hears(id, all)));
    expect(heard).toHaveLength(3);
    // Members go on reading meanwhile: the stream catches up with the analytics once they are done.
    const toldAndCounted = async () => ({ told: listeners[2]?.last(id)?.progress, counted: await analytics() });
    await until(
      toldAndCounted,
      ({ told, counted }) => told?.delivered === counted.delivered && told.read === counted.read,
    );
    await Promise.all(listeners.map((listener) => listener.leave()));
  });

  test('receives at most two changes of a campaign a second, with counts that never fall', async () => {
    const slow = await startTestApp({ sandboxGap: { minMs: 20, maxMs: 20 } });
    const carol = await slow.signUp('carol');
    await groupsOf(carol);
    const { rows } = await sql<{ group_id: number }>`
      insert into groups (workspace_id, chat_id, send_to, kind, name, participants, can_send)
      select workspace_id, '99' || n || '@g.us', send_to, 'group', 'One of many ' || n, 3, true
      from groups, generate_series(1, 100) n where name = 'Chess friends' returning group_id`.execute(slow.database.db);
    const listener = await listen(slow.url, carol.token);
    await listener.snapshot();
    const startedAt = performance.now();
    const { body } = await carol.call<{ campaign_id: string }>('venom/add-campaign', {
      name: 'Long',
      html: 'Hello',
      group_metadata_ids: rows.map((row) => row.group_id),
    });
    await listener.hears(body.data.campaign_id, (campaign) => campaign.status === 'completed');
    const seconds = (performance.now() - startedAt) / 1_000;
    const told = listener.events.flatMap((one) => (one.event === 'campaign' ? [one.data as CampaignSeen] : []));
    expect(told.length).toBeGreaterThan(3);
    expect(told.length).toBeLessThanOrEqual(2 * seconds + 1);
    const sent = told.map((campaign) => campaign.progress.sent);
    expect(sent).toEqual(sent.toSorted((a, b) => a - b));
    for (const { progress } of told) expect(progress.queued + progress.sent).toBe(100);
    await listener.leave();
    await slow.stop();
  });

  test('has null for delivered and read if a campaign goes to channels alone', async () => {
    const { body } = await mallory.call<{ group_metadata_id: number }>('venom/create-channel', { name: 'News' });
    const listener = await listen(app.url, mallory.token);
    // A campaign that ends before the first poll would not be reported.
    await listener.snapshot();
    const added = await mallory.call<{ campaign_id: string }>('venom/add-campaign', {
      name: 'News',
      html: 'Hello',
      group_metadata_ids: [body.data.group_metadata_id],
    });
    const end = await listener.hears(added.body.data.campaign_id, ({ status }) => status === 'completed');
    expect(end.progress).toMatchObject({ sent: 1, delivered: null, read: null });
    await listener.leave();
  });

  test('never receives the events of another user', async () => {
    const hers = await Promise.all([app, other].map(({ url }) => listen(url, mallory.token)));
    const own = await listen(app.url, alice.token);
    await Promise.all([...hers, own].map((listener) => listener.snapshot()));
    const id = await send(alice, 'Only for Alice');
    await own.hears(id, (campaign) => campaign.status === 'completed');
    const malloryOwn = await send(mallory, 'Mine');
    for (const listener of hers) {
      await listener.hears(malloryOwn, (campaign) => campaign.status === 'completed');
      expect(listener.text()).not.toContain(id);
      expect(listener.text()).not.toContain('Only for Alice');
    }
    await Promise.all([...hers, own].map((listener) => listener.leave()));
  });
});

describe('access to a stream', () => {
  test('rejects a request without a valid token, and a key without the scope read', async () => {
    const nobody = await listen(app.url);
    expect(nobody.status).toBe(401);
    expect(nobody.headers.get('www-authenticate')).toBe('Bearer');
    const key = await createKey(['send']);
    const answer = await fetch(`${app.url}/api/v1/events`, { headers: { authorization: `Bearer ${key.key}` } });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ error: true, code: 403, request_id: expect.any(String) });
  });

  test('rejects other methods, HEAD included', async () => {
    for (const method of ['POST', 'HEAD', 'PUT']) {
      const answer = await fetch(`${app.url}/api/v1/events`, { method });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
    }
  });

  async function createKey(scopes: string[], expiresAt?: string) {
    const { body } = await alice.call<{ api_key_id: number; key: string }>('user/create_api_key', {
      name: 'Wall',
      scopes,
      expires_at: expiresAt,
    });
    return body.data;
  }

  test('ends the streams of a revoked key on every api process', async () => {
    const { key, api_key_id } = await createKey(['read']);
    const staying = await listen(app.url, alice.token);
    const listeners = await Promise.all([app, other].map(({ url }) => listen(url, key)));
    await Promise.all([staying, ...listeners].map((listener) => listener.snapshot()));
    await alice.call('user/revoke_api_key', { api_key_id });
    for (const listener of listeners) await until(listener.hasEnded, Boolean);
    expect(staying.hasEnded()).toBe(false);
    await staying.leave();
  });

  test('ends the stream of a key when the key expires', async () => {
    const listenFor = async (ms: number): Promise<Listener> => {
      const { key } = await createKey(['read'], new Date(Date.now() + ms).toISOString());
      const listener = await listen(app.url, key);
      // On a busy machine a short-lived key may expire before the stream opens.
      return listener.status === 200 ? listener : listenFor(2 * ms);
    };
    const listener = await listenFor(1_500);
    expect(await until(listener.hasEnded, Boolean)).toBe(true);
  });

  test('revoking tokens ends their streams, and no others, on every api process', async () => {
    const eve = await app.signUp('eve');
    const staying = await listen(app.url, bob.token);
    const listeners = await Promise.all([app, other].map(({ url }) => listen(url, eve.token)));
    await Promise.all([staying, ...listeners].map((listener) => listener.snapshot()));
    await eve.call('user/revoke_tokens');
    for (const listener of listeners) await until(listener.hasEnded, Boolean);
    expect(staying.hasEnded()).toBe(false);
    expect((await listen(other.url, eve.token)).status).toBe(401);
    await staying.leave();
  });
});

test('fifty streams of the owner receive the end of a large campaign, and fifty of another user nothing', async () => {
  const large = await startTestApp({ sandboxSpeed: 0 });
  const [carol, dave] = [await large.signUp('carol'), await large.signUp('dave')];
  const { rows } = await sql<{ group_id: number }>`
    with chat as (
      insert into sandbox_chats (chat_id, workspace_id, kind, name, description, invite_code, participants)
      select '77' || g || '@g.us', workspace_id, 'group', 'Group ' || g, '', gen_random_uuid(), array['15550000001']
      from accounts, generate_series(1, 3000) g where workspace_id = ${workspaceOf(carol)} returning chat_id, workspace_id, name
    )
    insert into groups (workspace_id, chat_id, send_to, kind, name, participants, can_send)
    select workspace_id, chat_id, chat_id, 'group', name, 2, true from chat returning group_id`.execute(
    large.database.db,
  );
  const of = (person: Person) => Promise.all(Array.from({ length: 50 }, () => listen(large.url, person.token)));
  const [hers, his] = [await of(carol), await of(dave)];
  await Promise.all([...hers, ...his].map((listener) => listener.snapshot()));
  const campaign = { name: 'Large', html: 'Hello', group_metadata_ids: rows.map((row) => row.group_id) };
  const { body } = await carol.call<{ campaign_id: string }>('venom/add-campaign', campaign);
  const ends = await Promise.all(
    hers.map((listener) => listener.hears(body.data.campaign_id, ({ status }) => status === 'completed')),
  );
  for (const { progress } of ends) expect(progress).toMatchObject({ deliveries: 3000, sent: 3000, queued: 0 });
  for (const listener of his) expect(listener.events.map(({ event }) => event)).toEqual(['account']);
  await Promise.all([...hers, ...his].map((listener) => listener.leave()));
  await large.stop();
});

test('does not poll the database while no stream is open', async () => {
  const looks = async () => {
    const { rows } = await sql<{ seen: number }>`
      select count(*)::int as seen from pg_stat_activity
      where datname = current_database() and query like '%join workspace_ledgers k on k.workspace_id = w.workspace_id%'
        and state_change > clock_timestamp() - interval '1 second' and pid <> pg_backend_pid()`.execute(
      app.database.db,
    );
    return rows[0]?.seen;
  };
  const listener = await listen(app.url, alice.token);
  await listener.snapshot();
  await until(looks, (seen) => (seen ?? 0) > 0);
  await listener.leave();
  expect(await until(looks, (seen) => seen === 0)).toBe(0);
});
