import { expect, test } from 'vitest';
import { dropUnusedMedia } from '../../../src/content/media/drop-unused.ts';
import { useTestApp } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';
import { PNG } from '../../support/inputs/sample-files.ts';

const app = await useTestApp({ sandboxSpeed: 0, mediaDays: 30 });

interface Campaign {
  campaign_id: string;
  status: string;
  image: string | null;
  media: { mime: string; size: number; sha256: string } | null;
}

test('keeps the metadata of a file that is no longer kept, duplicates its campaign without it, and rejects a retry', async () => {
  const person = await app.signUp('alice');
  const ask = async (operation: string, body: object) =>
    (await person.call<Campaign>(`venom/${operation}`, body)).body.data;
  const groups = (await person.call<{ groups: { group_metadata_id: number }[] }>('venom/list-groups')).body.data.groups;
  const image = PNG.toString('base64');
  const post = {
    name: 'Fair',
    html: 'Fair',
    image,
    group_metadata_ids: groups.map((group) => group.group_metadata_id),
  };
  const { campaign_id } = await ask('add-campaign', post);
  const sent = await until(
    () => ask('get-campaign', { campaign_id }),
    ({ status }) => status === 'completed',
  );
  const retry = async () => (await person.call('venom/retry-campaign', { campaign_id })).body;
  await app.database.clock.advance({ days: 30 });
  await dropUnusedMedia(app.database.db, 0, 30);
  expect(await retry()).toMatchObject({
    code: 409,
    message: expect.stringContaining('the campaign ended over 30 days ago, so that its files are no longer kept'),
  });
  // A file that was just used stays for a day.
  expect((await ask('duplicate-campaign', { campaign_id })).image).toBe(`data:image/png;base64,${image}`);
  await app.database.clock.advance({ days: 1 });
  await dropUnusedMedia(app.database.db, 0, 30);
  expect((await ask('duplicate-campaign', { campaign_id })).image).toBeNull();
  expect((await ask('get-campaign', { campaign_id })).media).toEqual(sent.media);
  expect((await person.call('venom/get-media', { sha256: sent.media?.sha256 })).status).toBe(404);
  // The same file can be sent again.
  expect((await ask('add-campaign', post)).campaign_id).toBeDefined();
  expect((await ask('duplicate-campaign', { campaign_id })).image).not.toBeNull();
});
