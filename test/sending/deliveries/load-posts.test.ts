import { readRows } from '../../../src/platform/database/statements.ts';
import { expect, test } from 'vitest';
import { loadPosts } from '../../../src/sending/deliveries/load-posts.ts';
import { useTestDatabase } from '../../support/database.ts';
import { createOwner, sendNow } from '../../support/ledger.ts';

const database = await useTestDatabase();
const { db } = database;

const FILES = 5;

test('loads more files at the same time than the cache holds', async () => {
  const contentIds = await insertContents();
  const posts = loadPosts(db);
  const loaded = await Promise.all(
    contentIds.map(async (contentId) => (await (await posts.get(contentId)).post.media?.load())?.toString()),
  );
  expect(loaded).toEqual(contentIds.map((_, index) => `file ${index + 1}`));
});

test('fails for each caller of a deleted content', async () => {
  const posts = loadPosts(db);
  const asked = [posts.get(999), posts.get(999)];
  for (const one of asked) await expect(one).rejects.toThrow('there is no content 999');
});

/** The contents of campaigns, each with another file. */
async function insertContents(): Promise<number[]> {
  const owner = await createOwner(db, 1);
  for (let n = 0; n < FILES; n++) await sendNow(db, owner);
  const rows = await readRows<{ contentId: number }>(db)`
    with numbered as (
      select content_id, row_number() over (order by content_id) as n from contents
    ), files as (
      insert into media (workspace_id, sha256, mime, size, bytes)
      select ${owner.workspaceId}, sha256(('file ' || n)::bytea), 'image/png', length('file ' || n), ('file ' || n)::bytea
      from numbered returning media_id, sha256
    )
    update contents c set media_id = f.media_id
    from numbered join files f on f.sha256 = sha256(('file ' || n)::bytea)
    where c.content_id = numbered.content_id
    returning c.content_id as "contentId"`;
  return rows.map(({ contentId }) => contentId).toSorted((one, other) => one - other);
}
