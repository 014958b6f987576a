/** Votes on polls: the newest of each member counts, whatever the order in which votes arrive. */
import { createHash } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { execute, readRows, sql } from '../../../src/platform/database/statements.ts';
import type { PollExtra } from '../../../src/content/post/ballot.ts';
import type { MemberEvent } from '../../../src/messengers/messenger.ts';
import { readNamedVotes, readPollResults } from '../../../src/sending/analytics/read-poll-results.ts';
import { addCampaign } from '../../../src/sending/campaigns/accept/add-campaign.ts';
import { deleteCampaign } from '../../../src/sending/campaigns/change/delete-campaign.ts';
import { removeDeleted } from '../../../src/sending/campaigns/change/remove-deleted.ts';
import { foldReceipts } from '../../../src/sending/receipts/fold-receipts.ts';
import { recordReceipts } from '../../../src/sending/receipts/record-receipts.ts';
import { useTestDatabase } from '../../support/database.ts';
import { analyticsWhen, convert, createOwner, startTestWorker, until, type Owner } from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';

const messenger = scriptMessenger();
const database = await useTestDatabase();
const worker = await startTestWorker(database, messenger);
afterAll(() => worker.stop());

const OPTIONS = ['Saturday', 'Sunday', 'Not at all'];
const hash = (option: string) => createHash('sha256').update(option).digest('hex');

async function asked(owner: Owner, poll: Partial<PollExtra> = {}): Promise<{ campaign: string; messageIds: string[] }> {
  const { campaignId } = await addCampaign({ db: database.db, convert }, owner, {
    name: 'Test',
    description: '',
    html: '',
    image: null,
    extras: { poll: { question: 'When?', options: OPTIONS, isMultiple: false, ...poll } },
    isChannelCampaign: false,
    groupIds: owner.groupIds,
    scheduleTime: null,
  });
  await analyticsWhen(database.db, owner, campaignId, ({ totals }) => totals.queued === 0);
  const rows = await readRows<{ message_id: string }>(database.db)`
    select message_id from deliveries where workspace_id = ${owner.workspaceId} order by run_id desc, position`;
  return { campaign: campaignId, messageIds: rows.map((row) => row.message_id) };
}

interface Ballot {
  participant: string;
  choices: readonly string[] | null;
  votedMs: number;
  at?: Date;
  voter?: string;
}

const vote = (
  owner: Owner,
  messageId: string | undefined,
  { participant, choices, votedMs, ...more }: Ballot,
): MemberEvent => ({
  kind: 'voted',
  accountId: owner.accountId,
  messageId: messageId ?? '',
  participant,
  isProvisional: participant.startsWith('number:'),
  choices: choices && choices.map(hash),
  votedMs,
  at: new Date(votedMs),
  ...more,
});

async function resultsOf(owner: Owner, campaign: string) {
  const { polls } = await readPollResults(database, owner, { campaignId: campaign, runId: null });
  const [poll] = polls;
  if (!poll) throw new Error('the campaign has no poll');
  const sum = (pick: (one: { voters: number; unreadable: number; votes: number[] }) => number) => ({
    groups: poll.groups.reduce((total, group) => total + pick(group), 0),
    timeline: poll.timeline.reduce((total, hour) => total + pick(hour), 0),
  });
  const totals = { voters: poll.voters, unreadable: poll.unreadable, votes: poll.votes };
  expect(sum((one) => one.voters)).toEqual({ groups: totals.voters, timeline: totals.voters });
  expect(sum((one) => one.unreadable)).toEqual({ groups: totals.unreadable, timeline: totals.unreadable });
  totals.votes.forEach((votes, index) =>
    expect(sum((one) => one.votes[index] ?? 0)).toEqual({ groups: votes, timeline: votes }),
  );
  return { ...poll, totals };
}

const HOUR = 3_600_000;
const NOW = Date.now();

