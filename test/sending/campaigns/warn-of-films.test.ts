/** Films that some phones cannot play are sent, and named. */
import { expect, test } from 'vitest';
import { groupsOf, useTestApp } from '../../support/app.ts';
import { film } from '../../support/inputs/films.ts';
import { upload } from '../../support/upload.ts';

const app = await useTestApp({ sandboxSpeed: 0 });
const alice = await app.signUp('alice');
const groups = await groupsOf(alice);

async function warningsOf(more: object) {
  const post = { name: 'Film', html: 'Look', group_metadata_ids: groups.slice(0, 1), ...more };
  const checked = await alice.call<{ warnings: Array<{ code: string; params?: { names?: string } }> }>(
    'venom/check-campaign',
    post,
  );
  const sent = await alice.call('venom/add-campaign', post);
  const found = checked.body.data.warnings.filter(({ code }) => code === 'film_may_not_play');
  return [
    sent.status,
    sent.headers.get('x-campanile-warnings')?.includes('H.264') ?? false,
    found.map(({ params }) => params?.names),
  ];
}

test('a MOV is named, from the library and in base64', async () => {
  const bytes = film({ brand: 'qt  ' });
  expect(await warningsOf({ image: bytes.toString('base64') })).toEqual([200, true, ['MOV']]);
  const { media_id } = (await upload(app.url, alice.token, bytes)).body.data;
  expect(await warningsOf({ media: [{ media_id }] })).toEqual([200, true, ['MOV']]);
});

test('an MP4 is not', async () => {
  expect(await warningsOf({ image: film().toString('base64') })).toEqual([200, false, []]);
});
