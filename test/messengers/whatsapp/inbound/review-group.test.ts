/** Approval on the phone over WhatsApp: whose 👍 it is, on which message, and what a reply says. */
import { randomUUID } from 'node:crypto';
import type { proto } from 'baileys';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Person } from '../../../support/app.ts';
import { drawPlain } from '../../../support/inputs/pictures.ts';
import { until } from '../../../support/ledger.ts';
import { callIn, defaultWorkspace, join } from '../../../support/team.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { postInGroup, reactionTo, replyTo } from '../../../../harness/whatsapp-peer/phones.ts';
import { sealedReaction } from '../../../../harness/whatsapp-peer/seal-about.ts';
import { addCommunity, lidOf, type Person as PeerPerson } from '../../../../harness/whatsapp-peer/world.ts';

interface Approval {
  approval_id: string;
  state: string;
  approvals: number;
  thread: Array<{ kind: string; by: { user_name: string }; remark: string; on_phone: boolean }>;
}
type Naming = 'lid' | 'number' | 'both';

const scene = await setWhatsAppScene();
const { peer, members, linked } = scene;
const [ann, ben] = members as [PeerPerson, PeerPerson];
const picture = await drawPlain(30, 20, 'png');
let teams = 0;

/** An owner with a linked account and a review group with Ann and Ben, Ann as a manager whom the owner lists, and an author. */
async function reviewing({ inCommunity = false, owners = false }: { inCommunity?: boolean; owners?: boolean } = {}) {
  const somebody = await linked(2);
  const { person: owner, phone, companion } = somebody;
  const [target = 0, other = 0] = somebody.groups;
  let review = other;
  if (inCommunity) {
    const community = addCommunity(peer.world, phone, 'Review');
    const announcements = [...peer.world.groups.values()].find(({ parent }) => parent === community.id);
    for (const member of [ann, ben]) announcements?.participants.set(lidOf(member), 'member');
    await owner.call('venom/sync-groups');
    const { body } = await owner.call<{ groups: Array<{ group_metadata_id: number; kind: string }> }>(
      'venom/list-groups',
    );
    review = body.data.groups.find(({ kind }) => kind === 'community')?.group_metadata_id ?? 0;
  }
  const workspaceId = await defaultWorkspace(owner);
  const [manager, author] = await Promise.all(
    (['manager', 'author'] as const).map(async (role) => {
      const one = await scene.app.signUp(`${role}${++teams}`);
      await join(scene.app, { owner, workspaceId, role }, one);
      return one;
    }),
  );
  if (!manager || !author) throw new Error('nobody joined');
  const say = async <Data = Approval>(who: Person, path: string, body: object): Promise<Data> => {
    const answer = await callIn<Data>(scene.app, who, workspaceId, path, body);
    expect(answer.body, path).toMatchObject({ code: 200 });
    return answer.body.data;
  };
  await say(owner, 'workspace/set-approval-rules', {
    approval: 'authors',
    review_group_id: review,
    phone_approvers: [
      { user_id: manager.userId, whatsapp_number: `+${ann.number}` },
      ...(owners ? [{ user_id: owner.userId, whatsapp_number: `+${phone.number}` }] : []),
    ],
  });
  const post = { name: 'Fair', html: 'We open at nine', group_metadata_ids: [target], is_schedule: false };
  const ask = async (fields: object = {}) => {
    const before = peer.arrivals.length;
    const { approval_id } = await say(author, 'venom/request-approval', {
      approval_id: randomUUID(),
      ...post,
      ...fields,
    });
    const textOf = ({ message }: { message: proto.IMessage }) => JSON.stringify(message);
    const isWhole = () => peer.arrivals.slice(before).some((one) => textOf(one).includes('Asked by'));
    await until(async () => isWhole(), Boolean);
    const posts = [...new Map(peer.arrivals.slice(before).map((one) => [one.messageId, one])).values()];
    const shown = posts.find((one) => textOf(one).includes('Asked by'));
    if (!shown) throw new Error('nothing was posted');
    return { approval_id, shown, posts };
  };
  const hear = (by: PeerPerson, message: proto.IMessage, chatId: string, as?: Naming) =>
    postInGroup(companion, { chatId, by, message, ...(as && { as }) });
  const read = (approval_id: string) => say(author, 'venom/get-approval', { approval_id });
  const settled = async (approval_id: string) => {
    const left = () =>
      sql<{ n: number }>`select count(*)::int as n from review_answers where number is not null`.execute(
        scene.database.db,
      );
    await until(left, ({ rows }) => rows[0]?.n === 0);
    return read(approval_id);
  };
  return { ...somebody, manager, author, target, ask, hear, settled };
}

