/** Channels on WhatsApp: their pictures, those that were made elsewhere, and what their followers do. */
import sharp from 'sharp';
import { sleep } from '../src/lib/time.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestApp, type Person, type TestApp } from './support/app.ts';
import { createTestDatabase, type TestDatabase } from './support/database.ts';
import { until } from './support/ledger.ts';
import { drawNoise, drawPlain } from './support/pictures.ts';
import { finished, linkSomebody, progressOf, sendCampaign, statusOf, towards } from './support/whatsapp.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from './whatsapp-peer/peer.ts';
import { addChannel, type Person as PeerPerson } from './whatsapp-peer/world.ts';

vi.setConfig({ testTimeout: 60_000 });

let peer: WhatsAppPeer;
let database: TestDatabase;
let app: TestApp;

beforeAll(async () => {
  peer = await startWhatsAppPeer();
  database = await createTestDatabase();
  app = await startTestApp(towards(peer), database);
});
afterEach(() => peer.behave());
afterAll(async () => {
  await app.stop();
  await peer.stop();
  await database.drop();
});

const linked = () => linkSomebody({ peer, app, members: [] }, 0);

interface Created {
  resp: { nid: { _serialized: string } };
}

function createChannel(person: Person, picture: Buffer, mime = 'image/png') {
  const image = `data:${mime};base64,${picture.toString('base64')}`;
  return person.call<Created>('venom/create-channel', { name: 'Town news', description: 'Weekly', image });
}

/** A channel that was made on the phone, and its id here. */
async function channelOf(person: Person, phone: PeerPerson, followers = 40) {
  const channel = addChannel(peer.world, phone, { name: 'Made on the phone', followers });
  await person.call('venom/sync-groups');
  const { body } = await person.call<{ groups: Array<{ group_metadata_id: number; nid: { _serialized: string } }> }>(
    'venom/list-groups',
  );
  const listed = body.data.groups.find(({ nid }) => nid._serialized === channel.id);
  if (!listed) throw new Error('the channel is not listed');
  return { channel, groupId: listed.group_metadata_id };
}

describe('a picture', () => {
  test.each([
    ['', false],
    [', also when the answer has none', true],
  ])('is made what WhatsApp wants of one, at creation%s', async (_when, hidesPictures) => {
    const { person } = await linked();
    peer.script.hidesPictures = hidesPictures;
    const { status, body } = await createChannel(person, await drawNoise(200, 80));
    expect(status).toBe(200);
    const channel = peer.world.channels.get(body.data.resp.nid._serialized);
    expect(await sharp(channel?.picture).metadata()).toMatchObject({ format: 'jpeg', width: 640, height: 640 });
  });

  test('that cannot be read, or is too large to be, is refused, and nothing is created', async () => {
    const { person } = await linked();
    const before = peer.world.channels.size;
    const broken = (await drawNoise(60, 60)).subarray(0, 1_500);
    const bomb = await drawPlain(12_000, 12_000, 'png');
    for (const picture of [broken, bomb]) {
      const { status, body } = await createChannel(person, picture);
      expect(status).toBe(400);
      expect(body.details).toEqual([{ field: 'image', issue: expect.stringContaining('cannot be read') }]);
    }
    expect(peer.world.channels.size).toBe(before);
  });
});

describe('what followers do', () => {
  test('is in the analytics as the channel tells it, and rises with it', async () => {
    const { person, phone } = await linked();
    const { channel, groupId } = await channelOf(person, phone);
    const campaign = await sendCampaign(person, [groupId], 'seen', await drawPlain(20, 20, 'jpeg'));
    expect((await finished(app, person, campaign)).totals).toMatchObject({ sent: 1, recipients: 40 });
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

  test('about a file and the text that follows it is put together', async () => {
    const { person, phone } = await linked();
    const { channel, groupId } = await channelOf(person, phone);
    const campaign = await sendCampaign(person, [groupId], 'z'.repeat(2_000), await drawPlain(20, 20, 'png'));
    await finished(app, person, campaign);
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

  test('is still asked for after a restart, and only where the account has posted', async () => {
    const { person, phone } = await linked();
    const { channel, groupId } = await channelOf(person, phone);
    const other = await channelOf(person, phone);
    const campaign = await sendCampaign(person, [groupId], 'before the restart');
    await finished(app, person, campaign);
    await app.stop();
    const asked: string[] = [];
    peer.script.refuseQuery = ({ namespace, chatId }) => {
      if (namespace === 'newsletter') asked.push(chatId);
      return undefined;
    };
    const [post] = channel.posts;
    if (!post) throw new Error('nothing was posted');
    post.views = 9;
    app = await startTestApp(towards(peer), database);
    const again = await app.signIn(person.name);
    const group = await until(
      async () => (await progressOf(again, campaign)).groups[0],
      (found) => found?.views === 9,
    );
    expect(group).toMatchObject({ views: 9, reactions: 0 });
    expect(asked).toContain(channel.id);
    expect(asked).not.toContain(other.channel.id);
  });

  test('keeps nobody waiting who stops the service, when WhatsApp is slow to tell', async () => {
    const { person, phone } = await linked();
    const { groupId } = await channelOf(person, phone);
    await finished(app, person, await sendCampaign(person, [groupId], 'slow'));
    const asked = Promise.withResolvers<void>();
    const never = new Promise<undefined>(() => {});
    peer.script.refuseQuery = ({ namespace }) => {
      if (namespace !== 'newsletter') return undefined;
      asked.resolve();
      return never;
    };
    await asked.promise;
    // The client itself would wait for a minute.
    const stopped = app.stop().then(() => 'stopped');
    expect(await Promise.race([stopped, sleep(30_000)])).toBe('stopped');
    peer.behave();
    app = await startTestApp(towards(peer), database);
  });

  test('is left alone for a while when WhatsApp asks for less haste, and sending goes on', async () => {
    const { person, phone } = await linked();
    const { channel, groupId } = await channelOf(person, phone);
    let asked = 0;
    peer.script.refuseQuery = ({ namespace, chatId }) => {
      if (namespace !== 'newsletter' || chatId !== channel.id) return undefined;
      asked += 1;
      return 429;
    };
    await finished(app, person, await sendCampaign(person, [groupId], 'first'));
    await until(
      () => asked,
      (times) => times === 1,
    );
    const second = await sendCampaign(person, [groupId], 'second');
    expect((await finished(app, person, second)).totals).toMatchObject({ sent: 1, failed: 0 });
    expect((await statusOf(person)).status).toBe('connected');
    expect(asked).toBe(1);
  });
});
