/** Files on WhatsApp: uploaded once, and the same on every phone. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { Person } from '../../../support/app.ts';
import { until } from '../../../support/ledger.ts';
import { floodDecoding } from '../../../support/flood-decoding.ts';
import { drawBlack } from '../../../support/inputs/draw-png.ts';
import { addBoxes, box, film } from '../../../support/inputs/films.ts';
import { drawMoving, drawNoise, drawPlain } from '../../../support/inputs/pictures.ts';
import { TAKEN } from '../../../support/inputs/sample-files.ts';
import { addOwnChannel, allOnce, progressOf, sendCampaign, timesShown } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import type { Arrival } from '../../../../harness/whatsapp-peer/state.ts';
import { addChannel, addCommunity, addGroup } from '../../../../harness/whatsapp-peer/world.ts';

const scene = await setWhatsAppScene();
const { peer, database, members, linked, finished } = scene;
const somebody = await linked(3);
const hashOf = (bytes: Buffer | undefined) => bytes && createHash('sha256').update(bytes).digest('hex');
const shownWith = (text: string): Arrival[] => peer.arrivals.filter((arrival) => arrival.text === text);

/** A sample of this kind. */
function fileOf(kind: string): Buffer {
  const found = TAKEN.find(([name]) => name === kind);
  if (!found) throw new Error(`there is no sample of ${kind}`);
  return found[1];
}

let made = 0;
/** A sample that was not uploaded before. */
const anotherFile = () => Buffer.concat([fileOf('PDF'), Buffer.from(`%${++made}`)]);

/** All chats of a user after a sync. */
async function readGroups(person: Person) {
  await person.call('venom/sync-groups');
  const { body } = await person.call<{ groups: Array<{ group_metadata_id: number; kind: string }> }>(
    'venom/list-groups',
    { limit: 500 },
  );
  return body.data.groups;
}

