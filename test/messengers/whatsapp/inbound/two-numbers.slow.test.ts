/** Two numbers of a workspace in one group: each opens what members encrypt about the posts of the other. */
import { hkdfSync } from 'node:crypto';
import { BufferJSON } from 'baileys';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { createVault } from '../../../../src/platform/secrets/secret-box.ts';
import type { Person } from '../../../support/app.ts';
import { linkByQr, linkFurther, progressOf, statusWhen } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { postInGroup, postToClients, reactionTo } from '../../../../harness/whatsapp-peer/phones.ts';
import { sealedReaction } from '../../../../harness/whatsapp-peer/seal-about.ts';
import { sealedAnswer, sealedVote, type As } from '../../../../harness/whatsapp-peer/seal-vote.ts';
import {
  lidOf,
  numberOf,
  type Companion,
  type Group,
  type Person as PeerPerson,
} from '../../../../harness/whatsapp-peer/world.ts';

const scene = await setWhatsAppScene();
const { peer, members, linked, finished } = scene;
members.push(peer.addPerson('4915100000004'), peer.addPerson('4915100000005'));
const [ann, ben] = members as [PeerPerson, PeerPerson];

const POLL = { question: 'When shall we meet?', options: ['Saturday', 'Sunday', 'Never'] };
const EVENT = { name: 'Spring fair', start_at: '2032-06-05T09:00:00+02:00' };
const PAIRS: Array<[As, As]> = [
  ['lid', 'lid'],
  ['lid', 'number'],
  ['number', 'lid'],
  ['number', 'number'],
];
const other = (as: As): As => (as === 'lid' ? 'number' : 'lid');

interface Result {
  voters: number;
  unreadable: number;
  votes: number[];
}

let numbers = 0;

/** A user with two linked numbers in one group. The default one, `author`, has posted there. */
async function posted(extra: object, addressing: Group['addressing'] = 'lid') {
  const somebody = await linked(0);
  const { person, phone: author, companion } = somebody;
  const second = peer.addPerson(`44770091${String(++numbers).padStart(4, '0')}`);
  const participants = [...members, second].map(({ number }) => number);
  const made = await person.call<{ group_metadata_id: number }>('venom/create-group', {
    group_name: 'Both',
    participants,
  });
  const group = [...peer.world.groups.values()].at(-1);
  if (!group) throw new Error('there is no group');
  group.addressing = addressing;
  const { accountId, companion: listener } = await linkFurther(peer, person, second);
  const before = peer.arrivals.length;
  const groupId = made.body.data.group_metadata_id;
  const campaign = { name: 'Poll', html: '', group_metadata_ids: [groupId], ...extra };
  const { body } = await person.call<{ campaign_id: string }>('venom/add-campaign', campaign);
  const { campaign_id } = body.data;
  await finished(person, campaign_id);
  const post = peer.arrivals[before];
  if (!post) throw new Error('nothing was posted');
  return {
    ...somebody,
    author,
    companion,
    second,
    accountId,
    listener,
    group,
    groupId,
    post,
    campaign_id,
    async results(): Promise<Result> {
      const { polls } = (await person.call<{ polls: Result[] }>('analytics/get-poll-results', { campaign_id })).body
        .data;
      const [result] = polls;
      return { voters: result?.voters ?? -1, unreadable: result?.unreadable ?? -1, votes: result?.votes ?? [] };
    },
  };
}

/** Each member votes for Sunday, named and encrypted in another pair of ids. */
async function voteInAllPairs(
  { post, author }: Pick<Awaited<ReturnType<typeof posted>>, 'post' | 'author'>,
  to: Companion,
): Promise<void> {
  for (const [index, [authorAs, voterAs]] of PAIRS.entries()) {
    const by = members[index] ?? ann;
    // The phone may name the author, and the stanza the voter, by the id that is not in the key.
    const message = sealedVote({ post, author, by, authorAs, voterAs, saysAs: other(authorAs) }, ['Sunday']);
    await postInGroup(to, { chatId: post.chatId, by, message, as: other(voterAs) });
  }
}

