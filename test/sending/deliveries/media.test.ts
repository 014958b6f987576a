import { afterAll, beforeAll, expect, test } from 'vitest';
import { addCampaign } from '../../../src/sending/campaigns/accept/add-campaign.ts';
import type { Post } from '../../../src/messengers/messenger.ts';
import type { Worker } from '../../../src/app/worker.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { convert, createOwner, startTestWorker, until } from '../../support/ledger.ts';
import { JPEG, PNG, TAKEN } from '../../support/inputs/sample-files.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';

const posts: Post[] = [];
let database: TestDatabase;
let worker: Worker;
beforeAll(async () => {
  database = await createTestDatabase();
  const messenger = scriptMessenger();
  messenger.answer = (_to, post) => void posts.push(post);
  worker = await startTestWorker(database, messenger);
});
afterAll(async () => {
  await worker.stop();
  await database.drop();
});

/** The media of a campaign as it arrives at the messenger. */
async function arrive(name: string, bytes: Buffer): Promise<NonNullable<Post['media']>> {
  const owner = await createOwner(database.db, 1);
  const [image, scheduleTime] = [bytes.toString('base64'), null];
  const post = { name, description: '', html: name, image, isChannelCampaign: false, scheduleTime };
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
  const media = await arrive('Spring fair', bytes);
  expect(media).toMatchObject({ mime, size: bytes.length, fileName: `Spring fair.${extension}` });
  expect((await media.load()).equals(bytes)).toBe(true);
});

test.each([
  ['Frühling 2026 – Märkte', 'Frühling 2026 Märkte.jpg'],
  ['../../etc/passwd', 'etc passwd.jpg'],
  ['a<b>:"c"|d?*\\e/f', 'a b c d e f.jpg'],
  ['हिन्दी का मेला', 'हिन्दी का मेला.jpg'],
  ['.hidden.', 'hidden.jpg'],
  ['🎉', 'file.jpg'],
  ['x\u202egpj.exe', 'x gpj.exe.jpg'],
])('the campaign %j sends a file named %s', async (name, fileName) => {
  expect((await arrive(name, JPEG)).fileName).toBe(fileName);
});

test('sends a huge picture unchanged, without decoding it', async () => {
  const bomb = Buffer.from(PNG);
  bomb.writeUInt32BE(60_000, 16);
  bomb.writeUInt32BE(60_000, 20);
  const media = await arrive('Bomb', bomb);
  expect(media).toMatchObject({ mime: 'image/png', size: bomb.length });
});
