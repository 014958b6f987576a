/** Polls on WhatsApp: phones show them, and votes are opened and counted whichever ids they are encrypted under. */
import { describe, expect, test } from 'vitest';
import type { Person } from '../../../support/app.ts';
import { until } from '../../../support/ledger.ts';
import { addOwnChannel, statusWhen } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { postInGroup, sendReceipt } from '../../../../harness/whatsapp-peer/phones.ts';
import { pollIn, sealedVote, type As } from '../../../../harness/whatsapp-peer/seal-vote.ts';
import { addCommunity, type Person as PeerPerson } from '../../../../harness/whatsapp-peer/world.ts';

const scene = await setWhatsAppScene();
const { peer, members, linked, finished } = scene;
members.push(peer.addPerson('4915100000004'), peer.addPerson('4915100000005'));
const [ann, ben, cem, dan] = members as [PeerPerson, PeerPerson, PeerPerson, PeerPerson];

const POLL = { question: 'When shall we meet?', options: ['Saturday', 'Sunday', 'Never'] };

interface Counts {
  voters: number;
  unreadable: number;
  votes: number[];
}

const sendPoll = async (person: Person, groups: readonly number[], poll: object = POLL) =>
  person.call<{ campaign_id: string }>('venom/add-campaign', {
    name: 'Poll',
    html: '',
    poll,
    group_metadata_ids: groups,
  });

async function resultsOf(person: Person, campaign_id: string): Promise<Counts & { groups: Counts[] }> {
  const { body } = await person.call<{ polls: Array<Counts & { groups: Counts[] }> }>('analytics/get-poll-results', {
    campaign_id,
  });
  const [poll] = body.data.polls;
  if (!poll) throw new Error(JSON.stringify(body));
  return poll;
}

/** A user whose poll has arrived in groups of all members. */
async function asked(groupCount: number, poll: object = POLL) {
  const somebody = await linked(groupCount);
  const before = peer.arrivals.length;
  const { body } = await sendPoll(somebody.person, somebody.groups, poll);
  const campaign = body.data.campaign_id;
  await finished(somebody.person, campaign);
  const posts = [...new Map(peer.arrivals.slice(before).map((one) => [one.messageId, one])).values()];
  const [post] = posts;
  if (!post) throw new Error('nothing was posted');
  const { companion, phone: author } = somebody;
  const results = async () => {
    const { voters, unreadable, votes } = await resultsOf(somebody.person, campaign);
    return { voters, unreadable, votes };
  };
  return { ...somebody, author, companion, campaign, posts, post, results };
}

describe('a poll', () => {
  test('is shown with its options, in the field that WhatsApp has for it', async () => {
    const { post } = await asked(1);
    expect(pollIn(post.message)).toMatchObject({
      name: POLL.question,
      options: POLL.options.map((optionName) => ({ optionName })),
      selectableOptionsCount: 1,
    });
    expect(post.message.pollCreationMessageV3).toBeTruthy();
    const several = await asked(1, { ...POLL, multiple: true });
    expect(several.post.message.pollCreationMessage).toMatchObject({ selectableOptionsCount: 0 });
  });

  test('has a field of its own in the announcement group of a community', async () => {
    const { person, phone } = await linked(0);
    addCommunity(peer.world, phone, 'Old town');
    await person.call('venom/sync-groups');
    const { body: list } = await person.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
    const before = peer.arrivals.length;
    const { body } = await sendPoll(
      person,
      list.data.groups.map((group) => group.group_metadata_id),
    );
    await finished(person, body.data.campaign_id);
    expect(peer.arrivals[before]?.message.pollCreationMessageV2).toMatchObject({ name: POLL.question });
  });

  test('has the same secret when it leaves again, so that votes of both count', async () => {
    const { person, companion, phone: author, groups } = await linked(1);
    let refusals = 0;
    peer.script.judge = () => (refusals++ === 0 ? 'cut after' : 'accept');
    const before = peer.arrivals.length;
    const { body } = await sendPoll(person, groups);
    await finished(person, body.data.campaign_id);
    const post = peer.arrivals[before];
    if (!post) throw new Error('nothing was posted');
    await statusWhen(person, 'connected');
    await postInGroup(companion, {
      chatId: post.chatId,
      by: ann,
      message: sealedVote({ post, author, by: ann }, ['Sunday']),
    });
    expect(await resultsOf(person, body.data.campaign_id)).toMatchObject({
      voters: 1,
      unreadable: 0,
      votes: [0, 1, 0],
    });
    expect(refusals).toBeGreaterThan(1);
  });

  test('to a channel is refused with a sentence, and nothing is created', async () => {
    const { person, phone } = await linked(0);
    const { groupId } = await addOwnChannel(peer, { person, phone });
    const { status, body } = await sendPoll(person, [groupId]);
    expect(status).toBe(400);
    expect(body.details).toMatchObject([
      { field: 'group_metadata_ids', issue: 'contains a channel: votes in channels cannot be counted' },
    ]);
  });

  test('can be recalled, and not corrected', async () => {
    const { person, campaign } = await asked(1);
    const corrected = await person.call('venom/correct-campaign', { campaign_id: campaign, html: 'Other' });
    expect(corrected.status).toBe(409);
    expect(corrected.body.message).toMatch('cannot change a poll');
    expect((await person.call('venom/recall-campaign', { campaign_id: campaign })).status).toBe(200);
  });
});