describe('a vote on the poll of another number of the workspace', () => {
  for (const addressing of ['lid', 'pn'] as const)
    test(`is opened with every pair of ids of author and voter, in a group by ${addressing}`, async () => {
      const one = await posted({ poll: POLL }, addressing);
      await voteInAllPairs(one, one.listener);
      expect(await one.results()).toEqual({ voters: 4, unreadable: 0, votes: [0, 4, 0] });
    });

  test('counts once, whichever number hears it first', async () => {
    const { post, author, listener, companion, results } = await posted({ poll: POLL });
    const message = sealedVote({ post, author, by: ann }, ['Sunday']);
    const late = sealedVote({ post, author, by: ben }, ['Never']);
    for (const to of [listener, companion])
      await postInGroup(to, { chatId: post.chatId, by: ann, message, as: 'number' });
    for (const to of [companion, listener])
      await postInGroup(to, { chatId: post.chatId, by: ben, message: late, as: 'lid' });
    expect(await results()).toEqual({ voters: 2, unreadable: 0, votes: [0, 1, 1] });
  });

  test('of the phones of both numbers counts once each', async () => {
    const { post, author, second, results } = await posted({ poll: POLL });
    for (const by of [author, second])
      await postToClients(peer.world, {
        chatId: post.chatId,
        by,
        message: sealedVote({ post, author, by }, ['Sunday']),
      });
    expect(await results()).toEqual({ voters: 2, unreadable: 0, votes: [0, 2, 0] });
  });

  test('is opened after that number has left the group, was disconnected and removed', async () => {
    const one = await posted({ poll: POLL }, 'pn');
    const { person, author, group, accountId, listener } = one;
    const { account_id } = (await person.call<{ account_id: number }>('venom/account-status')).body.data;
    await person.call('venom/set-default-account', { account_id: accountId });
    await peer.leave(group, author);
    await person.call('venom/disconnect-account', { account_id });
    expect((await person.call('venom/remove-account', { account_id })).status).toBe(200);
    await scene.restart();
    await statusWhen(person, 'connected');
    await voteInAllPairs(one, listener);
    expect(await one.results()).toEqual({ voters: 4, unreadable: 0, votes: [0, 4, 0] });
  });
});

test('a vote on a poll from before a new link of its number is opened by both', async () => {
  const { post, author, person, listener, results } = await posted({ poll: POLL });
  peer.unlink(author);
  await statusWhen(person, 'logged_out');
  const companion = await linkByQr(peer, person, author);
  for (const [by, to] of [
    [ann, companion],
    [ben, listener],
  ] as const)
    await postInGroup(to, { chatId: post.chatId, by, message: sealedVote({ post, author, by }, ['Sunday']) });
  expect(await results()).toEqual({ voters: 2, unreadable: 0, votes: [0, 2, 0] });
});

test('answers to an event count as both numbers hear them, by a clock that is slow as well', async () => {
  const { post, author, companion, listener, results } = await posted({ event: EVENT });
  const said = ['going', 'maybe', 'not_going', 'going'] as const;
  for (const [index, answer] of said.entries()) {
    const by = members[index] ?? ann;
    const message = sealedAnswer({ post, author, by, at: Date.now() - 3_000 }, answer);
    const order = index % 2 === 0 ? [companion, listener] : [listener, companion];
    for (const to of order) await postInGroup(to, { chatId: post.chatId, by, message });
  }
  expect(await results()).toEqual({ voters: 4, unreadable: 0, votes: [2, 1, 1] });
});

test('a sealed reaction counts as both numbers hear it, and one that is taken back does not', async () => {
  const { post, author, person, campaign_id } = await posted({ html: 'Assembly' });
  for (const [index, [authorAs, as]] of PAIRS.entries()) {
    const by = members[index] ?? ann;
    const text = index < 2 ? '' : '👍';
    const message = sealedReaction({ post, author, by, as, authorAs }, text);
    await postToClients(peer.world, { chatId: post.chatId, by, message, as: other(as) });
  }
  expect((await progressOf(person, campaign_id)).totals).toMatchObject({ reactions: 2, replies: 0 });
});

test('what the number that posted does itself is no reaction or reply of a member, though the other one hears it', async () => {
  const { post, author, second, person, campaign_id, groupId } = await posted({ html: 'Assembly' }, 'pn');
  const { chatId } = post;
  const quoted = (participant: string) => ({
    extendedTextMessage: { text: 'Five o’clock', contextInfo: { stanzaId: post.messageId, participant } },
  });
  const reaction = sealedReaction({ post, author, by: author, authorAs: 'number' });
  const say = (by: PeerPerson, message: Parameters<typeof postInGroup>[1]['message']) =>
    postToClients(peer.world, { chatId, by, message, as: 'number' });
  await say(author, reactionTo(post, '👍', true));
  await say(author, reaction);
  await say(author, quoted(lidOf(author)));
  const again = { name: 'Again', html: 'See above', reply_to: { campaign_id }, group_metadata_ids: [groupId] };
  const { body } = await person.call<{ campaign_id: string }>('venom/add-campaign', again);
  await finished(person, body.data.campaign_id);
  expect(peer.arrivals.at(-1)?.message.extendedTextMessage?.contextInfo?.stanzaId).toBe(post.messageId);
  const totals = async () => (await progressOf(person, campaign_id)).totals;
  // What the other number's phone does is that of a member.
  await say(second, quoted(numberOf(author)));
  expect(await totals()).toMatchObject({ reactions: 0, replies: 1 });
});