describe('a vote', () => {
  test('counts once a member: the newest, also if it arrives first, and again', async () => {
    const owner = await createOwner(database.db, 2);
    const { campaign, messageIds } = await asked(owner);
    const [first, second] = messageIds;
    const votes = [
      vote(owner, first, { participant: 'ann', choices: ['Sunday'], votedMs: NOW + 2_000 }),
      vote(owner, first, { participant: 'ann', choices: ['Saturday'], votedMs: NOW + 1_000 }),
      vote(owner, first, { participant: 'ben', choices: ['Sunday'], votedMs: NOW }),
      vote(owner, second, { participant: 'ann', choices: ['Not at all'], votedMs: NOW }),
    ];
    await recordReceipts(database.db, votes);
    for (const one of votes.toReversed()) await recordReceipts(database.db, [one, one]);
    const { totals, groups, question, options } = await resultsOf(owner, campaign);
    expect({ question, options }).toEqual({ question: 'When?', options: OPTIONS });
    expect(totals).toEqual({ voters: 3, unreadable: 0, votes: [0, 2, 1] });
    expect(groups.map(({ votes: counts }) => counts)).toEqual([
      [0, 2, 0],
      [0, 0, 1],
    ]);
  });

  test('that is taken back goes, and an older one does not come back', async () => {
    const owner = await createOwner(database.db, 1);
    const { campaign, messageIds } = await asked(owner);
    const at = (votedMs: number, ...choices: string[]) =>
      vote(owner, messageIds[0], { participant: 'ann', choices, votedMs });
    await recordReceipts(database.db, [at(NOW, 'Sunday')]);
    await recordReceipts(database.db, [at(NOW + 1)]);
    await recordReceipts(database.db, [at(NOW, 'Sunday')]);
    expect((await resultsOf(owner, campaign)).totals).toEqual({ voters: 0, unreadable: 0, votes: [0, 0, 0] });
  });

  test('with several answers counts for each where the poll allows it, and else as unreadable', async () => {
    const owner = await createOwner(database.db, 1);
    const both = { participant: 'ann', choices: ['Saturday', 'Sunday'], votedMs: NOW };
    const several = await asked(owner, { isMultiple: true });
    await recordReceipts(database.db, [vote(owner, several.messageIds[0], both)]);
    expect((await resultsOf(owner, several.campaign)).totals).toEqual({ voters: 1, unreadable: 0, votes: [1, 1, 0] });
    const one = await asked(owner);
    await recordReceipts(database.db, [vote(owner, one.messageIds[0], both)]);
    expect((await resultsOf(owner, one.campaign)).totals).toEqual({ voters: 0, unreadable: 1, votes: [0, 0, 0] });
  });

  test('that cannot be opened, or names an unknown option, is counted as unreadable until the member votes again', async () => {
    const owner = await createOwner(database.db, 1);
    const { campaign, messageIds } = await asked(owner);
    await recordReceipts(database.db, [
      vote(owner, messageIds[0], { participant: 'ann', choices: null, votedMs: NOW }),
      vote(owner, messageIds[0], { participant: 'ben', choices: ['Monday'], votedMs: NOW }),
    ]);
    expect((await resultsOf(owner, campaign)).totals).toEqual({ voters: 0, unreadable: 2, votes: [0, 0, 0] });
    await recordReceipts(database.db, [
      vote(owner, messageIds[0], { participant: 'ann', choices: ['Sunday'], votedMs: NOW + 1 }),
    ]);
    expect((await resultsOf(owner, campaign)).totals).toEqual({ voters: 1, unreadable: 1, votes: [0, 1, 0] });
  });

  test('that cannot be opened never replaces one that can, whatever the clocks, the order and the ids', async () => {
    const owner = await createOwner(database.db, 1);
    for (const [openMs, sealedMs] of [
      [NOW, NOW + HOUR],
      [NOW + HOUR, NOW],
      [NOW, NOW],
    ] as const)
      for (const sealedAs of ['lid:ann', 'number:ann'])
        for (const isOpenFirst of [true, false]) {
          const { campaign, messageIds } = await asked(owner);
          const open = vote(owner, messageIds[0], { participant: 'lid:ann', choices: ['Sunday'], votedMs: openMs });
          const sealed = vote(owner, messageIds[0], { participant: sealedAs, choices: null, votedMs: sealedMs });
          for (const one of isOpenFirst ? [open, sealed] : [sealed, open]) await recordReceipts(database.db, [one]);
          const same = { kind: 'same', participant: 'lid:ann', alias: 'number:ann' } as const;
          await recordReceipts(database.db, [{ ...same, accountId: owner.accountId }]);
          expect((await resultsOf(owner, campaign)).totals).toEqual({ voters: 1, unreadable: 0, votes: [0, 1, 0] });
        }
  });

  test('received after the end does not count, and does not replace an earlier one', async () => {
    const owner = await createOwner(database.db, 1);
    const { campaign, messageIds } = await asked(owner, { openHours: 2 });
    const [{ runs: [run] = [] }] = [await resultsOf(owner, campaign)];
    expect(run?.closesAt).toBeInstanceOf(Date);
    const end = run?.closesAt?.getTime() ?? 0;
    await recordReceipts(database.db, [
      vote(owner, messageIds[0], { participant: 'ann', choices: ['Sunday'], votedMs: end - 1_000 }),
      vote(owner, messageIds[0], { participant: 'ann', choices: ['Saturday'], votedMs: end + 1_000 }),
      vote(owner, messageIds[0], {
        participant: 'ben',
        choices: ['Saturday'],
        votedMs: end - 5_000,
        at: new Date(end + 1),
      }),
    ]);
    expect((await resultsOf(owner, campaign)).totals).toEqual({ voters: 1, unreadable: 0, votes: [0, 1, 0] });
  });

  test('about another message, or a post without a poll, changes nothing', async () => {
    const owner = await createOwner(database.db, 1);
    const other = await createOwner(database.db, 1);
    const { campaign, messageIds } = await asked(owner);
    await recordReceipts(database.db, [
      vote(owner, '3EB0NOBODY', { participant: 'ann', choices: ['Sunday'], votedMs: NOW }),
      vote(other, messageIds[0], { participant: 'ann', choices: ['Sunday'], votedMs: NOW }),
    ]);
    expect((await resultsOf(owner, campaign)).totals.voters).toBe(0);
  });

  test('proves that its post was sent', async () => {
    const owner = await createOwner(database.db, 1);
    messenger.answer = () => ({ kind: 'refused', reason: 'no', final: true });
    const { campaign, messageIds } = await asked(owner);
    messenger.answer = () => undefined;
    await recordReceipts(database.db, [
      vote(owner, messageIds[0], { participant: 'ann', choices: ['Sunday'], votedMs: NOW }),
    ]);
    const { totals } = await analyticsWhen(database.db, owner, campaign, ({ totals: now }) => now.sent === 1);
    expect(totals).toMatchObject({ sent: 1, failed: 0 });
    expect((await resultsOf(owner, campaign)).totals.voters).toBe(1);
  });
});

