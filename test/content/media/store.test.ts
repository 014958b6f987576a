import { expect, test } from 'vitest';
import type { WorkspaceId } from '../../../src/platform/database/schema.ts';
import { acceptMedia } from '../../../src/content/media/accept-media.ts';
import { loadMedia, saveMedia } from '../../../src/content/media/store.ts';
import { useTestDatabase } from '../../support/database.ts';
import { createOwner } from '../../support/ledger.ts';
import { GIF, JPEG, PNG } from '../../support/inputs/sample-files.ts';

const database = await useTestDatabase();

const accept = (bytes: Buffer) => acceptMedia('image', bytes.toString('base64'));

async function rowsOf(workspaceId: WorkspaceId): Promise<number> {
  const { db } = database;
  const rows = await db.selectFrom('media').select('media_id').where('workspace_id', '=', workspaceId).execute();
  return rows.length;
}

test('stores a file once for its owner, also when it is saved many times at once', async () => {
  const { workspaceId } = await createOwner(database.db, 0);
  const media = await accept(PNG);
  const saves = Array.from({ length: 20 }, () => saveMedia(database.db, workspaceId, media));
  const ids = await Promise.all(saves);
  expect(new Set(ids).size).toBe(1);
  expect(await saveMedia(database.db, workspaceId, media)).toBe(ids[0]);
  expect(await rowsOf(workspaceId)).toBe(1);
});

test('waits for a transaction that saves the same file, and returns its id', async () => {
  const { workspaceId } = await createOwner(database.db, 0);
  const media = await accept(GIF);
  let second: Promise<number> | undefined;
  const first = await database.db.transaction().execute(async (trx) => {
    const id = await saveMedia(trx, workspaceId, media);
    second = database.db.transaction().execute((other) => saveMedia(other, workspaceId, media));
    return id;
  });
  expect(await second).toBe(first);
  expect(await rowsOf(workspaceId)).toBe(1);
});

test('stores nothing of a transaction that is rolled back', async () => {
  const { workspaceId } = await createOwner(database.db, 0);
  const media = await accept(JPEG);
  const failing = database.db.transaction().execute(async (trx) => {
    await saveMedia(trx, workspaceId, media);
    throw new Error('on purpose');
  });
  await expect(failing).rejects.toThrow('on purpose');
  expect(await rowsOf(workspaceId)).toBe(0);
});

test('stores a file for each owner, and different bytes as different files', async () => {
  const alice = await createOwner(database.db, 0);
  const bob = await createOwner(database.db, 0);
  const [png, jpeg] = [await accept(PNG), await accept(JPEG)];
  const ids = [
    await saveMedia(database.db, alice.workspaceId, png),
    await saveMedia(database.db, bob.workspaceId, png),
    await saveMedia(database.db, alice.workspaceId, jpeg),
  ];
  expect(new Set(ids).size).toBe(3);
  expect([await rowsOf(alice.workspaceId), await rowsOf(bob.workspaceId)]).toEqual([2, 1]);
});

test('loads the bytes that were saved', async () => {
  const { workspaceId } = await createOwner(database.db, 0);
  const media = await accept(Buffer.concat([PNG, Buffer.alloc(3_000_000, 'any bytes \0\xff')]));
  const { mime, size, sha256, bytes } = await loadMedia(database.db, await saveMedia(database.db, workspaceId, media));
  expect({ mime, size }).toEqual({ mime: 'image/png', size: media.bytes.length });
  expect(bytes.equals(media.bytes)).toBe(true);
  expect(sha256.equals(media.sha256)).toBe(true);
});

test('throws not_found for an unknown file', async () => {
  await expect(loadMedia(database.db, 2 ** 40)).rejects.toMatchObject({ kind: 'not_found' });
});
