/** Recalls and corrections, as members of the sandbox and the analytics see them. */
import { readRows } from '../../../src/platform/database/statements.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { groupsOf, startTestApp, untilCompleted, type Answer, type Person, type TestApp } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';

interface Analytics {
  campaign: { status: string };
  totals: Record<string, number>;
  groups: Array<{
    group_metadata_id: number;
    recalled: number;
    corrected: number;
    last_error: string | null;
    error_code?: string;
    error_params?: object;
  }>;
  runs: Array<{ run_id: number; status: string; sent: number; cancelled: number }>;
}
interface Revised {
  campaign_id: string;
  groups: number;
}

let app: TestApp;
let alice: Person;
let bob: Person;
let groups: number[];
let people = 0;

beforeAll(async () => {
  app = await startTestApp({ sandboxSpeed: 0 });
});
beforeEach(async () => {
  await app.database.clock.set('2031-06-01T08:00:00Z');
  [alice, bob] = [await app.signUp(`alice${++people}`), await app.signUp(`bob${people}`)];
  groups = await groupsOf(alice);
});
afterAll(() => app.stop());

async function textsIn(person: Person, group_metadata_id: number | undefined): Promise<string[]> {
  const page = { group_metadata_id, limit: 1_000 };
  const { body } = await person.call<{ messages: Array<{ text: string }> }>('sandbox/list-messages', page);
  return body.data.messages.map((message) => message.text);
}

const analyticsOf = async (campaign_id: string) =>
  (await alice.call<Analytics>('analytics/get-campaign-group-analytics-master', { campaign_id })).body.data;
const analyticsWhen = (campaign_id: string, holds: (analytics: Analytics) => boolean) =>
  until(() => analyticsOf(campaign_id), holds);

/** Sends to all groups and waits until they have it. */
async function send(person: Person, html: string): Promise<string> {
  const group_metadata_ids = await groupsOf(person);
  const post = { name: 'Fair', html, group_metadata_ids };
  const { campaign_id } = (await person.call<{ campaign_id: string }>('venom/add-campaign', post)).body.data;
  await until(
    () => textsIn(person, group_metadata_ids.at(-1)),
    (texts) => texts.includes(html),
  );
  await untilCompleted(person.call, campaign_id);
  return campaign_id;
}

const recall = (campaign_id: string, run_id?: number) =>
  alice.call<Revised>('venom/recall-campaign', { campaign_id, run_id });
const correct = (campaign_id: string, html: string, run_id?: number) =>
  alice.call<Revised>('venom/correct-campaign', { campaign_id, html, run_id });
function expectDone(answer: Answer<Revised>, campaign_id: string, groupCount: number) {
  expect(answer, JSON.stringify(answer.body)).toMatchObject({
    status: 200,
    body: { data: { campaign_id, groups: groupCount } },
  });
}

test('recalls posts for members, reports each group, and touches no other campaign', async () => {
  const id = await send(alice, 'We open at nine');
  await send(alice, 'Another');
  await send(bob, 'We open at nine');
  expectDone(await recall(id), id, 3);
  const { totals, groups: rows, campaign } = await analyticsWhen(id, (found) => found.totals['recalled'] === 3);
  for (const group of groups) expect(await textsIn(alice, group)).toEqual(['Another']);
  for (const group of await groupsOf(bob)) expect(await textsIn(bob, group)).toEqual(['We open at nine']);
  expect(rows.map((row) => [row.recalled, row.corrected, row.last_error])).toEqual(groups.map(() => [1, 0, null]));
  expect(totals, 'it was sent all the same').toMatchObject({ sent: 3, recalled: 3, corrected: 0 });
  expect(campaign.status).toBe('completed');
});