test('a 👍 of a listed approver approves, named by LID, by number and by both, in any skin tone, and only a 👍', async () => {
  const { ask, hear, settled } = await reviewing();
  for (const [as, emoji] of [
    ['lid', '👍'],
    ['number', '👍🏽'],
    ['both', '👍🏿'],
  ] as const) {
    const { approval_id, shown } = await ask({ name: `Fair ${as}` });
    await hear(ben, reactionTo(shown), shown.chatId, as);
    await hear(ann, reactionTo(shown, '❤️'), shown.chatId, as);
    await hear(ann, reactionTo(shown, '👎'), shown.chatId, as);
    expect(await settled(approval_id), as).toMatchObject({ state: 'waiting', approvals: 0 });
    await hear(ann, reactionTo(shown, emoji), shown.chatId, as);
    const after = await settled(approval_id);
    expect(after, as).toMatchObject({ state: 'sending' });
    expect(after.thread.at(-1)).toMatchObject({ kind: 'approved', on_phone: true });
  }
});

test('a reply sends the post back with its text, of a picture with its caption, and a reply without text does nothing', async () => {
  const { ask, hear, settled } = await reviewing();
  const { approval_id, shown } = await ask();
  const { chatId, messageId: stanzaId } = shown;
  await hear(ann, { stickerMessage: { contextInfo: { stanzaId } } }, chatId);
  await hear(ann, { conversation: 'Good morning' }, chatId);
  await hear(ben, replyTo(shown, 'Not mine to say'), chatId);
  expect(await settled(approval_id)).toMatchObject({ state: 'waiting' });
  await hear(ann, replyTo(shown, ' Nine is too early '), chatId);
  const after = await settled(approval_id);
  expect(after).toMatchObject({ state: 'changes_requested' });
  expect(after.thread.at(-1)).toMatchObject({ remark: 'Nine is too early', on_phone: true });
  const next = await ask();
  await hear(ann, { imageMessage: { caption: 'Like this', contextInfo: { stanzaId: next.shown.messageId } } }, chatId);
  const { thread } = await settled(next.approval_id);
  expect(thread.at(-1)).toMatchObject({ kind: 'changes_requested', remark: 'Like this' });
});

test('the account’s own phone is an approver’s if it is listed, and counts for no figure', async () => {
  const { ask, hear, settled, phone } = await reviewing({ owners: true });
  const { approval_id, shown } = await ask();
  await hear(phone, reactionTo(shown), shown.chatId);
  expect(await settled(approval_id)).toMatchObject({ state: 'sending' });
});

test('a 👍 on the file of a post whose text is a message of its own approves', async () => {
  const { ask, hear, settled } = await reviewing();
  const { approval_id, shown, posts } = await ask({
    image: picture.toString('base64'),
    html: `Plan ${'x'.repeat(1_100)}`,
  });
  const file = posts.find(({ messageId }) => messageId !== shown.messageId);
  if (!file) throw new Error('a post of one message');
  await hear(ann, reactionTo(file), file.chatId);
  expect(await settled(approval_id)).toMatchObject({ state: 'sending' });
});

test('an encrypted 👍 in an announcement group approves, and one that cannot be decrypted does not', async () => {
  const { ask, hear, settled, phone: author } = await reviewing({ inCommunity: true });
  const { approval_id, shown: post } = await ask();
  await hear(ann, sealedReaction({ post, author: ben, by: ann }), post.chatId);
  expect(await settled(approval_id)).toMatchObject({ state: 'waiting' });
  await hear(ann, sealedReaction({ post, author, by: ann }), post.chatId);
  expect(await settled(approval_id)).toMatchObject({ state: 'sending' });
});

test('a 👍 that came while the service was down counts when it is back, once', async () => {
  const { ask, hear, settled } = await reviewing();
  const { approval_id, shown } = await ask();
  await scene.stop();
  const heard = hear(ann, reactionTo(shown), shown.chatId);
  await scene.start();
  await heard;
  const after = await settled(approval_id);
  expect(after).toMatchObject({ state: 'sending' });
  expect(after.thread.filter(({ kind }) => kind === 'approved')).toHaveLength(1);
});
