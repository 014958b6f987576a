/** Channels on WhatsApp: their pictures, channels created elsewhere, and the views and reactions of followers. */
import sharp from 'sharp';
import { sleep } from '../../../../src/platform/time/time.ts';
import { describe, expect, test } from 'vitest';
import type { Person } from '../../../support/app.ts';
import { until } from '../../../support/ledger.ts';
import { drawNoise, drawPlain } from '../../../support/inputs/pictures.ts';
import { addOwnChannel, progressOf, sendCampaign, statusOf } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';

const scene = await setWhatsAppScene();
const { peer, linked, finished } = scene;

interface Created {
  resp: { nid: { _serialized: string } };
}

function createChannel(person: Person, picture: Buffer, mime = 'image/png') {
  const image = `data:${mime};base64,${picture.toString('base64')}`;
  return person.call<Created>('venom/create-channel', { name: 'Town news', description: 'Weekly', image });
}

describe('the picture of a channel', () => {
  test.each([
    ['', false],
    [', also when the answer has none', true],
  ])('becomes a square JPEG at creation%s', async (_when, hidesPictures) => {
    const { person } = await linked(0);
    peer.script.hidesPictures = hidesPictures;
    const { status, body } = await createChannel(person, await drawNoise(200, 80));
    expect(status).toBe(200);
    const channel = peer.world.channels.get(body.data.resp.nid._serialized);
    expect(await sharp(channel?.picture).metadata()).toMatchObject({ format: 'jpeg', width: 640, height: 640 });
  });

  test('is rejected before anything is created, if it is unreadable or too large', async () => {
    const { person } = await linked(0);
    const before = peer.world.channels.size;
    const broken = (await drawNoise(60, 60)).subarray(0, 1_500);
    const bomb = await drawPlain(12_000, 12_000, 'png');
    for (const [picture, issue] of [
      [broken, 'is a picture that is cut off or damaged'],
      [bomb, 'has more than 25 megapixels'],
    ] as const) {
      const { status, body } = await createChannel(person, picture);
      expect(status).toBe(400);
      expect(body.details).toMatchObject([{ field: 'image', issue }]);
    }
    expect(peer.world.channels.size).toBe(before);
  });
});

describe('views and reactions in a channel', () => {
  test('appear in the analytics, and rise there', async () => {
    const { person, phone } = await linked(0);
    const { channel, groupId } = await addOwnChannel(peer, { person, phone });
    const campaign = await sendCampaign(person, [groupId], 'seen', await drawPlain(20, 20, 'jpeg'));
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 1, recipients: 40 });
    const [post] = channel.posts;
    if (!post) throw new Error('nothing was posted');
    post.views = 31;
    post.reactions = { '👍': 4, '🎉': 2 };
    const told = () =>
      until(
        async () => (await progressOf(person, campaign)).groups[0],
        (group) => group?.views === post.views,
      );
    expect(await told()).toMatchObject({ kind: 'channel', views: 31, reactions: 6, recipients: 40 });
    post.views = 38;
    post.reactions = { '👍': 5, '🎉': 2, '🔔': 1 };
    expect(await told()).toMatchObject({ views: 38, reactions: 8 });
  });

  test('of a file and its text are combined', async () => {
    const { person, phone } = await linked(0);
    const { channel, groupId } = await addOwnChannel(peer, { person, phone });
    const campaign = await sendCampaign(person, [groupId], 'z'.repeat(2_000), await drawPlain(20, 20, 'png'));
    await finished(person, campaign);
    const [file, text] = channel.posts;
    if (!file || !text) throw new Error('not both were posted');
    Object.assign(file, { views: 12, reactions: { '👍': 3 } });
    Object.assign(text, { views: 10, reactions: { '👍': 1 } });
    const group = await until(
      async () => (await progressOf(person, campaign)).groups[0],
      (found) => found?.views === 12,
    );
    expect(group).toMatchObject({ views: 12, reactions: 4 });
  });

  test('are polled after a restart, only in channels with posts of the account', async () => {
    const { person, phone } = await linked(0);
    const { channel, groupId } = await addOwnChannel(peer, { person, phone });
    const other = await addOwnChannel(peer, { person, phone });
    const campaign = await sendCampaign(person, [groupId], 'before the restart');
    await finished(person, campaign);
    await scene.stop();
    const asked: string[] = [];
    peer.script.refuseQuery = ({ namespace, chatId }) => {
      if (namespace === 'newsletter') asked.push(chatId);
      return undefined;
    };
    const [post] = channel.posts;
    if (!post) throw new Error('nothing was posted');
    post.views = 9;
    await scene.start();
    const group = await until(
      async () => (await progressOf(person, campaign)).groups[0],
      (found) => found?.views === 9,
    );
    expect(group).toMatchObject({ views: 9, reactions: 0 });
    expect(asked).toContain(channel.id);
    expect(asked).not.toContain(other.channel.id);
  });

  test('do not delay the stop of the service when WhatsApp answers slowly', async () => {
    const { person, phone } = await linked(0);
    const { groupId } = await addOwnChannel(peer, { person, phone });
    await finished(person, await sendCampaign(person, [groupId], 'slow'));
    const asked = Promise.withResolvers<void>();
    const never = new Promise<undefined>(() => {});
    peer.script.refuseQuery = ({ namespace }) => {
      if (namespace !== 'newsletter') return undefined;
      asked.resolve();
      return never;
    };
    await asked.promise;
    // The client itself would wait for a minute.
    const stopped = scene.stop().then(() => 'stopped');
    expect(await Promise.race([stopped, sleep(30_000)])).toBe('stopped');
    peer.behave();
    await scene.start();
  });

  test('are not polled during a rate limit, while sending goes on', async () => {
    const { person, phone } = await linked(0);
    const { channel, groupId } = await addOwnChannel(peer, { person, phone });
    let asked = 0;
    peer.script.refuseQuery = ({ namespace, chatId }) => {
      if (namespace !== 'newsletter' || chatId !== channel.id) return undefined;
      asked += 1;
      return 429;
    };
    await finished(person, await sendCampaign(person, [groupId], 'first'));
    await until(
      () => asked,
      (times) => times === 1,
    );
    const second = await sendCampaign(person, [groupId], 'second');
    expect((await finished(person, second)).totals).toMatchObject({ sent: 1, failed: 0 });
    expect((await statusOf(person)).status).toBe('connected');
    expect(asked).toBe(1);
  });
});