test('voters are stored only where the poll names them', async () => {
  const owner = await createOwner(database.db, 1);
  const named = await asked(owner, { namesVoters: true });
  const ballot = { participant: '1@lid', choices: ['Sunday'], votedMs: NOW, voter: '4915100000001' };
  await recordReceipts(database.db, [vote(owner, named.messageIds[0], ballot)]);
  const { votes } = await readNamedVotes(database, owner, { campaignId: named.campaign, runId: null });
  expect(votes).toMatchObject([{ voter: '4915100000001', options: ['Sunday'], groupId: owner.groupIds[0] }]);
  const secret = await asked(owner);
  await recordReceipts(database.db, [vote(owner, secret.messageIds[0], ballot)]);
  const about = { campaignId: secret.campaign, runId: null };
  await expect(readNamedVotes(database, owner, about)).rejects.toMatchObject({ code: 'voters_not_named' });
  const rows = await readRows(database.db)`
    select from votes where workspace_id = ${owner.workspaceId} and voter is null`;
  expect(rows).toHaveLength(1);
});

test('totals stay when the votes are removed, and later votes count no more; a deleted campaign takes them along', async () => {
  const { db } = database;
  const owner = await createOwner(db, 1);
  const { campaign, messageIds } = await asked(owner, { namesVoters: true });
  const [ann, ben] = ['ann', 'ben'].map((participant) =>
    vote(owner, messageIds[0], { participant, choices: ['Sunday'], votedMs: NOW, voter: participant }),
  );
  await recordReceipts(db, ann ? [ann] : []);
  await execute(db)`
    update runs set finished_at = finished_at - interval '91 days' where workspace_id = ${owner.workspaceId}`;
  await until(() => foldReceipts(db), false);
  await recordReceipts(db, ben ? [ben] : []);
  const rows = await readRows(db)`select from votes where workspace_id = ${owner.workspaceId}`;
  expect(rows).toEqual([]);
  expect((await resultsOf(owner, campaign)).totals).toEqual({ voters: 1, unreadable: 0, votes: [0, 1, 0] });
  await deleteCampaign({ db }, owner, campaign);
  await until(() => removeDeleted(db), false);
  for (const table of ['poll_results', 'poll_hours']) {
    const left = await readRows(db)`select from ${sql.table(table)} where workspace_id = ${owner.workspaceId}`;
    expect(left, table).toEqual([]);
  }
});

