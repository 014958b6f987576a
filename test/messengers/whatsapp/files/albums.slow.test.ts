/** Several files of one post on WhatsApp: an album in groups, one after the other in channels. */
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { until } from '../../../support/ledger.ts';
import { film } from '../../../support/inputs/films.ts';
import { drawPlain } from '../../../support/inputs/pictures.ts';
import { TAKEN } from '../../../support/inputs/sample-files.ts';
import { skipWaiting } from '../../../support/skip-waiting.ts';
import { upload } from '../../../support/upload.ts';
import { addOwnChannel, progressOf, type Linked } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { postInGroup, reactionTo, replyTo, sendReceipt } from '../../../../harness/whatsapp-peer/phones.ts';
import { albumsNow, postsNow } from '../../../../harness/whatsapp-peer/posts-now.ts';
import type { Arrival, Verdict } from '../../../../harness/whatsapp-peer/state.ts';
import type { Person as PeerPerson } from '../../../../harness/whatsapp-peer/world.ts';

// Some answers are lost on purpose.
const scene = await setWhatsAppScene({ answerMs: 1_500 });
const { peer, database, members, linked, finished } = scene;
const [ann, ben] = members as [PeerPerson, PeerPerson];
const somebody = await linked(1);
const DEVICES = 4;

const fileOf = (kind: string) => TAKEN.find(([name]) => name === kind)?.[1] ?? Buffer.alloc(0);
let made = 0;
const FILES = {
  picture: async () => [await drawPlain(30 + ++made, 20, 'png'), 'Poster.png'] as const,
  movie: async () =>
    [film({ bytes: 700_000 + ++made, seconds: 12.3, width: 640, height: 360 }), 'Trailer.mp4'] as const,
  document: async () => [Buffer.concat([fileOf('PDF'), Buffer.from(`%${++made}`)]), 'Programme.pdf'] as const,
  sound: async () => [Buffer.concat([fileOf('MP3'), Buffer.from(`${++made}`)]), 'Song.mp3'] as const,
};

async function put({ person }: Linked, kind: keyof typeof FILES, more: object = {}) {
  const [bytes, name] = await FILES[kind]();
  const { body } = await upload(scene.app.url, person.token, bytes, { name });
  return { media_id: body.data.media_id, ...more };
}

/** Sends these files with a text, and waits until the campaign has ended. */
async function send(by: Linked, html: string, media: object[], groups = by.groups) {
  const { person } = by;
  const before = peer.arrivals.length;
  const post = { name: 'Fair', html, media, group_metadata_ids: groups };
  const { body } = await person.call<{ campaign_id: string }>('venom/add-campaign', post);
  expect(body.code).toBe(200);
  const campaign = body.data.campaign_id;
  const { totals } = await finished(person, campaign);
  return { campaign, totals, arrived: peer.arrivals.slice(before) };
}

const byDevice = (arrivals: readonly Arrival[]) => [...Map.groupBy(arrivals, ({ device }) => device).values()];
const shown = ({ media, text, message }: Arrival) => [message.albumMessage ? 'album' : (media?.kind ?? 'text'), text];
function judgeInTurn(...verdicts: Verdict[]): void {
  peer.script.judge = () => verdicts.shift() ?? 'accept';
}

