import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { useTestApp, type Answer, type Person } from '../support/app.ts';
import { until } from '../support/ledger.ts';

const app = await useTestApp();
const alice = await app.signUp('alice');
const bob = await app.signUp('bob');
const mallory = await app.signUp('mallory');

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

interface ListedGroup {
  group_metadata_id: number;
  group_name: string;
  kind: string;
  nid: { server: string; user: string; _serialized: string };
  participants: number;
  invite_link: string;
  can_send: boolean;
}
interface Message {
  message_id: string;
  text: string;
  media: { mime: string; size: number; sha256: string } | null;
}
type Row = Record<'deliveries' | 'queued' | 'sent' | 'failed' | 'cancelled' | 'recipients', number> &
  Record<'delivered' | 'read' | 'reactions' | 'replies' | 'views' | 'delivery_rate' | 'read_rate', number | null>;
interface Analytics {
  campaign: { campaign_id: string; status: string; finished_at: string | null };
  totals: Row & { groups: number; runs: number; runs_done: number };
  groups: Array<Row & { group_metadata_id: number; kind: string; participants: number; first_sent_at: string | null }>;
  runs: Array<{ status: string; sent: number; queued: number }>;
  timeline: Array<{ at: string; sent: number; delivered: number; read: number }>;
}

const groupsOf = async (person: Person) =>
  (await person.call<{ groups: ListedGroup[] }>('venom/list-groups')).body.data.groups;
const messagesIn = async (person: Person, group: number) =>
  (await person.call<{ messages: Message[] }>('sandbox/list-messages', { group_metadata_id: group })).body.data
    .messages;
const analyticsOf = async (person: Person, campaign: string) =>
  (await person.call<Analytics>('analytics/get-campaign-group-analytics-master', { campaign_id: campaign })).body.data;

async function send(person: Person, groups: number[], more: object = {}): Promise<string> {
  const answer = await person.call<{ campaign_id: string }>('venom/add-campaign', {
    name: 'Spring fair',
    html: '<p>Hello <b>all</b></p>',
    group_metadata_ids: groups,
    ...more,
  });
  expect(answer.body).toMatchObject({ error: false, status: 'success', code: 200 });
  return answer.body.data.campaign_id;
}

const finished = (person: Person, campaign: string) =>
  until(
    () => analyticsOf(person, campaign),
    (found) => found.totals.queued === 0 && found.campaign.finished_at !== null,
  );

describe('a new user', () => {
  test('has three groups of different sizes and can post to them immediately', async () => {
    const groups = await groupsOf(alice);
    expect(groups).toHaveLength(3);
    expect(new Set(groups.map((group) => group.participants)).size).toBe(3);
    expect(groups[0]).toMatchObject({ kind: 'group', can_send: true, nid: { server: 'g.us' } });
    expect(groups[0]?.nid._serialized).toMatch(/^\d+@g\.us$/);
    const ids = groups.map((group) => group.group_metadata_id);
    const campaign = await send(alice, ids);
    await finished(alice, campaign);
    for (const id of ids) expect((await messagesIn(alice, id)).map((message) => message.text)).toEqual(['Hello *all*']);
  });

  test('is connected to the sandbox', async () => {
    expect((await alice.call('venom/account-status')).body.data).toEqual({
      account_id: expect.any(Number),
      is_default: true,
      messenger: 'sandbox',
      status: 'connected',
      whatsapp_number: '+49 (151) 1234567',
      external_id: null,
      metadata: {},
    });
  });
});

