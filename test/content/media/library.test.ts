/** The files of a workspace: listed with their uses, deleted while unused, kept for a while (contract §4, files). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dropUnusedMedia } from '../../../src/content/media/drop-unused.ts';
import { startTestApp, untilCompleted, type Person, type TestApp } from '../../support/app.ts';
import { film } from '../../support/inputs/films.ts';
import { PNG } from '../../support/inputs/sample-files.ts';
import { upload, type LibraryFile } from '../../support/upload.ts';

let app: TestApp;
let groups: number[];
let alice: Person;
beforeAll(async () => {
  app = await startTestApp({ sandboxSpeed: 0 });
  alice = await app.signUp('alice');
  const { body } = await alice.call<{ groups: { group_metadata_id: number }[] }>('venom/list-groups');
  groups = body.data.groups.map((group) => group.group_metadata_id);
});
afterAll(() => app.stop());

interface Listed extends LibraryFile {
  campaigns: Array<{ campaign_id: string; name: string; status: string }>;
  drafts: Array<{ draft_id: string; name: string }>;
}
interface Page {
  files: Listed[];
  next_cursor: string | null;
}
const list = async (body: object = {}, person = alice) => (await person.call<Page>('media/list-media', body)).body.data;
const find = async (mediaId: number) => (await list()).files.find((file) => file.media_id === mediaId);
const remove = async (media_id: number, person = alice) =>
  (await person.call('media/delete-media', { media_id })).status;

let made = 0;
async function put(name?: string, person = alice): Promise<number> {
  const bytes = film({ bytes: 300_000 + ++made, fill: 1 });
  return (await upload(app.url, person.token, bytes, name === undefined ? {} : { name })).body.data.media_id;
}

const send = async (more: object): Promise<string> => {
  const post = { name: 'Fair', html: 'Hello', group_metadata_ids: groups.slice(0, 1), ...more };
  const { status, body } = await alice.call<{ campaign_id: string }>('venom/add-campaign', post);
  expect(status).toBe(200);
  return body.data.campaign_id;
};
const plan = async (more: object): Promise<string> => {
  const schedule = { is_schedule: true, start_date: '2032-06-01', end_date: '2032-06-02', schedule_time: '09:00:00' };
  const post = { name: 'Fair', html: 'Hello', group_metadata_ids: groups.slice(0, 1), ...schedule, ...more };
  const { status, headers } = await alice.call('venom/add-campaign-batch', post);
  expect(status).toBe(200);
  return headers.get('x-campaign-id') ?? '';
};

test('lists files newest first, by pages and by name, and those of others never', async () => {
  const ids = [await put('Programme.mp4'), await put('Menu.mp4'), await put('menu of the day.mp4')];
  const bob = await app.signUp('bob');
  const other = await put('Menu of Bob.mp4', bob);
  const first = await list({ limit: 2 });
  expect(first.files.map((file) => file.media_id)).toEqual([ids[2], ids[1]]);
  const second = await list({ limit: 2, cursor: first.next_cursor });
  expect(second.files[0]?.media_id).toBe(ids[0]);
  expect((await list({ search: 'MENU' })).files.map((file) => file.name)).toEqual(['menu of the day.mp4', 'Menu.mp4']);
  expect((await list({}, bob)).files.map((file) => file.media_id)).toEqual([other]);
  expect(await remove(other)).toBe(404);
  expect(await remove(other, bob)).toBe(200);
});

test('shows where a file is used, and deletes it only when it is not', async () => {
  const id = await put('Poster.mp4');
  const draft_id = randomUUID();
  await alice.call('venom/save-draft', { draft_id, version: 0, name: 'Plan', media: [{ media_id: id }] });
  const campaign_id = await plan({ media: [{ media_id: id }] });
  expect(await find(id)).toMatchObject({
    name: 'Poster.mp4',
    kind: 'video',
    seconds: 13,
    campaigns: [{ campaign_id, name: 'Fair', status: 'scheduled' }],
    drafts: [{ draft_id, name: 'Plan' }],
  });
  expect(await remove(id)).toBe(409);
  await alice.call('venom/delete-draft', { draft_id });
  expect(await remove(id)).toBe(409);
  await alice.call('venom/cancel-campaign', { campaign_id });
  expect(await remove(id)).toBe(200);
  expect(await find(id)).toBeUndefined();
  expect(await remove(id)).toBe(404);
  const { body } = await alice.call<{ files: object[] }>('venom/get-campaign', { campaign_id });
  expect(body.data.files).toMatchObject([{ media_id: id, mime: 'video/mp4', file_name: 'Poster' }]);
});

test('a file that came in base64 is there to be picked again', async () => {
  const picture = Buffer.concat([PNG, Buffer.from('base64')]);
  await plan({ image: picture.toString('base64') });
  const file = (await list()).files.find(({ size }) => size === picture.length);
  expect(file).toMatchObject({ mime: 'image/png', name: null, campaigns: [{ name: 'Fair' }] });
  await plan({ name: 'Again', media: [{ media_id: file?.media_id }] });
  expect((await find(file?.media_id ?? 0))?.campaigns.map(({ name }) => name)).toEqual(['Again', 'Fair']);
});

test('an upload stays for 90 days without a campaign, from its last use, and while a campaign or a draft has it', async () => {
  const drop = () => dropUnusedMedia(app.database.db, 0);
  const [unused, inDraft, planned] = [await put(), await put(), await put()];
  const draft_id = randomUUID();
  await alice.call('venom/save-draft', { draft_id, version: 0, media: [{ media_id: inDraft }] });
  const campaign_id = await plan({ media: [{ media_id: planned }] });
  await app.database.clock.advance({ days: 90 });
  const again = await app.signIn('alice');
  await drop();
  const there = async () => {
    const { files } = await list({ limit: 100 }, again);
    return [unused, inDraft, planned].map((id) => files.some((file) => file.media_id === id));
  };
  expect(await there()).toEqual([true, true, true]);
  await app.database.clock.advance({ days: 2 });
  await drop();
  expect(await there()).toEqual([false, true, true]);
  await again.call('venom/cancel-campaign', { campaign_id });
  await again.call('venom/delete-draft', { draft_id });
  await drop();
  expect(await there()).toEqual([false, false, true]);
  await app.database.clock.advance({ days: 92 });
  await drop();
  expect(await there()).toEqual([false, false, false]);
});

test('files of posts that were sent can be deleted, and then the posts are not tried again', async () => {
  const person = await app.signIn('alice');
  const id = await put('Sent.mp4', person);
  alice = person;
  const campaign_id = await send({ media: [{ media_id: id }] });
  await untilCompleted(person.call, campaign_id);
  expect(await remove(id)).toBe(200);
  expect((await person.call('venom/retry-campaign', { campaign_id })).status).toBe(409);
});
