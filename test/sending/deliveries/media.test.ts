import { afterAll, expect, test } from 'vitest';
import { addCampaign } from '../../../src/sending/campaigns/accept/add-campaign.ts';
import type { PostExtras } from '../../../src/content/post/post-extras.ts';
import type { Post } from '../../../src/messengers/messenger.ts';
import { useTestDatabase } from '../../support/database.ts';
import { convert, createOwner, startTestWorker, until } from '../../support/ledger.ts';
import { JPEG, PNG, TAKEN } from '../../support/inputs/sample-files.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';

const posts: Post[] = [];
const database = await useTestDatabase();
const messenger = scriptMessenger();
messenger.answer = (_to, post) => void posts.push(post);
const worker = await startTestWorker(database, messenger);
afterAll(() => worker.stop());

/** Sends the file and returns it as it arrives at the messenger. */
async function arrive(bytes: Buffer, extras?: PostExtras): Promise<NonNullable<Post['media']>> {
  const owner = await createOwner(database.db, 1);
  const [image, scheduleTime] = [bytes.toString('base64'), null];
  const post = {
    name: 'Secret',
    description: '',
    html: 'Hello',
    image,
    extras,
    isChannelCampaign: false,
    scheduleTime,
  };
  const before = posts.length;
  await addCampaign({ db: database.db, convert }, owner, { ...post, groupIds: owner.groupIds });
  await until(
    () => posts.length,
    (count) => count > before,
  );
  const media = posts[before]?.media;
  if (!media) throw new Error('it arrived without media');
  return media;
}

test.each(TAKEN)('%s leaves with its type', async (_name, bytes, mime, _kind, extension) => {
  const media = await arrive(bytes, { fileName: 'Spring fair' });
  expect(media).toMatchObject({ mime, size: bytes.length, fileName: `Spring fair.${extension}` });
  expect((await media.load()).equals(bytes)).toBe(true);
});

test.each([
  ['Frühling 2026 – Märkte', 'Frühling 2026 – Märkte.jpg'],
  ['../../etc/passwd', 'etc passwd.jpg'],
  ['a<b>:"c"|d?*\\e/f', 'a b c d e f.jpg'],
  ['हिन्दी का मेला', 'हिन्दी का मेला.jpg'],
  ['.hidden.', 'hidden.jpg'],
  ['🎉', '🎉.jpg'],
  ['x\u202egpj.exe', 'x gpj.exe.jpg'],
])('a file named %j arrives as %s', async (name, fileName) => {
  expect((await arrive(JPEG, { fileName: name })).fileName).toBe(fileName);
});

test('a file without a name does not show the name of its campaign', async () => {
  expect((await arrive(JPEG)).fileName).toBe('file.jpg');
});

test('sends a huge picture unchanged, without decoding it', async () => {
  const bomb = Buffer.from(PNG);
  bomb.writeUInt32BE(60_000, 16);
  bomb.writeUInt32BE(60_000, 20);
  const media = await arrive(bomb);
  expect(media).toMatchObject({ mime: 'image/png', size: bomb.length });
});
