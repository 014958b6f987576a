/** Receipts, reactions and replies of members of WhatsApp groups in the analytics. */
import { expect, test } from 'vitest';
import { until } from '../../../support/ledger.ts';
import { progressOf, sendCampaign } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import {
  postInGroup,
  reactionTo,
  replyTo,
  sendGathered,
  sendReceipt,
} from '../../../../harness/whatsapp-peer/phones.ts';
import type { Person as PeerPerson } from '../../../../harness/whatsapp-peer/world.ts';

const scene = await setWhatsAppScene();
const { peer, members, linked, finished } = scene;
members.push(peer.addPerson('4915100000004'), peer.addPerson('4915100000005'));

/** A user whose post has arrived in `groupCount` groups; the posts are in the order of the groups. */
async function posted(groupCount: number) {
  const somebody = await linked(groupCount);
  const before = peer.arrivals.length;
  const campaign = await sendCampaign(somebody.person, somebody.groups, `of ${somebody.phone.number}`);
  await finished(somebody.person, campaign);
  const posts = [...new Map(peer.arrivals.slice(before).map((one) => [one.messageId, one])).values()];
  const totals = async () => (await progressOf(somebody.person, campaign)).totals;
  return { ...somebody, campaign, posts, totals };
}

const person = (index: number): PeerPerson => {
  const found = members[index];
  if (!found) throw new Error('there are not so many members');
  return found;
};

test('counts receipts in every form: single, for several posts, aggregated, repeated, in reverse order', async () => {
  const { companion, posts, totals } = await posted(2);
  const [first, second] = posts;
  if (!first || !second) throw new Error('nothing was posted');
  const [ann, ben, cem, dan] = [0, 1, 2, 3].map(person) as [PeerPerson, PeerPerson, PeerPerson, PeerPerson];
  const { chatId } = first;
  await sendReceipt(companion, { chatId, messageIds: [first.messageId], by: ann, type: 'read' });
  await sendReceipt(companion, { chatId, messageIds: [first.messageId], by: ann });
  await sendReceipt(companion, { chatId, messageIds: [first.messageId], by: ann });
  await sendReceipt(companion, { chatId, messageIds: ['3EB0ANOTHER', first.messageId], by: ben, type: 'inactive' });
  await sendGathered(companion, { chatId, messageId: first.messageId, by: [ben, cem] });
  await sendGathered(companion, { chatId: second.chatId, messageId: second.messageId, by: [cem, dan], type: 'read' });
  await sendReceipt(companion, { chatId: second.chatId, messageIds: [second.messageId], by: cem, type: 'played' });
  expect(await totals()).toMatchObject({ recipients: 8, delivered: 5, read: 3, reactions: 0, replies: 0, views: null });
});

test('counts reactions and replies to the post once for each member', async () => {
  const { companion, posts, totals, phone } = await posted(1);
  const [post] = posts;
  if (!post) throw new Error('nothing was posted');
  const say = (by: PeerPerson, message: Parameters<typeof postInGroup>[1]['message']) =>
    postInGroup(companion, { chatId: post.chatId, by, message });
  await say(person(0), reactionTo(post));
  await say(person(0), reactionTo(post, '❤️'));
  await say(person(0), reactionTo(post, ''));
  await say(person(1), reactionTo({ ...post, messageId: '3EB0ANOTHER' }));
  await say(person(1), replyTo(post, 'Who brings cake?'));
  await say(person(1), replyTo(post, 'And tea?'));
  await say(person(2), replyTo({ messageId: '3EB0ANOTHER' }, 'Yes'));
  await say(person(2), { conversation: 'Good morning' });
  await say(person(2), {
    extendedTextMessage: { text: 'Elsewhere', contextInfo: { stanzaId: post.messageId, remoteJid: '1203630@g.us' } },
  });
  await say(person(3), { imageMessage: { caption: 'Here', contextInfo: { stanzaId: post.messageId } } });
  await say(phone, reactionTo(post));
  await say(phone, replyTo(post, 'I do'));
  expect(await totals()).toMatchObject({ reactions: 1, replies: 2 });
});

test('does not count the account’s own phone', async () => {
  const { companion, posts, totals, phone } = await posted(1);
  const [post] = posts;
  if (!post) throw new Error('nothing was posted');
  const { chatId, messageId } = post;
  await sendReceipt(companion, { chatId, messageIds: [messageId], by: phone });
  await sendReceipt(companion, { chatId, messageIds: [messageId], by: phone, type: 'read', as: 'number' });
  await sendGathered(companion, { chatId, messageId, by: [phone, person(0)] });
  expect(await totals()).toMatchObject({ delivered: 1, read: 0 });
});

test('counts a member with phone number and LID once, also when the mapping is learned later', async () => {
  const stranger = peer.addPerson('4915100000077');
  const { companion, posts, totals } = await posted(1);
  const [post] = posts;
  if (!post) throw new Error('nothing was posted');
  const { chatId, messageId } = post;
  const receipt = { chatId, messageIds: [messageId] };
  // A member whose pair of ids is in the group's metadata.
  await sendReceipt(companion, { ...receipt, by: person(0), as: 'number' });
  await sendReceipt(companion, { ...receipt, by: person(0), as: 'lid' });
  expect(await totals()).toMatchObject({ delivered: 1 });
  // A member with an unknown pair of ids.
  await sendReceipt(companion, { ...receipt, by: stranger, as: 'number' });
  await sendReceipt(companion, { ...receipt, by: stranger, as: 'lid', type: 'read' });
  expect(await totals()).toMatchObject({ delivered: 3, read: 1 });
  await sendReceipt(companion, { ...receipt, by: stranger, as: 'both' });
  await until(totals, ({ delivered }) => delivered === 2);
  await sendReceipt(companion, { ...receipt, by: stranger, as: 'number', type: 'read' });
  expect(await totals()).toMatchObject({ delivered: 2, read: 1 });
});

test('counts events that happened while the service was down', async () => {
  const { companion, posts, campaign, person: owner } = await posted(1);
  const [post] = posts;
  if (!post) throw new Error('nothing was posted');
  const { chatId, messageId } = post;
  await scene.stop();
  const noted = [
    sendReceipt(companion, { chatId, messageIds: [messageId], by: person(0), type: 'read' }),
    sendReceipt(companion, { chatId, messageIds: [messageId], by: person(1) }),
    postInGroup(companion, { chatId, by: person(1), message: reactionTo(post) }),
    postInGroup(companion, { chatId, by: person(2), message: replyTo(post, 'Late') }),
  ];
  await scene.start();
  await Promise.all(noted);
  const { totals } = await progressOf(owner, campaign);
  expect(totals).toMatchObject({ delivered: 2, read: 1, reactions: 1, replies: 1 });
});
