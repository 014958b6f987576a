/** Pictures are decoded in fair turns, and within 25 megapixels. */
import { expect, test } from 'vitest';
import { useTestApp } from '../../support/app.ts';
import { floodDecoding, LARGEST_PICTURE, saveCard } from '../../support/flood-decoding.ts';
import { drawBlack } from '../../support/inputs/draw-png.ts';
import { film } from '../../support/inputs/films.ts';
import { upload } from '../../support/upload.ts';

const tooLarge = drawBlack(10_000, 10_000).toString('base64');

const app = await useTestApp({ sandboxSpeed: 0 });
const alice = await app.signUp('alice');
const bob = await app.signUp('bob');

test('a picture of more than 25 megapixels is refused with the limit, as a card, a still and of a channel, and nothing is decoded', async () => {
  const before = process.cpuUsage();
  const card = await saveCard(bob, tooLarge);
  expect([card.status, card.body.message]).toEqual([400, 'link_preview.image has more than 25 megapixels']);
  expect(card.body.details).toMatchObject([{ code: 'too_many_pixels', params: { limit: 25 } }]);
  const { media_id } = (await upload(app.url, bob.token, film({ bytes: 2_000 }), { name: 'Film.mp4' })).body.data;
  const still = await bob.call('media/set-still', { media_id, still: tooLarge });
  expect([still.status, still.body.message]).toEqual([400, 'still has more than 25 megapixels']);
  const channel = await bob.call('venom/create-channel', {
    name: 'Choir',
    description: '',
    image: `data:image/png;base64,${tooLarge}`,
  });
  expect([channel.status, channel.body.message]).toEqual([400, 'image has more than 25 megapixels']);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(400);
});

test('a card picture waits for one of another user’s at most, however many those are', async () => {
  const { answers, countDone } = await floodDecoding(alice);
  const before = countDone();
  expect((await saveCard(bob, LARGEST_PICTURE)).status).toBe(200);
  // One decoded at the same time, and some whose answers were under way.
  expect(countDone() - before).toBeLessThanOrEqual(5);
  await answers;
});

test('a new draft beyond the limit of drafts is refused before its picture is decoded', async () => {
  const carol = await app.signUp('carol');
  for (let index = 0; index < 100; index++)
    await carol.call('venom/save-draft', { draft_id: crypto.randomUUID(), version: 0, name: `${index}` });
  expect((await saveCard(carol, tooLarge)).body).toMatchObject({ code: 409, error_code: 'draft_limit_reached' });
});