test('corrects posts in place, and the campaign has the new text from then on', async () => {
  const id = await send(alice, 'We open at nine');
  await send(alice, 'Another');
  expectDone(await correct(id, '<p>We open at <b>ten</b></p>'), id, 3);
  await analyticsWhen(id, (found) => found.totals['corrected'] === 3);
  for (const group of groups) expect(await textsIn(alice, group)).toEqual(['We open at *ten*', 'Another']);
  const { body } = await alice.call('venom/get-campaign', { campaign_id: id });
  expect(body.data).toMatchObject({ html: '<p>We open at <b>ten</b></p>', text: 'We open at *ten*' });
});

test('replaces a correction by a second one, and allows none after a recall', async () => {
  const id = await send(alice, 'one');
  await correct(id, 'two');
  await correct(id, 'three');
  await until(
    () => Promise.all(groups.map((group) => textsIn(alice, group))),
    (texts) => texts.every(([text]) => text === 'three'),
  );
  expectDone(await recall(id), id, 3);
  const { totals } = await analyticsWhen(id, (found) => found.totals['recalled'] === 3);
  expect(totals['corrected'], 'that it had been corrected stays told').toBe(3);
  expect(await textsIn(alice, groups[0])).toEqual([]);
  expect((await correct(id, 'four')).status).toBe(409);
  expect((await recall(id)).status).toBe(409);
});

test('returns deleted posts without text, and when posts were edited', async () => {
  const gone = await send(alice, 'gone');
  const changed = await send(alice, 'one');
  await send(alice, 'as it was');
  await recall(gone);
  await correct(changed, 'two');
  const changesIn = async (with_changes?: boolean) => {
    const asked = { group_metadata_id: groups[0], with_changes };
    return (await alice.call<{ messages: object[] }>('sandbox/list-messages', asked)).body.data.messages;
  };
  const instant = expect.stringMatching(/^2031-06-01T08:.*Z$/) as string;
  const known = { message_id: expect.any(String) as string, media: null, link_preview: null, sent_at: instant };
  const marked = { ...known, mentions_all: false, quoted_message_id: null, pinned_until: null };
  await until(
    () => changesIn(),
    (messages) => messages.length === 2 && JSON.stringify(messages).includes('two'),
  );
  expect(await changesIn(true)).toEqual([
    { ...marked, text: '', recalled_at: instant, corrected_at: null },
    { ...marked, text: 'two', recalled_at: null, corrected_at: instant },
    { ...marked, text: 'as it was', recalled_at: null, corrected_at: null },
  ]);
  expect(await changesIn(false)).toEqual(['two', 'as it was'].map((text) => ({ ...known, text })));
});