test('webhooks get the totals of each group whose votes changed', async () => {
  const { db } = database;
  const owner = await createOwner(db, 2);
  await execute(db)`
    insert into webhooks (webhook_id, workspace_id, user_id, url, description, events, signature, secret, position, newest)
    values (gen_random_uuid(), ${owner.workspaceId}, ${owner.userId}, '', '', '{poll.vote}', 'v1', '', 0, 0)`;
  const { campaign, messageIds } = await asked(owner);
  const cast = (post: number, participant: string, votedMs: number, ...choices: string[]) =>
    vote(owner, messageIds[post], { participant, choices, votedMs });
  await recordReceipts(db, [cast(0, 'ann', NOW, 'Sunday'), cast(1, 'ann', NOW, 'Saturday')]);
  await recordReceipts(db, [cast(0, 'ann', NOW + 1)]);
  const rows = await readRows<{ data: { campaign_id: string; groups: object[] } }>(db)`
    select data from events where workspace_id = ${owner.workspaceId} and type = 'poll.vote' order by event_id`;
  const of = (index: number, votes: number[]) => ({
    group_metadata_id: owner.groupIds[index],
    voters: votes.some(Boolean) ? 1 : 0,
    unreadable: 0,
    votes,
  });
  expect(rows.map(({ data }) => data.groups)).toEqual([[of(0, [0, 1, 0]), of(1, [1, 0, 0])], [of(0, [0, 0, 0])]]);
  expect(rows[0]?.data.campaign_id).toBe(campaign);
});

test('counts 1,023 voters of a group, half of whom change their vote', async () => {
  const owner = await createOwner(database.db, 1);
  const { campaign, messageIds } = await asked(owner);
  const members = Array.from({ length: 1_023 }, (_, index) => `member ${index}`);
  const first = members.map((participant) =>
    vote(owner, messageIds[0], { participant, choices: ['Saturday'], votedMs: NOW }),
  );
  const second = members
    .filter((_, index) => index % 2 === 0)
    .map((participant) => vote(owner, messageIds[0], { participant, choices: ['Sunday'], votedMs: NOW + 1 }));
  await recordReceipts(database.db, second);
  await recordReceipts(database.db, [...first, ...second]);
  expect((await resultsOf(owner, campaign)).totals).toEqual({ voters: 1_023, unreadable: 0, votes: [511, 512, 0] });
});

const PEOPLE = ['ann', 'ben', 'cem'];

test('totals are those of the newest votes, in any order and under either id of a person', async () => {
  const owner = await createOwner(database.db, 2);
  const ballot = fc.record({
    person: fc.constantFrom(...PEOPLE),
    post: fc.nat(1),
    byNumber: fc.boolean(),
    choices: fc.oneof(fc.constant(null), fc.subarray(OPTIONS)),
    second: fc.nat(5),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(ballot, { maxLength: 6 }), { maxLength: 5 }), async (batches) => {
      const { campaign, messageIds } = await asked(owner, { isMultiple: true });
      const toEvent = ({ person, post, byNumber, choices, second }: (typeof batches)[number][number]) =>
        vote(owner, messageIds[post], {
          participant: `${byNumber ? 'number' : 'lid'}:${person}`,
          choices,
          // Several hours, so that the timeline moves.
          votedMs: NOW + second * HOUR,
        });
      const same = (person: string): MemberEvent => ({
        kind: 'same',
        accountId: owner.accountId,
        participant: `lid:${person}`,
        alias: `number:${person}`,
      });
      for (const batch of batches) await recordReceipts(database.db, batch.map(toEvent));
      await recordReceipts(database.db, [...batches.flat().map(toEvent).toReversed(), ...PEOPLE.map(same)]);
      expect((await resultsOf(owner, campaign)).totals).toEqual(countNewest(batches.flat()));
    }),
    { numRuns: 40 },
  );
});

/** One that could be opened counts before all others, then the newest; of equally new ones the one with the later options. */
function countNewest(
  ballots: ReadonlyArray<{ person: string; post: number; choices: string[] | null; second: number }>,
) {
  const rank = (choices: string[] | null) =>
    choices === null ? -1 : choices.reduce((sum, option) => sum + 2 ** OPTIONS.indexOf(option), 0);
  const newest = [...Map.groupBy(ballots, ({ person, post }) => `${person} ${post}`).values()].map(
    (own) =>
      own.toSorted(
        (a, b) =>
          Number(b.choices !== null) - Number(a.choices !== null) ||
          b.second - a.second ||
          rank(b.choices) - rank(a.choices),
      )[0]?.choices ?? null,
  );
  return {
    voters: newest.filter((choices) => choices && choices.length > 0).length,
    unreadable: newest.filter((choices) => choices === null).length,
    votes: OPTIONS.map((option) => newest.filter((choices) => choices?.includes(option)).length),
  };
}