describe('a created chat', () => {
  test('is a community with its name and an id that campaigns accept', async () => {
    const { body } = await alice.call<{ group_name: string; group_metadata_id: number }>('venom/create-community', {
      community_name: 'Old town',
      description: 'Neighbours',
    });
    expect(body).toEqual({
      error: false,
      status: 'success',
      code: 200,
      data: { group_name: 'Old town', group_metadata_id: expect.any(Number) },
    });
    const id = body.data.group_metadata_id;
    await finished(alice, await send(alice, [id]));
    expect(await messagesIn(alice, id)).toHaveLength(1);
  });

  test('is a channel as specified', async () => {
    const before = Math.floor(Date.now() / 1_000);
    const { body } = await alice.call<{ resp: { nid: ListedGroup['nid']; createdAtTs: number } }>(
      'venom/create-channel',
      {
        name: 'Town news',
        description: 'What is on',
        image: `data:image/png;base64,${PIXEL}`,
      },
    );
    expect(body.data).toEqual({
      resp: {
        title: 'Town news',
        nid: { server: 'newsletter', user: expect.stringMatching(/^\d+$/), _serialized: expect.any(String) },
        inviteLink: expect.stringMatching(/^https:\/\/whatsapp\.com\/channel\//),
        createdAtTs: expect.any(Number),
      },
      group_metadata_id: expect.any(Number),
    });
    const { nid, createdAtTs } = body.data.resp;
    expect(nid._serialized).toBe(`${nid.user}@${nid.server}`);
    expect(createdAtTs).toBeGreaterThanOrEqual(before - 5);
    expect(createdAtTs).toBeLessThanOrEqual(before + 60);
  });

  test('is a group of the given people and the user', async () => {
    const { body } = await alice.call<{ group_metadata_id: number }>('venom/create-group', {
      group_name: 'Choir',
      participants: ['+49 151 7654321', '0049 151 7654321', '+49 (151) 1234567', '4915155555'],
    });
    const group = (await groupsOf(alice)).find((one) => one.group_metadata_id === body.data.group_metadata_id);
    expect(group).toMatchObject({ group_name: 'Choir', kind: 'group', participants: 3 });
  });

  test('is unchanged by a sync', async () => {
    expect((await alice.call('venom/sync-groups')).body.data).toEqual({
      account_id: expect.any(Number),
      added: 0,
      updated: 0,
      removed: 0,
    });
  });

  test('is listed by kind, by part of its name, and page by page', async () => {
    const listed = async (body: object) =>
      (await alice.call<{ groups: ListedGroup[]; next_cursor: string | null }>('venom/list-groups', body)).body.data;
    expect((await listed({ kind: 'channel' })).groups.map((group) => group.group_name)).toEqual(['Town news']);
    expect((await listed({ search: 'old TOWN' })).groups.map((group) => group.group_name)).toEqual(['Old town']);
    const all = (await listed({})).groups;
    const paged: ListedGroup[] = [];
    let cursor: string | null = null;
    do {
      const page: { groups: ListedGroup[]; next_cursor: string | null } = await listed({ limit: 2, cursor });
      expect(page.groups.length).toBeLessThanOrEqual(2);
      paged.push(...page.groups);
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(paged).toEqual(all);
  });
});

describe('a campaign sent now', () => {
  test('delivers its picture intact, as plain base64 or as a data URL', async () => {
    const [group] = (await groupsOf(bob)).map((one) => one.group_metadata_id);
    const bytes = Buffer.from(PIXEL, 'base64');
    for (const image of [PIXEL, `data:image/png;base64,${PIXEL}`])
      await finished(bob, await send(bob, [group ?? 0], { image, desc: 'with a picture', is_channel_campaign: true }));
    const expected = {
      mime: 'image/png',
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    };
    expect((await messagesIn(bob, group ?? 0)).map((message) => message.media)).toEqual([expected, expected]);
  });

  test('is answered as running, and counts a repeated group once', async () => {
    const [first = 0, second = 0] = (await groupsOf(bob)).map((one) => one.group_metadata_id);
    const { body } = await bob.call<{ campaign_id: string }>('venom/add-campaign', {
      name: 'Twice',
      desc: null,
      html: 'Hello',
      image: null,
      group_metadata_ids: [second, first, second],
      is_schedule: false,
      schedule_time: '2026-12-01 09:00:00',
      start_date: '2020-01-01',
    });
    expect(body.data).toEqual({
      campaign_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'running',
      group_count: 2,
      scheduled_for: null,
    });
    const analytics = await analyticsOf(bob, body.data.campaign_id);
    expect(analytics.groups.map((group) => group.group_metadata_id)).toEqual([second, first]);
    const details = await bob.call('venom/get-campaign', { campaign_id: body.data.campaign_id });
    expect(details.body.data).toMatchObject({
      name: 'Twice',
      desc: '',
      text: 'Hello',
      schedule_time: '2026-12-01 09:00:00',
      group_metadata_ids: [second, first],
    });
  });

  test('has consistent analytics across all kinds of groups', async () => {
    const groups = await groupsOf(alice);
    const campaign = await send(
      alice,
      groups.map((group) => group.group_metadata_id),
    );
    const analytics = await until(
      () => analyticsOf(alice, campaign),
      ({ totals }) => totals.queued === 0 && (totals.read ?? 0) > 20 && (totals.views ?? 0) > 5,
    );
    const { totals } = analytics;
    for (const key of [
      'deliveries',
      'queued',
      'sent',
      'failed',
      'cancelled',
      'recipients',
      'delivered',
      'read',
      'views',
    ] as const)
      expect(totals[key]).toBe(analytics.groups.reduce((sum, group) => sum + (group[key] ?? 0), 0));
    for (const row of [totals, ...analytics.groups]) {
      expect(row.deliveries).toBe(row.queued + row.sent + row.failed + row.cancelled);
      expect(row.delivered ?? 0).toBeLessThanOrEqual(row.recipients);
      expect(row.read ?? 0).toBeLessThanOrEqual(row.delivered ?? 0);
    }
    expect(totals).toMatchObject({ groups: groups.length, runs: 1, runs_done: 1, sent: groups.length });
    // Channel followers send no receipts.
    const acknowledging = analytics.groups.filter((group) => group.kind !== 'channel');
    const reachable = acknowledging.reduce((sum, group) => sum + group.recipients, 0);
    expect(totals.delivery_rate).toBe((totals.delivered ?? 0) / reachable);
    const channel = analytics.groups.find((group) => group.kind === 'channel');
    expect(channel).toMatchObject({ delivered: null, read: null, replies: null, delivery_rate: null, read_rate: null });
    expect(channel?.views).toBeGreaterThan(0);
    expect(channel?.recipients).toBe(channel?.participants);
    const group = analytics.groups.find((one) => one.kind === 'group');
    expect(group?.views).toBeNull();
    expect(group?.recipients).toBe((group?.participants ?? 0) - 1);
    expect(analytics.timeline.reduce((sum, bucket) => sum + bucket.sent, 0)).toBe(totals.sent);
    expect(analytics.timeline.reduce((sum, bucket) => sum + bucket.read, 0)).toBe(totals.read);
  });
});

describe('a scheduled campaign', () => {
  const schedule = {
    name: 'Every morning',
    html: 'Good morning',
    is_schedule: true,
    start_date: '2032-06-01',
    end_date: '2032-06-03',
    schedule_time: '09:00:00',
    image: null,
  };

  test('is answered with true and its id in a header, and is sent when due', async () => {
    await app.database.clock.set('2032-05-30T00:00:00Z');
    const [group = 0] = (await groupsOf(bob)).map((one) => one.group_metadata_id);
    const before = (await messagesIn(bob, group)).length;
    const answer = await bob.call('venom/add-campaign-batch', { ...schedule, group_metadata_ids: [group] });
    expect(answer.body).toEqual({ error: false, status: 'success', code: 200, data: { data: true } });
    const campaign = answer.headers.get('x-campaign-id') ?? '';
    const listed = await bob.call<{ campaigns: Array<{ campaign_id: string }> }>('venom/list-campaigns', { limit: 1 });
    expect(listed.body.data.campaigns).toMatchObject([
      { campaign_id: campaign, status: 'scheduled', next_run_at: '2032-06-01T09:00:00.000Z' },
    ]);
    for (const day of [1, 2, 3]) {
      await app.database.clock.set(`2032-06-0${day}T09:00:00Z`);
      await until(
        () => messagesIn(bob, group),
        (messages) => messages.length === before + day,
      );
    }
    const { campaign: head, totals } = await finished(bob, campaign);
    expect(head.status).toBe('completed');
    expect(totals).toMatchObject({ runs: 3, runs_done: 3, deliveries: 3, sent: 3 });
  });

  test('can be paused, resumed and cancelled', async () => {
    await app.database.clock.set('2032-05-30T00:00:00Z');
    const [group = 0] = (await groupsOf(bob)).map((one) => one.group_metadata_id);
    const answer = await bob.call('venom/add-campaign-batch', { ...schedule, group_metadata_ids: [group] });
    const campaign_id = answer.headers.get('x-campaign-id') ?? '';
    const control = async (verb: string) => {
      const { status, body } = await bob.call(`venom/${verb}-campaign`, { campaign_id });
      return status === 200 ? (body.data as { status?: string }).status : status;
    };
    expect(await control('resume')).toBe(409);
    expect(await control('pause')).toBe('paused');
    expect(await control('pause')).toBe(409);
    expect(await control('resume')).toBe('scheduled');
    expect(await control('cancel')).toBe('cancelled');
    expect(await control('cancel')).toBe(409);
    expect((await analyticsOf(bob, campaign_id)).totals).toMatchObject({ runs: 3, runs_done: 3, deliveries: 0 });
  });
});

describe('another user', () => {
  const missing = (answer: Answer) => {
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ error: true, status: 'error', code: 404, data: null });
  };

  test('cannot access the groups or campaigns of another workspace', async () => {
    const theirs = await groupsOf(alice);
    const [group = 0] = theirs.map((one) => one.group_metadata_id);
    const campaign_id = await send(alice, [group]);
    const own = await groupsOf(mallory);
    expect(own.filter((one) => theirs.some((other) => other.group_metadata_id === one.group_metadata_id))).toEqual([]);
    missing(await mallory.call('sandbox/list-messages', { group_metadata_id: group }));
    missing(await mallory.call('venom/add-campaign', { name: 'x', html: 'x', group_metadata_ids: [group] }));
    const mixed = [own[0]?.group_metadata_id, group];
    const refused = await mallory.call('venom/add-campaign', { name: 'x', html: 'x', group_metadata_ids: mixed });
    missing(refused);
    expect(refused.body.details).toMatchObject([
      { field: 'group_metadata_ids.1', issue: 'is not the id of one of your groups' },
    ]);
    for (const verb of ['pause', 'resume', 'cancel', 'get'])
      missing(await mallory.call(`venom/${verb}-campaign`, { campaign_id }));
    missing(await mallory.call('analytics/get-campaign-group-analytics-master', { campaign_id }));
    const listed = await mallory.call<{ campaigns: unknown[] }>('venom/list-campaigns');
    expect(listed.body.data.campaigns).toEqual([]);
  });
});