describe('of a schedule', () => {
  async function twoDays(): Promise<{ id: string; runs: Analytics['runs'] }> {
    const schedule = { start_date: '2031-06-01', end_date: '2031-06-03', schedule_time: '09:00:00', time_zone: 'UTC' };
    const post = { name: 'Daily', html: 'Good morning', group_metadata_ids: groups, is_schedule: true };
    const answer = await alice.call('venom/add-campaign-batch', { ...post, ...schedule });
    const id = answer.headers.get('x-campaign-id') ?? '';
    for (const [days, day] of ['2031-06-01', '2031-06-02'].entries()) {
      await app.database.clock.set(`${day}T09:00:00Z`);
      await analyticsWhen(id, (found) => found.totals['sent'] === 3 * (days + 1));
    }
    return { id, runs: (await analyticsOf(id)).runs };
  }

  test('recalls one run, and leaves the others', async () => {
    const { id, runs } = await twoDays();
    expectDone(await recall(id, runs[1]?.run_id), id, 3);
    const { campaign, totals } = await analyticsWhen(id, (found) => found.totals['recalled'] === 3);
    expect(await textsIn(alice, groups[0])).toEqual(['Good morning']);
    expect(campaign.status).toBe('scheduled');
    expect(totals).toMatchObject({ sent: 6, recalled: 3 });
  });

  test('corrects one run, and leaves later ones', async () => {
    const { id, runs } = await twoDays();
    expectDone(await correct(id, 'Good evening', runs[1]?.run_id), id, 3);
    await analyticsWhen(id, (found) => found.totals['corrected'] === 3);
    expect(await textsIn(alice, groups[0])).toEqual(['Good morning', 'Good evening']);
    await app.database.clock.set('2031-06-03T09:00:00Z');
    await analyticsWhen(id, (found) => found.totals['sent'] === 9);
    expect((await textsIn(alice, groups[0])).at(-1)).toBe('Good morning');
  });

  test('corrects all runs within the window, and later runs have the new text', async () => {
    const { id } = await twoDays();
    expectDone(await correct(id, 'Good evening'), id, 3);
    const { groups: rows } = await analyticsWhen(
      id,
      (found) => found.totals['corrected'] === 3 && found.groups.every((row) => row.last_error !== null),
    );
    expect(rows[0]?.last_error).toMatch(/^Too late: .*15 minutes/);
    expect(await textsIn(alice, groups[0])).toEqual(['Good morning', 'Good evening']);
    await app.database.clock.set('2031-06-03T09:00:00Z');
    await analyticsWhen(id, (found) => found.totals['sent'] === 9);
    expect((await textsIn(alice, groups[0])).at(-1)).toBe('Good evening');
  });

  test('shares one content among runs that were corrected one by one, after a correction of all', async () => {
    const { id, runs } = await twoDays();
    for (const [index, run] of runs.slice(0, 2).entries()) await correct(id, `Day ${index}`, run.run_id);
    const lists = async () =>
      (
        await readRows(app.database.db)`
          select from contents t join campaigns c using (campaign_id) where c.public_id = ${id}`
      ).length;
    const before = await lists();
    await correct(id, 'Good evening');
    expect(await lists()).toBe(before + 1);
    const rows = await readRows(app.database.db)`
      select distinct t.content_id from runs r join campaigns c using (campaign_id) join contents t on t.content_id in (r.content_id, c.content_id)
      where c.public_id = ${id}`;
    expect(rows).toHaveLength(1);
  });

  test('recalls all runs, and cancels planned ones', async () => {
    const { id } = await twoDays();
    expectDone(await recall(id), id, 3);
    const { campaign, runs } = await analyticsWhen(id, (found) => found.totals['recalled'] === 6);
    expect(await textsIn(alice, groups[0])).toEqual([]);
    expect(campaign.status).toBe('cancelled');
    expect(runs.map((run) => run.status)).toEqual(['completed', 'completed', 'cancelled']);
  });

  test('rejects a recall or correction before the first run', async () => {
    const schedule = { start_date: '2031-07-01', end_date: '2031-07-03', schedule_time: '09:00:00' };
    const post = { name: 'Daily', html: 'Good morning', group_metadata_ids: groups, is_schedule: true };
    const answer = await alice.call('venom/add-campaign-batch', { ...post, ...schedule });
    const id = answer.headers.get('x-campaign-id') ?? '';
    const { runs } = await analyticsOf(id);
    for (const run of [undefined, runs[0]?.run_id]) {
      expect((await recall(id, run)).status).toBe(409);
      expect((await correct(id, 'Hello', run)).status).toBe(409);
    }
    expect((await analyticsOf(id)).campaign.status).toBe('scheduled');
  });
});

test('reports why posts are too old to be recalled, all of them or some', async () => {
  const id = await send(alice, 'We open at nine');
  await app.database.clock.advance({ hours: 61 });
  const { body } = await recall(id);
  expect(body).toMatchObject({ code: 409, error_code: 'too_late' });
  expect(body.message).toMatch(/^Too late: .*60 hours.*Send a correction as a new post/);
  const runs = await readRows(app.database.db)`
    update runs set progress_at = campanile_now() where campaign_id = (select campaign_id from campaigns where public_id = ${id})
    returning run_id`;
  expect(runs).toHaveLength(1);
  expectDone(await recall(id), id, 3);
  const { groups: rows, totals } = await analyticsWhen(id, (found) => found.groups.every((row) => row.last_error));
  expect(rows[0]?.last_error).toMatch(/^Too late: .*60 hours.*Send a correction as a new post/);
  expect(rows[0]).toMatchObject({ error_code: 'recall_too_late', error_params: { hours: 60, days: 30 } });
  expect(totals).toMatchObject({ recalled: 0, sent: 3 });
  expect(await textsIn(alice, groups[0])).toEqual(['We open at nine']);
});