describe('a vote', () => {
  const PAIRS: Array<[As, As]> = [
    ['lid', 'lid'],
    ['lid', 'number'],
    ['number', 'lid'],
    ['number', 'number'],
  ];

  test('is opened with every pair of ids of author and voter', async () => {
    const { post, author, companion, results } = await asked(1);
    const voters = [ann, ben, cem, dan];
    for (const [index, [authorAs, voterAs]] of PAIRS.entries()) {
      const by = voters[index] ?? ann;
      const message = sealedVote({ post, author, by, authorAs, voterAs }, ['Sunday']);
      // The stanza names the member by one id alone, and the vote may be encrypted under the other.
      await postInGroup(companion, { chatId: post.chatId, by, message, as: index % 2 === 0 ? 'lid' : 'number' });
    }
    expect(await results()).toEqual({ voters: 4, unreadable: 0, votes: [0, 4, 0] });
  });

  test('of the same member under LID and phone number is one, and the newest counts', async () => {
    const { post, author, companion, results } = await asked(1);
    const now = Date.now();
    const cast = (at: number, as: 'lid' | 'number', ...options: string[]) =>
      postInGroup(companion, {
        chatId: post.chatId,
        by: ann,
        message: sealedVote({ post, author, by: ann, at, voterAs: as }, options),
        as,
      });
    await cast(now, 'lid', 'Sunday');
    await cast(now - 60_000, 'number', 'Never');
    expect(await results()).toEqual({ voters: 1, unreadable: 0, votes: [0, 1, 0] });
    await cast(now + 1, 'number', 'Saturday');
    expect(await results()).toEqual({ voters: 1, unreadable: 0, votes: [1, 0, 0] });
    await cast(now + 2, 'lid');
    expect(await results()).toEqual({ voters: 0, unreadable: 0, votes: [0, 0, 0] });
  });

  test('from a phone whose clock is ahead is not the newest for ever', async () => {
    const { post, author, companion, results } = await asked(1);
    const cast = async (at: number, option: string) =>
      postInGroup(companion, {
        chatId: post.chatId,
        by: ann,
        message: sealedVote({ post, author, by: ann, at }, [option]),
      });
    await cast(Date.now() + 24 * 3_600_000, 'Sunday');
    expect((await results()).votes).toEqual([0, 1, 0]);
    await cast(Date.now() + 60_000, 'Never');
    expect((await results()).votes).toEqual([0, 0, 1]);
  });

  test('of the account’s own phone counts, as on all phones', async () => {
    const { post, author, companion, results } = await asked(1);
    const message = sealedVote({ post, author, by: author }, ['Sunday']);
    await postInGroup(companion, { chatId: post.chatId, by: author, message, as: 'lid' });
    expect(await results()).toEqual({ voters: 1, unreadable: 0, votes: [0, 1, 0] });
  });

  test('that cannot be opened is counted as unreadable, and one on the poll of a member is not', async () => {
    const { post, companion, results } = await asked(1);
    const say = (message: ReturnType<typeof sealedVote>) =>
      postInGroup(companion, { chatId: post.chatId, by: ann, message });
    // Encrypted for another author, as if the account had been linked again since.
    await say(sealedVote({ post, author: ben, by: ann }, ['Sunday']));
    await say(sealedVote({ post: { ...post, messageId: '3EB0ANOTHER' }, author: ben, by: ann }, ['Sunday']));
    expect(await results()).toEqual({ voters: 0, unreadable: 1, votes: [0, 0, 0] });
  });

  test('cast while the service is down counts afterwards', async () => {
    const { post, author, companion, person, campaign } = await asked(1);
    await scene.stop();
    const cast = [ann, ben, cem].map((by, index) =>
      postInGroup(companion, {
        chatId: post.chatId,
        by,
        message: sealedVote({ post, author, by }, [POLL.options[index] ?? '']),
      }),
    );
    await scene.start();
    await Promise.all(cast);
    expect(await resultsOf(person, campaign)).toMatchObject({ voters: 3, votes: [1, 1, 1] });
  });

  test('that arrives before the acknowledgement of its poll counts', async () => {
    const { person, companion, phone: author, groups } = await linked(1);
    const before = peer.arrivals.length;
    const voted = Promise.withResolvers<void>();
    peer.script.judge = () => ({ answerAfter: voted.promise });
    const { body } = await sendPoll(person, groups);
    const post = await until(
      () => Promise.resolve(peer.arrivals[before]),
      (arrival) => arrival !== undefined,
    );
    if (!post) throw new Error('nothing was posted');
    await postInGroup(companion, {
      chatId: post.chatId,
      by: ann,
      message: sealedVote({ post, author, by: ann }, ['Never']),
    });
    voted.resolve();
    await finished(person, body.data.campaign_id);
    expect(await resultsOf(person, body.data.campaign_id)).toMatchObject({ voters: 1, votes: [0, 0, 1] });
  });

  test('is counted per group, and receipts stay what they were', async () => {
    const { posts, author, companion, person, campaign } = await asked(2);
    for (const [index, post] of posts.entries()) {
      await sendReceipt(companion, { chatId: post.chatId, messageIds: [post.messageId], by: ann, type: 'read' });
      await postInGroup(companion, {
        chatId: post.chatId,
        by: ann,
        message: sealedVote({ post, author, by: ann }, [POLL.options[index] ?? '']),
      });
    }
    const { groups, votes } = await resultsOf(person, campaign);
    expect(votes).toEqual([1, 1, 0]);
    expect(groups.map((group) => group.voters)).toEqual([1, 1]);
  });
});
