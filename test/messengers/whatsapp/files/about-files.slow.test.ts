/** A post may be a file and a text that follows it: receipts, reactions and replies to either count for the post. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstFileIdOf, partIdsOf, postIdsOf } from '../../../../src/messengers/whatsapp/send/split-post.ts';
import type { Person } from '../../../support/app.ts';
import { drawPlain } from '../../../support/inputs/pictures.ts';
import { progressOf, sendCampaign } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import {
  postInGroup,
  reactionTo,
  replyTo,
  sendGathered,
  sendReceipt,
} from '../../../../harness/whatsapp-peer/phones.ts';
import { addGroup, type Companion, type Person as PeerPerson } from '../../../../harness/whatsapp-peer/world.ts';

const scene = await setWhatsAppScene();
const { peer, members, linked, finished } = scene;
const [ann, ben] = members as [PeerPerson, PeerPerson];
const picture = await drawPlain(30, 20, 'png');

interface Part {
  chatId: string;
  messageId: string;
}

/** Sends a picture with a text that is too long for a caption, and returns both as phones show them. */
async function post(person: Person, groups: readonly number[]) {
  const text = `about ${person.name} ${'x'.repeat(1_100)}`;
  const before = peer.arrivals.length;
  const campaign = await sendCampaign(person, groups, text, picture);
  const { totals } = await finished(person, campaign);
  const arrived = peer.arrivals.slice(before);
  const file = arrived.find(({ media }) => media !== undefined);
  if (!file) throw new Error('no file has arrived');
  return { campaign, totals, file, text: arrived.find((one) => one.text === text) };
}

const say = (to: Companion, by: PeerPerson, { chatId }: Part, message: Parameters<typeof postInGroup>[1]['message']) =>
  postInGroup(to, { chatId, by, message });

describe('a reaction or a reply', () => {
  test('to the file or the text counts once for each member', async () => {
    const { person, companion, groups } = await linked(1);
    const { campaign, file, text } = await post(person, groups);
    if (!text) throw new Error('no text has arrived');
    await say(companion, ann, file, reactionTo(file));
    await say(companion, ann, text, reactionTo(text, '❤️'));
    await say(companion, ann, file, reactionTo(file, ''));
    await say(companion, ben, file, reactionTo(file));
    await say(companion, ben, file, replyTo(file, 'Where was that taken?'));
    await say(companion, ben, text, replyTo(text, 'And who is that?'));
    expect((await progressOf(person, campaign)).totals).toMatchObject({ reactions: 2, replies: 1, delivered: 0 });
  });

  test('to the file counts after a restart', async () => {
    const { person, companion, groups } = await linked(1);
    const { campaign, file } = await post(person, groups);
    await scene.stop();
    const told = [say(companion, ann, file, reactionTo(file)), say(companion, ben, file, replyTo(file, 'Late'))];
    await scene.start();
    await Promise.all(told);
    expect((await progressOf(person, campaign)).totals).toMatchObject({ reactions: 1, replies: 1 });
  });

  test('to the file alone counts, and does not prove that the text was sent', async () => {
    const { person, companion, groups } = await linked(1);
    let seen = 0;
    peer.script.judge = () => (++seen === 2 ? { refuse: 403 } : 'accept');
    const { campaign, totals, file } = await post(person, groups);
    expect(totals).toMatchObject({ sent: 0, failed: 1 });
    await say(companion, ann, file, reactionTo(file));
    expect((await progressOf(person, campaign)).totals).toMatchObject({ sent: 0, failed: 1, reactions: 1 });
    await person.call('venom/retry-campaign', { campaign_id: campaign });
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 1, failed: 0, reactions: 1 });
  });

  test('counts only for the account that posted, and not for others in the group', async () => {
    const [one, other] = [await linked(0), await linked(0)];
    addGroup(peer.world, one.phone, { subject: 'Shared' }, [other.phone, ann]);
    const posts = [];
    for (const { person, companion } of [one, other]) {
      await person.call('venom/sync-groups');
      const { body } = await person.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
      posts.push({
        person,
        companion,
        ...(await post(
          person,
          body.data.groups.map((group) => group.group_metadata_id),
        )),
      });
    }
    const [mine] = posts;
    if (!mine) throw new Error('nothing was posted');
    for (const { companion } of posts) await say(companion, ann, mine.file, reactionTo(mine.file));
    const reactions = await Promise.all(
      posts.map(async ({ person, campaign }) => (await progressOf(person, campaign)).totals.reactions),
    );
    expect(reactions).toEqual([1, 0]);
  });
});

test('counts receipts of the text for both, and none of the file', async () => {
  const { person, companion, groups } = await linked(1);
  const { campaign, file, text } = await post(person, groups);
  if (!text) throw new Error('no text has arrived');
  const { chatId } = file;
  await sendReceipt(companion, { chatId, messageIds: [file.messageId], by: ann, type: 'played' });
  await sendGathered(companion, { chatId, messageId: file.messageId, by: [ann, ben] });
  expect((await progressOf(person, campaign)).totals).toMatchObject({ delivered: 0, read: 0 });
  await sendReceipt(companion, { chatId, messageIds: [file.messageId, text.messageId], by: ann, type: 'read' });
  expect((await progressOf(person, campaign)).totals).toMatchObject({ delivered: 1, read: 1 });
});

describe('the ids of the other messages of a post', () => {
  const digits = fc.array(fc.constantFrom(...'0123456789ABCDEF'), { minLength: 18, maxLength: 18 });
  const ids = digits.map((all) => `3EB0${all.join('')}`);

  test('differ from its own and from each other, and each leads back to it', () => {
    fc.assert(
      fc.property(ids, (id) => {
        const parts = partIdsOf(id);
        expect(new Set([id, ...parts]).size).toBe(12);
        for (const part of parts) {
          expect(part).toMatch(/^3EB0[0-9A-F]{18}$/);
          expect(postIdsOf(part)).toContain(id);
        }
      }),
    );
  });

  test('begin with the id that the file of a post with a text has always had', () => {
    expect(firstFileIdOf('3EB00123456789ABCDEF01')).toBe('3EB0FEDCBA9876543210FE');
  });

  test.each(['', '3EB0', '3eb0aaaaaaaaaaaaaaaaaa', 'A5'.repeat(16), '3EB0AAAAAAAAAAAAAAAAAAA'])(
    'are none where it reads %j',
    (id) => {
      expect(postIdsOf(id)).toEqual([]);
      expect(() => partIdsOf(id)).toThrow(/no message belongs/);
    },
  );
});