describe('a picture', () => {
  test('is uploaded once for thirty groups and a community, and once for a channel', async () => {
    const { person, phone } = await linked(0);
    for (let index = 1; index <= 30; index++) addGroup(peer.world, phone, { subject: `Group ${index}` }, members);
    const community = addCommunity(peer.world, phone, 'Old town');
    const announcements = [...peer.world.groups.values()].find(({ parent }) => parent === community.id);
    for (const member of members) announcements?.participants.set(`${member.lid}@lid`, 'member');
    const channel = addChannel(peer.world, phone, { name: 'Town news', followers: 40 });
    const groups = await readGroups(person);
    expect(groups).toHaveLength(32);
    const picture = await drawNoise(300, 200);

    const ids = groups.map((group) => group.group_metadata_id);
    const campaign = await sendCampaign(person, ids, '<b>Fair</b> at nine', picture);
    const { totals } = await finished(person, campaign);

    expect(totals).toMatchObject({ sent: 32, failed: 0 });
    const shown = shownWith('*Fair* at nine');
    expect(timesShown(peer, '*Fair* at nine')).toEqual([...allOnce(31), 1]);
    expect(new Set(shown.map(({ media }) => hashOf(media?.bytes)))).toEqual(new Set([hashOf(picture)]));
    for (const { media } of shown) {
      expect(media).toMatchObject({ kind: 'image', mime: 'image/png', width: 300, height: 200 });
      expect(await sharp(media?.thumbnail).metadata()).toMatchObject({ format: 'jpeg', width: 96, height: 64 });
    }
    expect(peer.uploads.map(({ place, kind }) => `${place} ${kind}`).toSorted()).toEqual([
      'channels image',
      'chats image',
    ]);
    expect(channel.posts).toHaveLength(1);

    Object.assign(channel.posts[0] ?? {}, { views: 29, reactions: { '👍': 7, '🎉': 1 } });
    const progress = await until(
      () => progressOf(person, campaign),
      (found) => found.totals.views === 29,
    );
    const inChannel = progress.groups.filter(({ kind }) => kind === 'channel');
    expect(inChannel).toMatchObject([{ recipients: 40, views: 29, reactions: 8 }]);
    expect(progress.groups.filter(({ kind }) => kind !== 'channel').map(({ views }) => views)).toEqual(
      Array.from({ length: 31 }, () => null),
    );
  });

  test('is uploaded once for all campaigns of a day, also across a restart, and again after that', async () => {
    const { person } = somebody;
    const groups = somebody.groups.slice(0, 1);
    const picture = await drawNoise(40, 40);
    const before = peer.uploads.length;
    const send = async (by: Person, text: string) => finished(by, await sendCampaign(by, groups, text, picture));
    await send(person, 'first day');
    await scene.restart();
    await send(person, 'first day, later');
    expect(peer.uploads).toHaveLength(before + 1);
    await scene.stop();
    await database.clock.advance({ hours: 25 });
    await scene.start();
    await send(person, 'next day');
    expect(peer.uploads).toHaveLength(before + 2);
    for (const text of ['first day', 'first day, later', 'next day'])
      expect(shownWith(text).map(({ media }) => hashOf(media?.bytes))).toEqual(
        Array.from({ length: 4 }, () => hashOf(picture)),
      );
  });

  test('has the size of its rotated form, and a thumbnail without transparency', async () => {
    const { person } = somebody;
    const groups = somebody.groups.slice(0, 1);
    const turned = await sharp(await drawNoise(80, 40))
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    await finished(person, await sendCampaign(person, groups, 'turned', turned));
    const shown = shownWith('turned')[0]?.media;
    expect(shown).toMatchObject({ mime: 'image/jpeg', width: 40, height: 80 });
    expect(await sharp(shown?.bytes).autoOrient().raw().toBuffer()).toEqual(
      await sharp(turned).autoOrient().raw().toBuffer(),
    );
    const clear = await sharp({ create: { width: 8, height: 8, channels: 4, background: '#00000000' } })
      .png()
      .toBuffer();
    await finished(person, await sendCampaign(person, groups, 'clear', clear));
    const { dominant } = await sharp(shownWith('clear')[0]?.media?.thumbnail).stats();
    expect(dominant.r).toBeGreaterThan(200);
  });

  test.each(['jpeg', 'png'] as const)('leaves as %s without its location', async (format) => {
    const { person } = somebody;
    const { channel, groupId } = await addOwnChannel(peer, somebody);
    const groups = [...somebody.groups.slice(0, 1), groupId];
    const taken = await sharp(await drawNoise(30, 20))
      .withExif({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 30/1 58/1' } })
      .toFormat(format)
      .toBuffer();
    const text = `taken as a ${format}`;
    expect((await finished(person, await sendCampaign(person, groups, text, taken))).totals).toMatchObject({ sent: 2 });
    expect(channel.posts).toHaveLength(1);
    const shown = shownWith(text);
    expect(shown).toHaveLength(5);
    for (const { media } of shown) {
      expect((await sharp(media?.bytes).metadata()).exif).toBeUndefined();
      expect(await sharp(media?.bytes).raw().toBuffer()).toEqual(await sharp(taken).raw().toBuffer());
    }
  });

  test.each(['webp', 'avif'] as const)('becomes a JPEG if it is a %s', async (format) => {
    const { person } = somebody;
    const groups = somebody.groups.slice(0, 1);
    const text = `still ${format}`;
    await finished(person, await sendCampaign(person, groups, text, await drawPlain(60, 30, format)));
    const still = shownWith(text)[0]?.media;
    expect(still).toMatchObject({ kind: 'image', mime: 'image/jpeg', width: 60, height: 30 });
    expect(await sharp(still?.bytes).metadata()).toMatchObject({ format: 'jpeg', width: 60, height: 30 });
  });

  test('becomes a document if it is animated', async () => {
    const { person } = somebody;
    const groups = somebody.groups.slice(0, 1);
    const moving = await drawMoving(20, 20);
    await finished(person, await sendCampaign(person, groups, 'moving', moving));
    expect(shownWith('moving')[0]?.media).toMatchObject({
      kind: 'document',
      mime: 'image/gif',
      fileName: 'file.gif',
      bytes: moving,
    });
  });

  test('leaves without a thumbnail if it is too large', async () => {
    const { person } = somebody;
    const groups = somebody.groups.slice(0, 1);
    const bomb = drawBlack(5_100, 5_000);
    expect(bomb.length).toBeLessThan(1_000_000);
    await finished(person, await sendCampaign(person, groups, 'bomb', bomb));
    expect(shownWith('bomb')[0]?.media).toMatchObject({ mime: 'image/png', thumbnail: undefined });
  });
});

test('a post with a picture leaves beside the pictures that requests have decoded, and waits for none', async () => {
  const { person, groups } = somebody;
  const other = await linked(0);
  const picture = await drawPlain(300, 200, 'webp');
  const { answers, countDone } = await floodDecoding(other.person);
  const campaign = await sendCampaign(person, groups.slice(0, 1), 'beside', picture);
  expect((await finished(person, campaign)).totals).toMatchObject({ sent: 1, failed: 0 });
  expect(shownWith('beside')[0]?.media).toMatchObject({ kind: 'image', width: 300 });
  expect(countDone()).toBeLessThan(40);
  await answers;
});

describe('a file', () => {
  test.each([
    ['MP4', 'video', 'video/mp4', undefined],
    ['MOV', 'video', 'video/quicktime', undefined],
    ['WebM', 'document', 'video/webm', 'file.webm'],
    ['BMP', 'document', 'image/bmp', 'file.bmp'],
    ['VCF', 'document', 'text/vcard', 'file.vcf'],
    ['PDF', 'document', 'application/pdf', 'file.pdf'],
    ['DOCX', 'document', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'file.docx'],
  ])('of the kind %s is shown as such, with the text as its caption', async (name, kind, mime, fileName) => {
    const { person } = somebody;
    const groups = somebody.groups.slice(0, 1);
    const text = `with a ${name}`;
    const bytes = fileOf(name);
    const { totals } = await finished(person, await sendCampaign(person, groups, text, bytes));
    expect(totals).toMatchObject({ sent: 1, failed: 0 });
    expect(timesShown(peer, text)).toEqual(allOnce(1));
    expect(shownWith(text)[0]?.media).toMatchObject({ kind, mime, bytes, fileName });
  });

  test('that is a film loses the place where it was taken, in a group and in a channel', async () => {
    const { person } = somebody;
    const place = Buffer.from('+52.5163+013.3777/');
    const head = film({ bytes: 700_000, fill: 9 });
    const taken = addBoxes(head, 'moov', box('udta', box('\xa9xyz', place)));
    const { groupId } = await addOwnChannel(peer, somebody);
    const groups = [groupId, ...somebody.groups.slice(0, 1)];
    const { totals } = await finished(person, await sendCampaign(person, groups, 'without a place', taken));
    expect(totals).toMatchObject({ sent: 2, failed: 0 });
    const arrived = shownWith('without a place');
    expect(arrived.length).toBeGreaterThan(4);
    for (const { media } of arrived) {
      expect(media).toMatchObject({ kind: 'video', width: 1_920, height: 1_080 });
      expect(media?.bytes).toHaveLength(taken.length);
      expect(media?.bytes?.includes(place)).toBe(false);
      expect(media?.bytes?.subarray(0, head.length - 800)).toEqual(taken.subarray(0, head.length - 800));
    }
  });

  test.each(['MP3', 'AAC', 'WAV'])('of sound (%s) has no caption, and its text follows', async (name) => {
    const { person } = somebody;
    const groups = somebody.groups.slice(0, 1);
    const { totals } = await finished(person, await sendCampaign(person, groups, 'listen', fileOf(name)));
    expect(totals).toMatchObject({ sent: 1, failed: 0 });
    const last = peer.arrivals.slice(-8);
    expect(last.slice(0, 4).map(({ media, text }) => [media?.kind, text])).toEqual(
      Array.from({ length: 4 }, () => ['audio', '']),
    );
    expect(last.slice(4).map(({ media, text }) => [media, text])).toEqual(
      Array.from({ length: 4 }, () => [undefined, 'listen']),
    );
  });

  test('is uploaded again when the media host is unreachable, without using up an attempt', async () => {
    const { person } = somebody;
    const groups = somebody.groups.slice(0, 2);
    const answers: Array<number | 'cut'> = [503, 'cut', 401];
    peer.script.refuseUpload = () => answers.shift();
    const campaign = await sendCampaign(person, groups, 'in the end', anotherFile());
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 2, failed: 0 });
    expect(timesShown(peer, 'in the end')).toEqual(allOnce(2));
    const { rows } = await sql<{ attempts: number }>`
      select d.attempts from deliveries d join runs r using (workspace_id, run_id) join campaigns c using (campaign_id)
      where c.public_id = ${campaign}`.execute(database.db);
    expect(rows).toEqual([{ attempts: 1 }, { attempts: 1 }]);
  });

  test('fails with the reason of a rejection, after one upload', async () => {
    const { person } = somebody;
    const groups = somebody.groups;
    let brought = 0;
    peer.script.refuseUpload = () => {
      brought += 1;
      return 415;
    };
    const campaign = await sendCampaign(person, groups, 'not taken', anotherFile());
    const { totals, groups: outcomes } = await finished(person, campaign);
    expect(totals).toMatchObject({ sent: 0, failed: 3 });
    for (const { last_error } of outcomes) expect(last_error).toContain('does not take this file');
    expect(brought).toBe(1);
  });

  test('does not hold up a turn while it is uploaded', async () => {
    const { person } = somebody;
    const groups = somebody.groups.slice(0, 2);
    const held = Promise.withResolvers<undefined>();
    peer.script.refuseUpload = () => held.promise;
    const large = await sendCampaign(person, groups, 'large', anotherFile());
    await finished(person, await sendCampaign(person, groups, 'meanwhile'));
    held.resolve(undefined);
    expect((await finished(person, large)).totals).toMatchObject({ sent: 2, failed: 0 });
    expect(timesShown(peer, 'large')).toEqual(allOnce(2));
  });

  test('is uploaded again when a stop of the service interrupted the upload', async () => {
    const { person } = somebody;
    const groups = somebody.groups.slice(0, 1);
    const asked = Promise.withResolvers<void>();
    peer.script.refuseUpload = () => {
      asked.resolve();
      return new Promise(() => {});
    };
    const campaign = await sendCampaign(person, groups, 'cut off', anotherFile());
    await asked.promise;
    await scene.stop();
    peer.behave();
    await scene.start();
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 1, failed: 0 });
    expect(timesShown(peer, 'cut off')).toEqual(allOnce(1));
  });

  test('is sent again after a restart to a phone that could not decrypt it', async () => {
    const { person, companion } = somebody;
    const groups = somebody.groups.slice(0, 1);
    await finished(person, await sendCampaign(person, groups, 'again, please', anotherFile()));
    const shown = shownWith('again, please')[0];
    const device = members[0]?.devices[1];
    if (!shown || !device) throw new Error('nothing was shown');
    await scene.restart();
    await until(
      () => companion.connection,
      (connection) => connection !== undefined,
    );
    const before = peer.received.length;
    await peer.askAgain(companion, { chatId: shown.chatId, messageId: shown.messageId, device });
    const answers = await until(
      () => peer.received.slice(before),
      (stanzas) => stanzas.length > 0,
    );
    expect(answers[0]?.attrs).toMatchObject({ id: shown.messageId, participant: device.jid, type: 'media' });
  });
});
