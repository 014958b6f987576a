/** Stills of films, which browsers and programs make (contract §4, files). */
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { useTestApp } from '../../support/app.ts';
import { film } from '../../support/inputs/films.ts';
import { drawPlain } from '../../support/inputs/pictures.ts';
import { PNG } from '../../support/inputs/sample-files.ts';
import { upload } from '../../support/upload.ts';

interface File {
  media_id: number;
  sha256: string;
  has_still: boolean;
}

let made = 0;
const app = await useTestApp({ sandboxSpeed: 0 });
const alice = await app.signUp('alice');

async function put(bytes = film({ bytes: 2_000 + ++made })): Promise<File> {
  return (await upload(app.url, alice.token, bytes, { name: 'Trailer.mp4' })).body.data;
}
const set = (media_id: number, still?: string, by = alice) => by.call<File>('media/set-still', { media_id, still });
const download = (sha256: string, by = alice) =>
  fetch(`${app.url}/api/v1/venom/get-media`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${by.token}` },
    body: JSON.stringify({ sha256, still: true }),
  });

test('a film has the still that it was given, as a small JPEG, also in the posts that have it', async () => {
  const { media_id, sha256, has_still } = await put();
  expect(has_still).toBe(false);
  expect((await download(sha256)).status).toBe(404);
  const still = `data:image/png;base64,${(await drawPlain(1_280, 720, 'png')).toString('base64')}`;
  expect((await set(media_id, still)).body.data).toMatchObject({ media_id, has_still: true });
  const answer = await download(sha256);
  expect(answer.headers.get('content-type')).toBe('image/jpeg');
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 320, height: 180 });
  expect(bytes.length).toBeLessThan(20_000);
  const { body: groups } = await alice.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  const group_metadata_ids = groups.data.groups.map((group) => group.group_metadata_id);
  const post = { name: 'Fair', html: '', media: [{ media_id }], group_metadata_ids };
  const { campaign_id } = (await alice.call<{ campaign_id: string }>('venom/add-campaign', post)).body.data;
  const { body } = await alice.call<{ files: File[] }>('venom/get-campaign', { campaign_id });
  expect(body.data.files).toMatchObject([{ media_id, has_still: true }]);
  expect((await set(media_id)).body.data).toMatchObject({ has_still: false });
  expect((await download(sha256)).status).toBe(404);
});

test('only a film of the workspace has a still, and only a picture is one', async () => {
  const { media_id, sha256 } = await put();
  const picture = await put(await drawPlain(50, 40 + ++made, 'png'));
  const still = PNG.toString('base64');
  const details = async (...asked: Parameters<typeof set>) => {
    const { status, body } = await set(...asked);
    return [status, ...(body.details ?? []).map(({ field, issue }) => `${field} ${issue}`)];
  };
  expect(await details(picture.media_id, still)).toEqual([400, 'media_id is not the id of a film']);
  expect(await details(media_id, Buffer.from('%PDF-1.7').toString('base64'))).toEqual([400, 'still is not a picture']);
  expect(await details(media_id, PNG.subarray(0, 40).toString('base64'))).toEqual([
    400,
    'still is a picture that is cut off or damaged',
  ]);
  expect(await details(media_id, 'A'.repeat(140_000))).toEqual([400, 'still must be at most 136600 characters']);
  expect((await set(media_id, still)).status).toBe(200);
  const bob = await app.signUp('bob');
  expect((await set(media_id, still, bob)).status).toBe(404);
  expect((await download(sha256, bob)).status).toBe(404);
});

test('the still goes with its film', async () => {
  const { media_id, sha256 } = await put();
  await set(media_id, PNG.toString('base64'));
  expect((await alice.call('media/delete-media', { media_id })).status).toBe(200);
  expect((await download(sha256)).status).toBe(404);
  expect((await set(media_id, PNG.toString('base64'))).status).toBe(404);
});
