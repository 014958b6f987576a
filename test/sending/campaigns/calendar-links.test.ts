/** Links by which calendar programs read the plan. */
import { createHash } from 'node:crypto';
import ICAL from 'ical.js';
import { beforeEach, describe, expect, test } from 'vitest';
import { readRows } from '../../../src/platform/database/statements.ts';
import { groupsOf, useTestApp } from '../../support/app.ts';

type Body = Record<string, unknown>;

const app = await useTestApp({ sandboxSpeed: 0 });
const alice = await app.signUp('alice');
const groups = await groupsOf(alice);
beforeEach(() => app.database.clock.set('2031-02-20T12:00:00Z'));

const NAME = 'Grüße, "Frühling"; Fest \\ 🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉';

async function add(change: Body = {}): Promise<string> {
  const answer = await alice.call<Body>('venom/add-campaign-batch', {
    name: NAME,
    html: 'See you',
    image: null,
    group_metadata_ids: groups,
    is_schedule: true,
    start_date: '2031-03-01',
    schedule_time: '09:00:00',
    time_zone: 'Europe/Berlin',
    recurrence: 'FREQ=MONTHLY;BYDAY=1MO',
    ...change,
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.headers.get('x-campaign-id') ?? '';
}

async function share(body: Body = {}) {
  const { data, ...rest } = (
    await alice.call<{ calendar_link_id: number; token: string; path: string }>('venom/share-calendar', body)
  ).body;
  expect(data, JSON.stringify(rest)).toBeTruthy();
  return data;
}
const fetchFeed = (path: string, headers: Record<string, string> = {}) => fetch(`${app.url}${path}`, { headers });

/** Reads a feed with another library than the one that wrote it. */
async function read(path: string) {
  const answer = await fetchFeed(path);
  expect(answer.status).toBe(200);
  const text = await answer.text();
  const calendar = new ICAL.Component(ICAL.parse(text) as unknown[]);
  const events = calendar.getAllSubcomponents('vevent').map((event) => new ICAL.Event(event));
  return { text, calendar, events, answer };
}
const runsOf = async (campaign_id: string) =>
  (
    await alice.call<{ runs: Array<{ run_id: number; due_at: string; status: string }> }>('venom/get-campaign', {
      campaign_id,
    })
  ).body.data.runs;

describe('a feed', () => {
  test('has the runs with name, time, state and length, as another library reads them', async () => {
    const id = await add();
    const { path } = await share();
    const { text, calendar, events, answer } = await read(path);
    expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    expect(answer.headers.get('x-robots-tag')).toBe('noindex, nofollow');
    expect(String(calendar.getFirstPropertyValue('prodid'))).toMatch(/^-\/\/Campanile\/\//);
    expect(calendar.getFirstPropertyValue('version')).toBe('2.0');
    const runs = await runsOf(id);
    const own = events.filter(({ uid }) => uid.endsWith(`${id}@campanile`));
    expect(own.map((event) => event.startDate.toJSDate().toISOString())).toEqual(runs.map((run) => run.due_at));
    expect(own[0]).toMatchObject({ summary: NAME, sequence: 0 });
    expect(own[0]?.description).toMatch(/^Scheduled · \d+ groups$/);
    expect(own[0]?.component.getFirstPropertyValue('status')).toBe('CONFIRMED');
    // RFC 5545 §3.1: lines of 75 octets, each ended by CRLF, and no character cut in two.
    const lines = text.split('\r\n');
    expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75);
    expect(text).not.toMatch(/[^\r]\n|\uFFFD/);
    expect(text).toContain('Grüße\\, "Frühling"\\; Fest \\\\');
    // Nobody sees what is posted.
    expect(text).not.toContain('See you');
  });

  test('has no line of its own from a name', async () => {
    const body = { name: 'Choir; all, \u0007\r\nX-OWN:1', group_metadata_ids: groups.slice(0, 1) };
    const { group_list_id } = (await alice.call<{ group_list_id: number }>('venom/save-group-list', body)).body.data;
    await add({ name: 'One\u0007' });
    const { text } = await read((await share({ group_list_id })).path);
    expect(text).not.toMatch(/^X-OWN/m);
    expect(text).not.toContain('\u0007');
    expect(text.endsWith('END:VCALENDAR\r\n')).toBe(true);
    expect(text).toContain('NAME:Campanile · Choir\\; all\\, \\nX-OWN:1\r\n');
  });

  test('keeps the UID of a run that moves, with a higher SEQUENCE and a later LAST-MODIFIED', async () => {
    const id = await add({ name: 'Moves' });
    const { path } = await share();
    const uidOf = (run_id: number) => `run-${run_id}-${id}@campanile`;
    const [first] = await runsOf(id);
    const find = async () => (await read(path)).events.find(({ uid }) => uid === uidOf(first?.run_id ?? 0));
    const created = await find();
    await app.database.clock.advance({ milliseconds: 300 });
    const soon = { campaign_id: id, run_id: first?.run_id, due_at: '2031-03-04T09:00:00.000Z' };
    expect((await alice.call('venom/move-run', soon)).status).toBe(200);
    const before = await find();
    expect(before?.sequence).toBeGreaterThan(created?.sequence ?? Infinity);
    await app.database.clock.advance({ hours: 1 });
    const due_at = '2031-03-04T10:00:00.000Z';
    expect((await alice.call('venom/move-run', { campaign_id: id, run_id: first?.run_id, due_at })).status).toBe(200);
    const after = await find();
    expect(after?.startDate.toJSDate().toISOString()).toBe(due_at);
    expect(after?.sequence).toBeGreaterThan(before?.sequence ?? Infinity);
    const modified = (event: typeof after) => String(event?.component.getFirstPropertyValue('last-modified'));
    expect(modified(after) > modified(before)).toBe(true);
  });

  test('shows paused and missed runs as such', async () => {
    const [paused, missed] = [
      await add({ name: 'Paused' }),
      await add({ name: 'Missed', start_date: '2031-02-21', recurrence: 'FREQ=DAILY;COUNT=2' }),
    ];
    expect((await alice.call('venom/pause-campaign', { campaign_id: paused })).status).toBe(200);
    const { path } = await share();
    await app.database.clock.set('2031-02-21T20:00:00Z');
    await expect.poll(async () => (await runsOf(missed))[0]?.status).toBe('missed');
    const { events } = await read(path);
    const ofMissed = events.find(({ uid }) => uid.endsWith(`${missed}@campanile`));
    expect(ofMissed?.component.getFirstPropertyValue('status')).toBe('CANCELLED');
    const event = events.find(({ uid }) => uid.endsWith(`${paused}@campanile`));
    expect(event?.component.getFirstPropertyValue('status')).toBe('TENTATIVE');
    expect(event?.description).toMatch(/^Paused/);
  });

  test('has a higher SEQUENCE and a later LAST-MODIFIED once a run is paused or resumed', async () => {
    const campaign_id = await add({ name: 'Waits' });
    const { path } = await share();
    const find = async () => {
      const event = (await read(path)).events.find(({ uid }) => uid.endsWith(`${campaign_id}@campanile`));
      const valueOf = (name: string) => String(event?.component.getFirstPropertyValue(name));
      return { status: valueOf('status'), sequence: event?.sequence ?? 0, modified: valueOf('last-modified') };
    };
    let before = await find();
    for (const [operation, status] of [
      ['pause-campaign', 'TENTATIVE'],
      ['resume-campaign', 'CONFIRMED'],
    ]) {
      await app.database.clock.advance({ minutes: 1 });
      expect((await alice.call(`venom/${operation}`, { campaign_id })).status).toBe(200);
      const after = await find();
      expect(after.status).toBe(status);
      expect(after.sequence).toBeGreaterThan(before.sequence);
      expect(after.modified > before.modified).toBe(true);
      before = after;
    }
  });

  test('of a list has only the runs to its groups', async () => {
    const [own, other] = [
      await add({ name: 'Own', group_metadata_ids: [groups[0]] }),
      await add({ name: 'Other', group_metadata_ids: [groups[1]] }),
    ];
    const { group_list_id } = (
      await alice.call<{ group_list_id: number }>('venom/save-group-list', {
        name: 'Some',
        group_metadata_ids: [groups[0]],
      })
    ).body.data;
    const { path, calendar_link_id } = await share({ group_list_id });
    const { events, calendar } = await read(path);
    expect(events.some(({ uid }) => uid.endsWith(`${own}@campanile`))).toBe(true);
    expect(events.some(({ uid }) => uid.endsWith(`${other}@campanile`))).toBe(false);
    expect(String(calendar.getFirstPropertyValue('x-wr-calname'))).toMatch(/ · Some$/);
    const { links } = (await alice.call<{ links: Body[] }>('venom/list-calendar-links', {})).body.data;
    expect(links[0]).toMatchObject({
      calendar_link_id,
      group_list: { group_list_id, name: 'Some' },
      created_by: { user_id: alice.userId },
    });
    // It goes with its list.
    await alice.call('venom/delete-group-list', { group_list_id });
    expect((await fetchFeed(path)).status).toBe(404);
  });

  test('is not sent again while it is the same', async () => {
    const { path } = await share();
    const etag = (await fetchFeed(path)).headers.get('etag') ?? '';
    const again = await fetchFeed(path, { 'if-none-match': `"other", W/${etag}` });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect((await fetchFeed(path, { 'if-none-match': '*' })).status).toBe(304);
    await add({ name: 'Another' });
    expect((await fetchFeed(path, { 'if-none-match': etag })).status).toBe(200);
  });
});

describe('a link', () => {
  test('is stored as a hash, revoked at once, and gone for whoever guesses', async () => {
    const { path, token, calendar_link_id } = await share();
    const rows = await readRows<{ hash: Buffer }>(app.database.db)`
      select token_hash as hash from calendar_links where calendar_link_id = ${calendar_link_id}`;
    expect(rows).toEqual([{ hash: createHash('sha256').update(token).digest() }]);
    expect((await alice.call('venom/revoke-calendar-link', { calendar_link_id })).status).toBe(200);
    const gone = await fetchFeed(path);
    expect([gone.status, await gone.json()]).toMatchObject([404, { error_code: 'calendar_link_not_found' }]);
    for (const other of ['/calendar-feed/x.ics', '/calendar-feed/x', `/calendar-feed/${token}`])
      expect((await fetchFeed(other)).status).toBe(404);
    expect((await alice.call<Body>('venom/revoke-calendar-link', { calendar_link_id })).status).toBe(404);
  });

  test('of another workspace can be neither seen nor revoked', async () => {
    const bob = await app.signUp('bob');
    const { calendar_link_id } = await share();
    expect((await bob.call<{ links: Body[] }>('venom/list-calendar-links', {})).body.data.links).toEqual([]);
    expect((await bob.call('venom/revoke-calendar-link', { calendar_link_id })).status).toBe(404);
  });

  test('is one of at most 20, and read at most 20 times a minute', async () => {
    const carol = await app.signUp('carol');
    const make = () => carol.call<{ calendar_link_id: number; path: string }>('venom/share-calendar', {});
    const first = (await make()).body.data;
    for (let more = 1; more < 20; more += 1) expect((await make()).status).toBe(200);
    expect((await make()).body).toMatchObject({ error_code: 'calendar_link_limit_reached' });
    const statuses: number[] = [];
    for (let reads = 0; reads < 21; reads += 1) statuses.push((await fetchFeed(first.path)).status);
    expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(statuses[20]).toBe(429);
  });
});

test('a feed has the next runs, however many there were before', async () => {
  const id = await add({ name: 'Next' });
  const [next] = await runsOf(id);
  const before = { start_date: '2031-02-21', recurrence: 'FREQ=HOURLY;COUNT=120' };
  for (let made = 0; made < 5; made += 1) await add({ ...before, name: `Many ${made}` });
  await app.database.clock.set('2031-02-27T00:00:00Z');
  const { events } = await read((await share()).path);
  expect(events.length).toBe(500);
  expect(events.map(({ uid }) => uid)).toContain(`run-${next?.run_id}-${id}@campanile`);
});