test('answers 404 for foreign campaigns and runs, and 400 for invalid html', async () => {
  const id = await send(alice, 'We open at nine');
  const bobs = await send(bob, 'Hello');
  for (const campaign of [bobs, '00000000-0000-4000-8000-000000000000']) {
    expect((await recall(campaign)).body).toMatchObject({ code: 404, details: [{ field: 'campaign_id' }] });
    expect((await correct(campaign, 'x')).body).toMatchObject({ code: 404, details: [{ field: 'campaign_id' }] });
  }
  const other = (await analyticsOf(await send(alice, 'Another'))).runs[0]?.run_id;
  expect((await recall(id, other)).body).toMatchObject({ code: 404, details: [{ field: 'run_id' }] });
  expect((await correct(id, 'x', other)).body).toMatchObject({ code: 404, details: [{ field: 'run_id' }] });
  expect((await correct(id, '<script>x</script>')).body).toMatchObject({ code: 400, details: [{ field: 'html' }] });
  expect(await textsIn(bob, (await groupsOf(bob))[0])).toEqual(['Hello']);
  const log = await alice.call<{ entries: Array<{ action: string }> }>('user/list_audit_log', {});
  expect(log.body.data.entries.map((entry) => entry.action)).not.toContain('campaign.recalled');
  await recall(id);
  const after = await alice.call<{ entries: object[] }>('user/list_audit_log', { limit: 1 });
  expect(after.body.data.entries).toMatchObject([{ action: 'campaign.recalled', subject: id }]);
});

describe('while it is being sent, slowly', () => {
  let slow: TestApp;
  const fast = () => app;
  let before: TestApp;
  beforeAll(async () => {
    slow = await startTestApp({ sandboxSpeed: 0, sandboxGap: { minMs: 3_600_000, maxMs: 3_600_000 } });
  });
  afterAll(() => slow.stop());
  beforeEach(async () => {
    before = fast();
    app = slow;
    alice = await app.signUp(`slow${++people}`);
    groups = await groupsOf(alice);
  });
  afterEach(() => {
    app = before;
  });

  /** One group has it, two wait for the gap. */
  async function sendOne(): Promise<string> {
    const post = { name: 'Fair', html: 'We open at nine', group_metadata_ids: groups };
    const { campaign_id } = (await alice.call<{ campaign_id: string }>('venom/add-campaign', post)).body.data;
    await analyticsWhen(campaign_id, (found) => found.totals['sent'] === 1);
    return campaign_id;
  }

  test('cancels unsent posts of a recall, and recalls sent ones at the pace', async () => {
    const id = await sendOne();
    expectDone(await recall(id), id, 1);
    const { campaign, totals } = await analyticsOf(id);
    expect(campaign.status).toBe('cancelled');
    expect(totals).toMatchObject({ sent: 1, cancelled: 2, queued: 0, recalled: 0 });
    await app.database.clock.advance({ hours: 1, minutes: 1 });
    await analyticsWhen(id, (found) => found.totals['recalled'] === 1);
    for (const group of groups) expect(await textsIn(alice, group)).toEqual([]);
  });

  test('edits sent posts of a correction, and sends the rest with the new text', async () => {
    const id = await sendOne();
    expectDone(await correct(id, 'We open at ten'), id, 1);
    // The pace reaches the first post after its edit window; later posts leave with the new text.
    await until(
      async () => {
        await app.database.clock.advance({ hours: 1, minutes: 1 });
        return analyticsOf(id);
      },
      (found) => found.totals['sent'] === 3,
    );
    expect(await textsIn(alice, groups[1])).toEqual(['We open at ten']);
    expect(await textsIn(alice, groups[2])).toEqual(['We open at ten']);
  });
});
