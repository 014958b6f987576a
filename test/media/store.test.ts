import { afterAll, beforeAll, expect, test } from 'vitest';
import { acceptMedia } from '../../src/media/accept-media.ts';
import { loadMedia, saveMedia } from '../../src/media/store.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createOwner } from '../support/ledger.ts';
import { GIF, JPEG, PNG } from '../support/sample-files.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const accept = (bytes: Buffer) => acceptMedia('image', bytes.toString('base64'));

async function rowsOf(userId: number): Promise<number> {
  const { db } = database;
  const rows = await db.selectFrom('media').select('media_id').where('user_id', '=', userId).execute();
  return rows.length;
}

test('a file is kept once for its owner, however many save it at the same time', async () => {
  const { userId } = await createOwner(database.db, 0);
  const media = await accept(PNG);
  const saves = Array.from({ length: 20 }, () => saveMedia(database.db, userId, media));
  const ids = await Promise.all(saves);
  expect(new Set(ids).size).toBe(1);
  expect(await saveMedia(database.db, userId, media)).toBe(ids[0]);
  expect(await rowsOf(userId)).toBe(1);
});

test('a transaction that saves what another one is just saving waits for it, and finds its file', async () => {
  const { userId } = await createOwner(database.db, 0);
  const media = await accept(GIF);
  let second: Promise<number> | undefined;
  const first = await database.db.transaction().execute(async (trx) => {
    const id = await saveMedia(trx, userId, media);
    second = database.db.transaction().execute((other) => saveMedia(other, userId, media));
    return id;
  });
  expect(await second).toBe(first);
  expect(await rowsOf(userId)).toBe(1);
});

test('what a transaction saved and did not commit is not there', async () => {
  const { userId } = await createOwner(database.db, 0);
  const media = await accept(JPEG);
  const failing = database.db.transaction().execute(async (trx) => {
    await saveMedia(trx, userId, media);
    throw new Error('on purpose');
  });
  await expect(failing).rejects.toThrow('on purpose');
  expect(await rowsOf(userId)).toBe(0);
});

test('two owners of the same file have one each, and other bytes are another file', async () => {
  const alice = await createOwner(database.db, 0);
  const bob = await createOwner(database.db, 0);
  const [png, jpeg] = [await accept(PNG), await accept(JPEG)];
  const ids = [
    await saveMedia(database.db, alice.userId, png),
    await saveMedia(database.db, bob.userId, png),
    await saveMedia(database.db, alice.userId, jpeg),
  ];
  expect(new Set(ids).size).toBe(3);
  expect([await rowsOf(alice.userId), await rowsOf(bob.userId)]).toEqual([2, 1]);
});

test('what is loaded is what was saved', async () => {
  const { userId } = await createOwner(database.db, 0);
  const media = await accept(Buffer.concat([PNG, Buffer.alloc(3_000_000, 'any bytes \0\xff')]));
  const { mime, size, sha256, bytes } = await loadMedia(database.db, await saveMedia(database.db, userId, media));
  expect({ mime, size }).toEqual({ mime: 'image/png', size: media.bytes.length });
  expect(bytes.equals(media.bytes)).toBe(true);
  expect(sha256.equals(media.sha256)).toBe(true);
});

test('a file that is not there is not found', async () => {
  await expect(loadMedia(database.db, 2 ** 40)).rejects.toMatchObject({ kind: 'not_found' });
});
