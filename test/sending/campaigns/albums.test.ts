/** Posts with several files (contract §3, add-campaign), as members of the sandbox see them. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, untilCompleted, type Person, type TestApp } from '../../support/app.ts';
import { film } from '../../support/inputs/films.ts';
import { PNG, TAKEN } from '../../support/inputs/sample-files.ts';
import { until } from '../../support/ledger.ts';
import { upload } from '../../support/upload.ts';

let app: TestApp;
let alice: Person;
let group: number;
let picture: number;
let movie: number;
let programme: number;
let song: number;
beforeAll(async () => {
  app = await startTestApp();
  alice = await app.signUp('alice');
  const { body } = await alice.call<{ groups: { group_metadata_id: number }[] }>('venom/list-groups');
  group = body.data.groups[0]?.group_metadata_id ?? 0;
  picture = await put(PNG, 'Poster.png');
  movie = await put(film({ bytes: 900_000 }), 'Trailer.mp4');
  programme = await put(fileOf('PDF'), 'Programme of the fair.pdf');
  song = await put(fileOf('MP3'), 'Song.mp3');
});
afterAll(() => app.stop());

const fileOf = (kind: string) => TAKEN.find(([name]) => name === kind)?.[1] ?? Buffer.alloc(0);
const put = async (bytes: Buffer, name: string) =>
  (await upload(app.url, alice.token, bytes, { name })).body.data.media_id;
const post = (more: object) => ({ name: 'Fair', html: 'Hello', group_metadata_ids: [group], ...more });
const schedule = { is_schedule: true, start_date: '2032-06-01', end_date: '2032-06-02', schedule_time: '09:00:00' };

interface Shown {
  message_id: string;
  text: string;
  media: { mime: string } | null;
  files?: Array<{ mime: string; file_name: string; caption: string }>;
  recalled_at: string | null;
}
const messages = async (): Promise<Shown[]> =>
  (
    await alice.call<{ messages: Shown[] }>('sandbox/list-messages', {
      group_metadata_id: group,
      limit: 1_000,
      with_changes: true,
    })
  ).body.data.messages;
const seen = async (text: string) =>
  (await until(messages, (found) => found.some((message) => message.text === text))).find(
    (message) => message.text === text,
  );

async function sent(more: object): Promise<string> {
  const { body } = await alice.call<{ campaign_id: string }>('venom/add-campaign', post(more));
  expect(body.code).toBe(200);
  const { campaign_id } = body.data;
  await untilCompleted(alice.call, campaign_id);
  return campaign_id;
}

test('members see all files of a post in their order, with their names and captions', async () => {
  const media = [
    { media_id: picture },
    { media_id: movie, caption: 'The trailer' },
    { media_id: programme },
    { media_id: picture, file_name: 'Once more.jpeg' },
  ];
  await sent({ html: '<b>All</b> of it', media });
  const message = await seen('*All* of it');
  expect(message?.media).toMatchObject({ mime: 'image/png' });
  expect(message?.files).toMatchObject([
    { mime: 'image/png', file_name: 'Poster.png', caption: '*All* of it' },
    { mime: 'video/mp4', file_name: 'Trailer.mp4', caption: 'The trailer' },
    { mime: 'application/pdf', file_name: 'Programme of the fair.pdf', caption: '' },
    { mime: 'image/png', file_name: 'Once more.png', caption: '' },
  ]);
});

test('one picture or film shows its own caption', async () => {
  for (const media_id of [picture, movie]) {
    await sent({ html: `beside ${media_id}`, media: [{ media_id, caption: 'Its *own*' }] });
    expect((await seen(`beside ${media_id}`))?.files).toMatchObject([{ caption: 'Its *own*' }]);
  }
  await sent({ html: 'alone', media: [{ media_id: picture }] });
  expect(await seen('alone')).not.toHaveProperty('files');
});

test('a text that is longer than a caption is none', async () => {
  const text = 'x'.repeat(1_025);
  await sent({ html: text, media: [{ media_id: programme }, { media_id: picture }] });
  expect((await seen(text))?.files).toMatchObject([{ caption: '' }, { caption: '' }]);
});

test('a document has the name that it was uploaded with, or another, and never that of its campaign', async () => {
  await sent({ html: 'by upload', media: [{ media_id: programme }] });
  expect((await seen('by upload'))?.files).toMatchObject([{ file_name: 'Programme of the fair.pdf' }]);
  await sent({ html: 'by post', media: [{ media_id: programme, file_name: 'Menu' }] });
  expect((await seen('by post'))?.files).toMatchObject([{ file_name: 'Menu.pdf' }]);
  await sent({ html: 'by nobody', image: fileOf('PDF').toString('base64') });
  expect((await seen('by nobody'))?.files).toMatchObject([{ file_name: 'file.pdf' }]);
});

test('needs no text', async () => {
  const before = (await messages()).length;
  await sent({ html: '', media: [{ media_id: movie }, { media_id: song }] });
  const found = await until(messages, ({ length }) => length > before);
  expect(found.at(-1)?.files).toMatchObject([{ caption: '' }, { mime: 'audio/mpeg' }]);
});

test('a correction changes the text where it stands, and a recall takes all files away', async () => {
  const campaign_id = await sent({
    html: 'Monday',
    media: [{ media_id: picture }, { media_id: movie, caption: 'own' }],
  });
  const { message_id } = (await seen('Monday')) ?? {};
  expect((await alice.call('venom/correct-campaign', { campaign_id, html: 'Tuesday' })).status).toBe(200);
  expect((await seen('Tuesday'))?.files?.map(({ caption }) => caption)).toEqual(['Tuesday', 'own']);
  expect((await alice.call('venom/recall-campaign', { campaign_id })).status).toBe(200);
  const gone = await until(
    async () => (await messages()).find((message) => message.message_id === message_id),
    (message) => message?.recalled_at !== null,
  );
  expect(gone).toMatchObject({ text: '', media: null });
  expect(gone?.files).toBeUndefined();
});

describe('a request', () => {
  const ask = async (more: object, operation = 'add-campaign') =>
    (await alice.call(`venom/${operation}`, { ...post(more), ...(operation === 'add-campaign' ? {} : schedule) })).body;

  test.each(['add-campaign', 'add-campaign-batch', 'check-campaign'])(
    '%s with image and media is a 400',
    async (name) => {
      const both = { image: PNG.toString('base64'), media: [{ media_id: picture }] };
      expect(await ask(both, name)).toMatchObject({
        code: 400,
        details: [{ field: 'media', issue: 'must not be sent together with image' }],
      });
    },
  );

  test.each(['add-campaign', 'add-campaign-batch', 'check-campaign'])(
    '%s with the file of another is a 404',
    async (name) => {
      const media = [{ media_id: picture }, { media_id: 900_000_000_001 }];
      expect(await ask({ media }, name)).toMatchObject({ code: 404, details: [{ field: 'media.1.media_id' }] });
    },
  );

  test('with a caption for a sound, with eleven files and with a long caption is a 400', async () => {
    expect(await ask({ media: [{ media_id: song, caption: 'x' }] })).toMatchObject({
      code: 400,
      details: [{ field: 'media.0.caption', issue: 'is not shown with a sound' }],
    });
    expect(await ask({ media: Array.from({ length: 11 }, () => ({ media_id: picture })) })).toMatchObject({
      code: 400,
    });
    expect(await ask({ media: [{ media_id: picture, caption: 'x'.repeat(1_025) }] })).toMatchObject({ code: 400 });
  });

  test('with an empty list of files has none', async () => {
    expect(await ask({ html: '', media: [] })).toMatchObject({ code: 400, details: [{ field: 'html' }] });
  });
});

interface Details {
  media: object[] | { mime: string } | null;
  files: Array<{ media_id: number; file_name: string | null; caption: string | null }>;
}

test('is checked, copied, and changed as a whole', async () => {
  const media = [
    { media_id: picture, caption: 'one' },
    { media_id: programme, file_name: 'Menu' },
  ];
  const checked = (await alice.call<Details>('venom/check-campaign', { ...post({ media }), is_schedule: false })).body
    .data;
  expect(checked.files.map((file) => file.media_id)).toEqual([picture, programme]);
  const { headers } = await alice.call('venom/add-campaign-batch', { ...post({ media }), ...schedule });
  const campaign_id = headers.get('x-campaign-id') ?? '';
  const read = async () => (await alice.call<Details>('venom/get-campaign', { campaign_id })).body.data;
  expect(await read()).toMatchObject({
    media: { mime: 'image/png' },
    files: [
      { media_id: picture, file_name: 'Poster', caption: 'one' },
      { media_id: programme, file_name: 'Menu', caption: null },
    ],
  });
  const copy = (await alice.call<{ media: object[] }>('venom/duplicate-campaign', { campaign_id })).body.data;
  expect(copy).toMatchObject({ image: null, media });
  expect((await alice.call('venom/check-campaign', copy)).status).toBe(200);
  const change = (body: object) => alice.call('venom/update-campaign', { campaign_id, ...body });
  expect((await change({ html: 'Other' })).status).toBe(200);
  expect((await read()).files).toHaveLength(2);
  expect((await change({ media: [{ media_id: movie }] })).status).toBe(200);
  expect((await read()).files.map((file) => file.media_id)).toEqual([movie]);
  expect((await change({ image: PNG.toString('base64') })).status).toBe(200);
  expect((await read()).files).toMatchObject([{ media_id: picture, file_name: null }]);
  expect((await change({ media })).status).toBe(200);
  expect((await change({ remove: ['media'] })).status).toBe(200);
  expect(await read()).toMatchObject({ media: null, files: [] });
  expect((await change({ media: [{ media_id: 900_000_000_001 }] })).status).toBe(404);
});

test('is kept in drafts', async () => {
  const draft_id = randomUUID();
  const media = [{ media_id: picture, caption: 'one' }, { media_id: movie }];
  const save = (version: number, more: object) =>
    alice.call('venom/save-draft', { draft_id, version, html: '', ...more });
  expect((await save(0, { media })).status).toBe(200);
  const read = async () =>
    (await alice.call<{ drafts: Array<{ content: Details }> }>('venom/list-drafts', { draft_id })).body.data.drafts[0]
      ?.content;
  expect(await read()).toMatchObject({
    media,
    files: [{ file_name: 'Poster', caption: 'one' }, { file_name: 'Trailer' }],
  });
  expect((await save(1, {})).status).toBe(200);
  expect(await read()).toMatchObject({ media: null, files: [] });
  expect((await save(2, { media: [{ media_id: 900_000_000_001 }] })).status).toBe(404);
});