describe('a post that left under an earlier version', () => {
  /** Each message is stored as that version did, and its secret derives from the key of the link. */
  const leaveAsBefore = async (isSo: boolean) => {
    await sql
      .raw(`create or replace function leave_as_before() returns trigger language plpgsql as
      $$ begin new.has_link_secret := true; return new; end $$`)
      .execute(scene.database.db);
    const trigger = isSo
      ? 'create trigger leave_as_before before insert on whatsapp_sent for each row execute function leave_as_before()'
      : 'drop trigger leave_as_before on whatsapp_sent';
    await sql.raw(trigger).execute(scene.database.db);
  };

  test('keeps its secret in repeats, corrections and answers to retry receipts, and its votes count', async () => {
    await leaveAsBefore(true);
    let tries = 0;
    peer.script.judge = () => (++tries === 1 ? 'cut after' : 'accept');
    const poll = await posted({ poll: POLL }).finally(() => leaveAsBefore(false));
    const { post, author, companion, listener, group, person } = poll;
    expect(tries).toBe(2);
    const secret = Buffer.from(post.message.messageContextInfo?.messageSecret ?? []);
    expect(secret.toString('hex')).toBe(await linkSecretOf(person, post.messageId));
    await scene.restart();
    await statusWhen(person, 'connected');
    const device = ann.devices[1];
    if (!device) throw new Error('nobody asks again');
    const received = peer.received.length;
    // The peer reports another secret as an error.
    await peer.askAgain(companion, { ...post, device });
    await expect.poll(() => peer.received.length).toBe(received + 1);
    for (const [by, to] of [
      [ann, companion],
      [ben, listener],
    ] as const)
      await postInGroup(to, { chatId: group.id, by, message: sealedVote({ post, author, by }, ['Sunday']) });
    expect(await poll.results()).toEqual({ voters: 1, unreadable: 1, votes: [0, 1, 0] });
    // The number that sent it hears the same vote a little later, and opens it.
    const late = sealedVote({ post, author, by: ben, at: Date.now() - 60_000 }, ['Sunday']);
    await postInGroup(companion, { chatId: group.id, by: ben, message: late });
    expect(await poll.results()).toEqual({ voters: 2, unreadable: 0, votes: [0, 2, 0] });
  });

  test('keeps its secret in a correction', async () => {
    await leaveAsBefore(true);
    const { person, campaign_id, post } = await posted({ html: 'Assembly' }).finally(() => leaveAsBefore(false));
    await person.call('venom/correct-campaign', { campaign_id, html: 'corrected' });
    const corrections = () =>
      peer.arrivals.filter(({ message }) => message.protocolMessage?.key?.id === post.messageId);
    await expect.poll(() => corrections().length).toBeGreaterThan(3);
    for (const { message } of corrections())
      expect(message.messageContextInfo?.messageSecret).toEqual(post.message.messageContextInfo?.messageSecret);
  });
});

/** The secret as versions before derived it: from the Noise key of the default account's link. */
async function linkSecretOf(person: Person, messageId: string): Promise<string> {
  const { account_id: accountId } = (await person.call<{ account_id: number }>('venom/account-status')).body.data;
  const { rows } = await sql<{ name: string; sealed: Buffer }>`
    select name, sealed from account_keys where account_id = ${accountId} and kind = 'creds'`.execute(
    scene.database.db,
  );
  const [{ name, sealed } = { name: '', sealed: Buffer.alloc(0) }] = rows;
  const plain = createVault({ key: Buffer.alloc(32, 7) })
    .open(sealed, `account ${accountId} creds ${name}`)
    .toString();
  const { noiseKey } = JSON.parse(plain, BufferJSON.reviver) as { noiseKey: { private: Uint8Array } };
  return Buffer.from(hkdfSync('sha256', noiseKey.private, '', `message secret of ${messageId}`, 32)).toString('hex');
}