describe('in a group', () => {
  test('pictures and films are an album, whose first one has the text, and other files follow', async () => {
    const media = [
      await put(somebody, 'picture'),
      await put(somebody, 'movie', { caption: 'The trailer' }),
      await put(somebody, 'document'),
      await put(somebody, 'picture'),
    ];
    const { totals, arrived } = await send(somebody, '<b>All</b> of it', media);
    expect(totals).toMatchObject({ sent: 1, failed: 0 });
    expect(byDevice(arrived)).toHaveLength(DEVICES);
    for (const arrivals of byDevice(arrived))
      expect(arrivals.map(shown)).toEqual([
        ['album', ''],
        ['image', '*All* of it'],
        ['video', 'The trailer'],
        ['document', ''],
        ['image', ''],
      ]);
    expect(arrived[0]?.message.albumMessage).toMatchObject({ expectedImageCount: 2, expectedVideoCount: 1 });
    const movie = arrived.find(({ media: file }) => file?.kind === 'video');
    expect(movie?.media).toMatchObject({ width: 640, height: 360 });
    expect(movie?.message.videoMessage?.seconds).toBe(13);
    expect(arrived.find(({ media: file }) => file?.kind === 'document')?.media?.fileName).toBe('Programme.pdf');
    const { chatId = '' } = arrived[0] ?? {};
    for (const albums of albumsNow(peer, chatId).values())
      expect(albums).toEqual([{ announced: 3, captions: ['*All* of it', 'The trailer', ''] }]);
  });

  test('a film with a still arrives with a thumbnail of it', async () => {
    const movie = await put(somebody, 'movie');
    const still = (await drawPlain(1_280, 720, 'png')).toString('base64');
    expect((await somebody.person.call('media/set-still', { media_id: movie.media_id, still })).status).toBe(200);
    const { arrived } = await send(somebody, 'The trailer', [movie, await put(somebody, 'movie')]);
    for (const arrivals of byDevice(arrived)) {
      const films = arrivals.filter(({ media: file }) => file?.kind === 'video');
      const [thumbnail, none] = films.map(({ message }) => Buffer.from(message.videoMessage?.jpegThumbnail ?? []));
      expect(await sharp(thumbnail).metadata()).toMatchObject({ format: 'jpeg', width: 96, height: 54 });
      expect(none).toHaveLength(0);
    }
  });

  test('one picture beside documents and sounds is no album', async () => {
    const media = [await put(somebody, 'sound'), await put(somebody, 'picture'), await put(somebody, 'document')];
    const { arrived } = await send(somebody, 'three', media);
    for (const arrivals of byDevice(arrived))
      expect(arrivals.map(shown)).toEqual([
        ['audio', ''],
        ['image', ''],
        ['document', ''],
        ['text', 'three'],
      ]);
  });

  test('a long text follows the album', async () => {
    const text = 'x'.repeat(1_100);
    const { arrived } = await send(somebody, text, [await put(somebody, 'picture'), await put(somebody, 'picture')]);
    for (const arrivals of byDevice(arrived))
      expect(arrivals.map(shown)).toEqual([
        ['album', ''],
        ['image', ''],
        ['image', ''],
        ['text', text],
      ]);
  });

  test.each<[string, Verdict[]]>([
    ['the answer to the album is lost', ['lose the answer']],
    ['the answer to a picture is lost', ['accept', 'lose the answer']],
    ['the connection breaks before the last one', ['accept', 'accept', 'cut before']],
    ['the connection breaks after the last one', ['accept', 'accept', 'cut after']],
    ['a picture is refused for the moment', ['accept', { refuse: 500 }]],
  ])('everything is shown once when %s', async (what, verdicts) => {
    const media = [await put(somebody, 'picture'), await put(somebody, 'movie')];
    judgeInTurn(...verdicts);
    const { totals, arrived } = await send(somebody, what, media);
    expect(totals).toMatchObject({ sent: 1, failed: 0 });
    for (const arrivals of byDevice(arrived))
      expect(arrivals.map(shown)).toEqual([
        ['album', ''],
        ['image', what],
        ['video', ''],
      ]);
  });

  test('receipts of the parts count once, and reactions and replies to any part count', async () => {
    const own = await linked(1);
    const media = [await put(own, 'picture'), await put(own, 'picture'), await put(own, 'movie')];
    const { campaign, arrived } = await send(own, 'Look', media);
    const [first = []] = byDevice(arrived);
    const messageIds = first.map(({ messageId }) => messageId);
    const { chatId = '' } = first[0] ?? {};
    expect(messageIds).toHaveLength(4);
    await sendReceipt(own.companion, { chatId, messageIds: messageIds.slice(0, 3), by: ann, type: 'read' });
    expect((await progressOf(own.person, campaign)).totals).toMatchObject({ delivered: 0, read: 0 });
    for (const by of [ann, ben]) await sendReceipt(own.companion, { chatId, messageIds, by, type: 'read' });
    expect((await progressOf(own.person, campaign)).totals).toMatchObject({ delivered: 2, read: 2 });
    for (const part of first) {
      await postInGroup(own.companion, { chatId, by: ann, message: reactionTo(part) });
      await postInGroup(own.companion, { chatId, by: ben, message: replyTo(part, 'Nice') });
    }
    expect((await progressOf(own.person, campaign)).totals).toMatchObject({ reactions: 1, replies: 1 });
  });

  test('a device that could not read a part gets it again, in its album', async () => {
    const own = await linked(1);
    const { arrived } = await send(own, 'Again', [await put(own, 'picture'), await put(own, 'movie')]);
    const [, , movie] = byDevice(arrived)[0] ?? [];
    const device = ann.devices[1];
    if (!movie || !device) throw new Error('no film has arrived');
    await peer.askAgain(own.companion, { chatId: movie.chatId, messageId: movie.messageId, device });
    // The peer complains about an answer outside of the album.
    const answers = await until(
      async () => peer.received.filter(({ attrs }) => attrs['id'] === movie.messageId && attrs['participant']),
      ({ length }) => length > 0,
    );
    expect(answers).toHaveLength(1);
  });
});

test.each(['group', 'channel'])(
  'a correction in a %s changes the text where it stands, and a recall takes all away',
  async (kind) => {
    const own = await linked(1);
    const channel = kind === 'channel' ? await addOwnChannel(peer, own, 7) : undefined;
    const groups = channel ? [channel.groupId] : own.groups;
    const media = [await put(own, 'picture'), await put(own, 'movie', { caption: 'own' }), await put(own, 'picture')];
    const { campaign, arrived } = await send(own, 'Monday', media, groups);
    const chatId = channel?.channel.id ?? arrived[0]?.chatId ?? '';
    const texts = () => [...postsNow(peer, chatId).values()];
    const change = async (path: string, more: object, ends: (texts: string[]) => boolean) => {
      expect((await own.person.call(`venom/${path}`, { campaign_id: campaign, ...more })).status).toBe(200);
      await until(
        async () => {
          await skipWaiting(database, own.person);
          return texts();
        },
        (all) => all.every(ends),
      );
    };
    const announced = kind === 'group' ? [''] : [];
    for (const all of texts()) expect(all).toEqual([...announced, 'Monday', 'own', '']);
    await change('correct-campaign', { html: 'Tuesday' }, (all) => all.includes('Tuesday'));
    for (const all of texts()) expect(all).toEqual([...announced, 'Tuesday', 'own', '']);
    await change('recall-campaign', {}, (all) => all.length === 0);
  },
);

test('a channel gets one file after the other, and none twice', async () => {
  const own = await linked(0);
  const { channel, groupId } = await addOwnChannel(peer, own, 7);
  const media = [await put(own, 'picture'), await put(own, 'picture'), await put(own, 'document')];
  judgeInTurn('accept', 'lose the answer');
  const { totals } = await send(own, 'News', media, [groupId]);
  expect(totals).toMatchObject({ sent: 1, failed: 0 });
  expect(postsNow(peer, channel.id).get(channel.id)).toEqual(['News', '', '']);
});
