/** Polls and events by the API: accepted, changed, drafted, duplicated, shown in the sandbox, whose members vote. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hasRow } from '../../../src/platform/database/statements.ts';
import { useTestApp, type Answer } from '../../support/app.ts';
import { PNG } from '../../support/inputs/sample-files.ts';
import { until } from '../../support/ledger.ts';

const app = await useTestApp({ sandboxSpeed: 200 });
const alice = await app.signUp('alice');
const { body } = await alice.call<{ groups: { group_metadata_id: number }[] }>('venom/list-groups');
const groups = body.data.groups.map((group) => group.group_metadata_id);

const poll = { question: 'When?', options: ['Saturday', 'Sunday', 'Never'] };
const event = { name: 'Fair', start_at: '2032-06-05T09:00:00+02:00', place: 'Market square' };
const post = (more: object) => ({ name: 'Poll', html: '', group_metadata_ids: groups, ...more });
const schedule = { is_schedule: true, start_date: '2032-06-01', end_date: '2032-06-02', schedule_time: '09:00:00' };

const kept = { question: 'When?', options: poll.options, multiple: false, open_hours: null, names_voters: false };

interface Posted {
  campaign_id: string;
  html: string;
  poll: object | null;
  event: object | null;
}
interface Result {
  kind: string;
  question: string;
  options: string[];
  voters: number;
  unreadable: number;
  votes: number[];
  groups: Array<{ group_name: string; voters: number; votes: number[] }>;
  timeline: Array<{ voters: number; votes: number[] }>;
}

async function scheduled(more: object): Promise<string> {
  const { status, headers } = await alice.call('venom/add-campaign-batch', { ...post(more), ...schedule });
  expect(status).toBe(200);
  return headers.get('x-campaign-id') ?? '';
}

const campaignOf = async (campaign_id: string) =>
  (await alice.call<Posted>('venom/get-campaign', { campaign_id })).body.data;
const resultsOf = async (campaign_id: string) =>
  (await alice.call<{ polls: Result[] }>('analytics/get-poll-results', { campaign_id })).body.data.polls;
const detailsOf = ({ status, body }: Answer<unknown>) => ({ status, fields: body.details?.map(({ field }) => field) });

describe('a poll', () => {
  test.each([
    ['one option', { options: ['Sunday'] }, 'poll.options'],
    ['the same option twice', { options: ['Sunday', 'Sunday'] }, 'poll.options'],
    ['thirteen options', { options: Array.from({ length: 13 }, (_, index) => `${index}`) }, 'poll.options'],
    ['an invisible option', { options: ['Sunday', '\u2800'] }, 'poll.options.1'],
    ['no question', { question: '' }, 'poll.question'],
    ['a question of 256 characters', { question: 'a'.repeat(256) }, 'poll.question'],
    ['no hour', { open_hours: 0 }, 'poll.open_hours'],
  ])('with %s is rejected', async (_name, wrong, field) => {
    const answer = await alice.call('venom/add-campaign', post({ poll: { ...poll, ...wrong } }));
    // Without a valid poll the post is empty, which is a problem too.
    expect(detailsOf(answer)).toEqual({ status: 400, fields: [field, 'html'] });
  });

  test('is a message of its own: text, file and event beside it are rejected', async () => {
    const image = PNG.toString('base64');
    for (const more of [{ html: 'Hello' }, { image }]) {
      const answer = await alice.call('venom/add-campaign', post({ poll, ...more }));
      expect(detailsOf(answer)).toEqual({ status: 400, fields: ['poll'] });
    }
    expect(
      detailsOf(await alice.call('venom/check-campaign', { ...post({ poll }), is_schedule: false, with_file: true })),
    ).toEqual({
      status: 400,
      fields: ['poll'],
    });
    expect(detailsOf(await alice.call('venom/add-campaign', post({ poll, event })))).toEqual({
      status: 400,
      fields: ['event'],
    });
  });

  test('to a channel is rejected, also by a check and a change', async () => {
    await alice.call('venom/create-channel', { name: 'News', description: '' });
    const { body } = await alice.call<{ groups: Array<{ group_metadata_id: number; kind: string }> }>(
      'venom/list-groups',
    );
    const channel = body.data.groups.find(({ kind }) => kind === 'channel')?.group_metadata_id;
    const group_metadata_ids = [...groups, channel];
    const expected = { status: 400, fields: ['group_metadata_ids'] };
    expect(detailsOf(await alice.call('venom/add-campaign', post({ poll, group_metadata_ids })))).toEqual(expected);
    expect(
      detailsOf(
        await alice.call('venom/check-campaign', { ...post({ poll, group_metadata_ids }), is_schedule: false }),
      ),
    ).toEqual(expected);
    const campaign_id = await scheduled({ poll });
    expect(detailsOf(await alice.call('venom/update-campaign', { campaign_id, group_metadata_ids }))).toEqual(expected);
  });

  test('is kept, checked, duplicated and changed', async () => {
    const id = await scheduled({ poll });
    expect(await campaignOf(id)).toMatchObject({ html: '', poll: kept, event: null });
    const copy = (await alice.call<Posted>('venom/duplicate-campaign', { campaign_id: id })).body.data;
    expect(copy.poll).toEqual(kept);
    expect((await alice.call('venom/check-campaign', copy)).status).toBe(200);
    const change = async (more: object) => alice.call('venom/update-campaign', { campaign_id: id, ...more });
    expect((await change({ poll: { ...poll, question: 'When then?' } })).status).toBe(200);
    expect(await campaignOf(id)).toMatchObject({ poll: { question: 'When then?' } });
    expect(detailsOf(await change({ html: 'A text' }))).toEqual({ status: 400, fields: ['poll'] });
    expect(detailsOf(await change({ remove: ['poll'] }))).toEqual({ status: 400, fields: ['remove'] });
    expect((await change({ remove: ['poll'], html: 'A text' })).status).toBe(200);
    expect(await campaignOf(id)).toMatchObject({ poll: null, html: 'A text' });
    expect((await change({ poll, html: '' })).status).toBe(200);
    expect(await campaignOf(id)).toMatchObject({ poll: kept, html: '' });
  });

  test('is drafted half-written', async () => {
    const draft_id = randomUUID();
    const half = { question: '', options: ['Saturday', ''], multiple: true };
    expect((await alice.call('venom/save-draft', { draft_id, version: 0, poll: half })).status).toBe(200);
    const { body } = await alice.call<{ drafts: Array<{ content: { poll: object } }> }>('venom/list-drafts', {
      draft_id,
    });
    expect(body.data.drafts[0]?.content.poll).toEqual({ ...half, open_hours: null, names_voters: false });
  });

  test('is shown to sandbox members, who vote; sums of groups and hours are the totals', async () => {
    const { campaign_id } = (
      await alice.call<Posted>('venom/add-campaign', post({ poll: { ...poll, multiple: true } }))
    ).body.data;
    const shown = await until(
      async () =>
        (await alice.call<{ messages: Posted[] }>('sandbox/list-messages', { group_metadata_id: groups[0] })).body.data
          .messages,
      (messages) => messages.some((message) => message.poll),
    );
    expect(shown.find((message) => message.poll)?.poll).toEqual({ ...kept, multiple: true });
    await until(
      () => hasRow(app.database.db)`select from sandbox_messages where next_activity_at is not null`,
      (isLeft) => !isLeft,
    );
    const [result] = await resultsOf(campaign_id);
    if (!result) throw new Error('the campaign has no poll');
    expect(result).toMatchObject({ kind: 'poll', question: 'When?', options: poll.options, unreadable: 0 });
    expect(result.voters).toBeGreaterThan(3);
    for (const part of [result.groups, result.timeline]) {
      expect(part.reduce((sum, one) => sum + one.voters, 0)).toBe(result.voters);
      result.votes.forEach((votes, index) =>
        expect(part.reduce((sum, one) => sum + (one.votes[index] ?? 0), 0)).toBe(votes),
      );
    }
    expect(result.votes.reduce((sum, votes) => sum + votes, 0)).toBeGreaterThan(result.voters);
  });

  test('is exported with a row per group and option, and without voters', async () => {
    const { campaign_id } = (await alice.call<Posted>('venom/add-campaign', post({ poll }))).body.data;
    const exported = async (more: object) => {
      const response = await fetch(`${app.url}/api/v1/analytics/export-poll`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.token}` },
        body: JSON.stringify({ campaign_id, format: 'csv', ...more }),
      });
      return { status: response.status, text: await response.text() };
    };
    const { status, text } = await exported({});
    expect(status).toBe(200);
    const [head, ...rows] = text.trim().split('\r\n');
    expect(head?.replace('\ufeff', '')).toBe(
      'question,group_metadata_id,group_name,kind,option,votes,voters,unreadable',
    );
    expect(rows).toHaveLength(groups.length * poll.options.length);
    expect((await exported({ voters: true })).status).toBe(409);
  });
});

test('an event is kept with its instants in UTC, and answered by sandbox members', async () => {
  const { campaign_id } = (await alice.call<Posted>('venom/add-campaign', post({ event }))).body.data;
  expect((await campaignOf(campaign_id)).event).toEqual({
    name: 'Fair',
    description: null,
    place: 'Market square',
    start_at: '2032-06-05T07:00:00.000Z',
    end_at: null,
  });
  const [result] = await until(
    () => resultsOf(campaign_id),
    ([one]) => (one?.voters ?? 0) > 3,
  );
  expect(result).toMatchObject({
    kind: 'event',
    question: 'Fair',
    options: ['going', 'maybe', 'not_going'],
    unreadable: 0,
  });
  const ended = { ...event, end_at: '2032-06-05T08:00:00+02:00' };
  expect(detailsOf(await alice.call('venom/add-campaign', post({ event: ended })))).toEqual({
    status: 400,
    fields: ['event.end_at', 'html'],
  });
});

test('a campaign without a poll has no results', async () => {
  const { campaign_id } = (await alice.call<Posted>('venom/add-campaign', post({ html: 'Hello' }))).body.data;
  expect((await alice.call('analytics/get-poll-results', { campaign_id })).status).toBe(404);
});
