/** In announcement groups phones encrypt reactions and comments with the message secret of the post. */
import { expect, test } from 'vitest';
import { drawPlain } from '../../../support/inputs/pictures.ts';
import { addOwnChannel, progressOf, sendCampaign, statusWhen } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { postInGroup } from '../../../../harness/whatsapp-peer/phones.ts';
import { sealedComment, sealedReaction } from '../../../../harness/whatsapp-peer/seal-about.ts';
import { addCommunity, lidOf, type Person as PeerPerson } from '../../../../harness/whatsapp-peer/world.ts';

const scene = await setWhatsAppScene();
const { peer, members, linked, finished } = scene;
const [ann, ben] = members as [PeerPerson, PeerPerson];
const picture = await drawPlain(30, 20, 'png');

/** A user with a community with Ann and Ben, and a post in its announcement group. */
async function announced({ file, text = 'Assembly' }: { file?: Buffer; text?: string } = {}) {
  const somebody = await linked(0);
  const { person, phone, companion } = somebody;
  const community = addCommunity(peer.world, phone, 'Old town');
  const group = [...peer.world.groups.values()].find(({ parent }) => parent === community.id);
  if (!group) throw new Error('a community without its group');
  for (const member of [ann, ben]) group.participants.set(lidOf(member), 'member');
  await person.call('venom/sync-groups');
  const { body } = await person.call<{ groups: Array<{ group_metadata_id: number; kind: string }> }>(
    'venom/list-groups',
  );
  const ids = body.data.groups.filter(({ kind }) => kind === 'community').map((one) => one.group_metadata_id);
  const before = peer.arrivals.length;
  const campaign = await sendCampaign(person, ids, text, file);
  await finished(person, campaign);
  const posts = [...new Map(peer.arrivals.slice(before).map((one) => [one.messageId, one])).values()];
  const say = (by: PeerPerson, message: Parameters<typeof postInGroup>[1]['message']) =>
    postInGroup(companion, { chatId: group.id, by, message });
  const totals = async () => (await progressOf(person, campaign)).totals;
  return { ...somebody, campaign, posts, say, totals };
}

const first = <One>([one]: readonly One[]): One => {
  if (one === undefined) throw new Error('nothing was posted');
  return one;
};

test('counts reactions and comments of members', async () => {
  const { posts, phone: author, say, totals } = await announced();
  const post = first(posts);
  await say(ann, sealedReaction({ post, author, by: ann }));
  await say(ann, sealedReaction({ post, author, by: ann }, ''));
  await say(ben, sealedReaction({ post, author, by: ben, as: 'number' }));
  await say(ben, sealedComment({ post, author, by: ben }, 'Who brings chairs?'));
  expect(await totals()).toMatchObject({ sent: 1, recipients: 2, reactions: 2, replies: 1 });
});

test('decrypts reactions: a removal alone does not count, and an undecryptable one does', async () => {
  const { posts, phone: author, say, totals } = await announced();
  const post = first(posts);
  await say(ann, sealedReaction({ post, author, by: ann }, ''));
  expect(await totals()).toMatchObject({ reactions: 0 });
  // Encrypted for another author, as if the account had been linked again since.
  await say(ben, sealedReaction({ post, author: ann, by: ben }, ''));
  expect(await totals()).toMatchObject({ reactions: 1 });
});

test('counts reactions to a file and to its text', async () => {
  const { posts, phone: author, say, totals } = await announced({ file: picture, text: `Plan ${'x'.repeat(1_100)}` });
  expect(posts).toHaveLength(2);
  const [file, text] = posts.map((post) => ({ post, author }));
  if (!file || !text) throw new Error('a file without its text');
  await say(ann, sealedReaction({ ...file, by: ann }));
  await say(ben, sealedReaction({ ...text, by: ben }));
  expect(await totals()).toMatchObject({ reactions: 2 });
});

// The peer reports another secret for the same message as an error.
test('uses the same message secret in each attempt, after a restart, in answers to retry receipts and in a correction', async () => {
  const { person, companion, groups } = await linked(1);
  let tries = 0;
  peer.script.judge = () => (++tries === 1 ? 'cut after' : 'accept');
  const campaign = await sendCampaign(person, groups, 'twice');
  expect((await finished(person, campaign)).totals).toMatchObject({ sent: 1 });
  expect(tries).toBe(2);
  const post = first(peer.arrivals.slice(-1));
  const device = ann.devices[1];
  if (!device) throw new Error('nobody asks again');
  await scene.restart();
  await statusWhen(person, 'connected');
  const received = peer.received.length;
  await peer.askAgain(companion, { ...post, device });
  await expect.poll(() => peer.received.slice(received).map(({ attrs }) => attrs['id'])).toEqual([post.messageId]);
  await person.call('venom/correct-campaign', { campaign_id: campaign, html: 'corrected' });
  const corrections = () => peer.arrivals.filter(({ message }) => message.protocolMessage?.key?.id === post.messageId);
  await expect.poll(() => corrections().length).toBe(4);
  for (const { message } of corrections())
    expect(message.messageContextInfo?.messageSecret).toEqual(post.message.messageContextInfo?.messageSecret);
});

test('gives each post a message secret of its own, and none in a channel', async () => {
  const somebody = await linked(2);
  const { channel, groupId } = await addOwnChannel(peer, somebody);
  const before = peer.arrivals.length;
  const campaign = await sendCampaign(somebody.person, [...somebody.groups, groupId], 'to each');
  await finished(somebody.person, campaign);
  const posts = [...new Map(peer.arrivals.slice(before).map((one) => [one.messageId, one])).values()];
  const secretOf = ({ message }: (typeof posts)[number]) =>
    Buffer.from(message.messageContextInfo?.messageSecret ?? []).toString('hex');
  const inGroups = posts.filter(({ chatId }) => chatId !== channel.id).map(secretOf);
  expect(new Set(inGroups).size).toBe(2);
  for (const secret of inGroups) expect(secret).toMatch(/^[0-9a-f]{64}$/);
  expect(posts.filter(({ chatId }) => chatId === channel.id).map(secretOf)).toEqual(['']);
});
