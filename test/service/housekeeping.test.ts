/** Retention: old receipts and files are deleted in batches; their counts stay. */
import { execute, readCount, readRows, sql } from '../../src/platform/database/statements.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { retryCampaign } from '../../src/sending/campaigns/change/retry-campaign.ts';
import { startHousekeeping } from '../../src/operations/housekeeping.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { acceptMedia } from '../../src/content/media/accept-media.ts';
import { dropUnusedMedia } from '../../src/content/media/drop-unused.ts';
import { loadMedia, saveMedia } from '../../src/content/media/store.ts';
import type { MemberEvent } from '../../src/messengers/messenger.ts';
import { foldReceipts } from '../../src/sending/receipts/fold-receipts.ts';
import { recordReceipts } from '../../src/sending/receipts/record-receipts.ts';
import { useTestDatabase } from '../support/database.ts';
import { countBlocked } from '../support/count-blocked.ts';
import {
  analyticsOf,
  analyticsWhen,
  createOwner,
  sendNow,
  startTestWorker,
  until,
  type Owner,
} from '../support/ledger.ts';
import { PNG } from '../support/inputs/sample-files.ts';
import { scriptMessenger } from '../support/scripted-messenger.ts';

const log = createLog('fatal');
const database = await useTestDatabase();
const worker = await startTestWorker(database, scriptMessenger());
afterAll(() => worker.stop());

async function countOf(table: 'receipts' | 'media', { workspaceId }: Owner): Promise<number> {
  return readCount(database.db)`
    select count(*)::int as count from ${sql.table(table)} where workspace_id = ${workspaceId}`;
}

describe('receipts', () => {
  /** Sends a campaign and records a read receipt of `people` people for each delivery. */
  async function readBy(owner: Owner, people: number): Promise<{ campaign: string; events: MemberEvent[] }> {
    const campaign = await sendNow(database.db, owner);
    await analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.queued === 0);
    const rows = await readRows<{ message_id: string }>(database.db)`
      select d.message_id from deliveries d join runs r on r.workspace_id = d.workspace_id and r.run_id = d.run_id
      join campaigns c on c.campaign_id = r.campaign_id where c.public_id = ${campaign}::uuid`;
    const events = rows.flatMap((row) =>
      Array.from({ length: people }, (_, index): MemberEvent => ({
        kind: 'read',
        accountId: owner.accountId,
        messageId: row.message_id,
        participant: `person ${index}`,
        at: new Date('2031-01-01T10:00:30Z'),
      })),
    );
    await recordReceipts(database.db, events);
    return { campaign, events };
  }

  const foldAll = () => until(() => foldReceipts(database.db), false);

  test('are deleted 90 days after the end of their run, keep their counts, and late copies change nothing', async () => {
    const owner = await createOwner(database.db, 3);
    const { campaign, events } = await readBy(owner, 4);
    const before = await analyticsOf(database.db, owner, campaign);
    expect(before.totals).toMatchObject({ delivered: 12, read: 12 });
    await database.clock.advance({ days: 89 });
    await foldAll();
    expect(await countOf('receipts', owner)).toBe(12);
    await database.clock.advance({ days: 1, minutes: 1 });
    await foldAll();
    expect(await countOf('receipts', owner)).toBe(0);
    await recordReceipts(database.db, events);
    expect(await countOf('receipts', owner)).toBe(0);
    expect(await analyticsOf(database.db, owner, campaign)).toEqual(before);
  });

  test('of younger runs are still counted', async () => {
    const owner = await createOwner(database.db, 2);
    const old = await readBy(owner, 3);
    await database.clock.advance({ days: 91 });
    const young = await readBy(owner, 2);
    await foldAll();
    expect(await countOf('receipts', owner)).toBe(4);
    const late = young.events.map((event): MemberEvent => Object.assign({}, event, { participant: 'somebody new' }));
    await recordReceipts(database.db, [...late, ...young.events, ...old.events]);
    expect((await analyticsOf(database.db, owner, young.campaign)).totals.read).toBe(6);
    expect((await analyticsOf(database.db, owner, old.campaign)).totals.read).toBe(6);
  });

  test('of a run retried after that are deleted 90 days after its new end', async () => {
    const owner = await createOwner(database.db, 2);
    const { campaign, events } = await readBy(owner, 3);
    await execute(database.db)`
      with failed as (
        update deliveries set status = 'failed', sent_at = null where workspace_id = ${owner.workspaceId} and position = 2
      )
      update runs set sent = 1, failed = 1, status = 'completed_with_errors' where workspace_id = ${owner.workspaceId}`;
    await execute(database.db)`
      update campaigns set status = 'completed_with_errors' where workspace_id = ${owner.workspaceId}`;
    await database.clock.advance({ days: 91 });
    await foldAll();
    await retryCampaign(database, owner, campaign);
    await analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.sent === 2);
    const late = events.map((event): MemberEvent => Object.assign({}, event, { participant: 'somebody new' }));
    await recordReceipts(database.db, late);
    // Only receipts of the retried delivery count: what was counted for the other is no longer known.
    expect(await countOf('receipts', owner)).toBe(1);
    const before = await analyticsOf(database.db, owner, campaign);
    await database.clock.advance({ days: 91 });
    await foldAll();
    expect(await countOf('receipts', owner)).toBe(0);
    await recordReceipts(database.db, late);
    expect(await analyticsOf(database.db, owner, campaign)).toEqual(before);
  });

  test('are deleted in batches of 5,000 without holding a lane lock', async () => {
    const owner = await createOwner(database.db, 1);
    await readBy(owner, 12_000);
    await database.clock.advance({ days: 91 });
    const left: number[] = [];
    await until(async () => {
      const more = await foldReceipts(database.db);
      const rows = await readRows(database.db)`
          select from lanes where account_id = ${owner.accountId} for update nowait`;
      expect(rows).toHaveLength(1);
      left.push(await countOf('receipts', owner));
      return more;
    }, false);
    expect([...new Set(left)]).toEqual([12_000, 7_000, 2_000, 0]);
  });

  test('are deleted once by concurrent workers', async () => {
    const owner = await createOwner(database.db, 2);
    await readBy(owner, 3_000);
    await database.clock.advance({ days: 91 });
    await Promise.all([foldAll(), foldAll(), foldAll()]);
    expect(await countOf('receipts', owner)).toBe(0);
    const rows = await readRows(database.db)`
      select from runs where workspace_id = ${owner.workspaceId} and not receipts_dropped`;
    expect(rows).toHaveLength(0);
  });
});

describe('a file', () => {
  const save = async (owner: Owner) =>
    saveMedia(database.db, owner.workspaceId, await acceptMedia('image', PNG.toString('base64')));
  const dropAll = () => dropUnusedMedia(database.db, 0);
  /** Attaches the file to a campaign. */
  async function give(owner: Owner, mediaId: number): Promise<void> {
    await sendNow(database.db, owner);
    await execute(database.db)`
      update contents t set media_id = ${mediaId} from campaigns c
      where c.workspace_id = ${owner.workspaceId} and t.campaign_id = c.campaign_id`;
  }

  test('that no campaign uses is deleted a day after its last use', async () => {
    const owner = await createOwner(database.db, 1);
    const id = await save(owner);
    await database.clock.advance({ hours: 20 });
    expect(await save(owner)).toBe(id);
    await database.clock.advance({ hours: 20 });
    await dropAll();
    expect(await countOf('media', owner)).toBe(1);
    await database.clock.advance({ hours: 5 });
    await dropAll();
    expect(await countOf('media', owner)).toBe(0);
    expect(await save(owner)).not.toBe(id);
  });

  test('that never arrived as a whole, because its process ended, is deleted with its pieces a day later', async () => {
    const owner = await createOwner(database.db, 1);
    await execute(database.db)`
      with begun as (
        insert into media (workspace_id, sha256, mime, size) values (${owner.workspaceId}, ${Buffer.alloc(32, 1)}, '', 0)
        returning media_id
      )
      insert into media_pieces (media_id, position, bytes) select media_id, 0, ${PNG} from begun`;
    const countPieces = async () => (await readRows(database.db)`select from media_pieces`).length;
    await database.clock.advance({ hours: 23 });
    await dropAll();
    expect([await countOf('media', owner), await countPieces()]).toEqual([1, 1]);
    await database.clock.advance({ hours: 2 });
    await dropAll();
    expect([await countOf('media', owner), await countPieces()]).toEqual([0, 0]);
  });

  test('stays as long as a campaign uses it', async () => {
    const owner = await createOwner(database.db, 1);
    await give(owner, await save(owner));
    await database.clock.advance({ days: 400 });
    await dropAll();
    expect(await countOf('media', owner)).toBe(1);
  });

  test('loses its bytes 90 days after its last campaign ended, keeps its record, and can be uploaded again', async () => {
    const owner = await createOwner(database.db, 1);
    const id = await save(owner);
    await give(owner, id);
    await give(owner, id);
    const stored = async () => {
      const rows = await readRows<{ stored: number; size: number; isKept: boolean }>(database.db)`
        select w.stored_bytes as stored, m.size, m.bytes is not null as "isKept"
        from workspaces w join media m using (workspace_id) where workspace_id = ${owner.workspaceId}`;
      return rows;
    };
    // The campaigns end before the clock moves, because their end is taken from it.
    await until(
      async () =>
        (
          await readRows(database.db)`
            select from campaigns where workspace_id = ${owner.workspaceId} and finished_at is null`
        ).length,
      0,
    );
    const endLast = (at: 'null' | 'campanile_now()') =>
      execute(database.db)`update campaigns set finished_at = ${sql.raw(at)} where campaign_id = (
            select max(campaign_id) from campaigns where workspace_id = ${owner.workspaceId})`;
    await endLast('null');
    await database.clock.advance({ days: 400 });
    await dropAll();
    const kept = { stored: PNG.length, size: PNG.length, isKept: true };
    expect(await stored()).toEqual([kept]);
    await endLast('campanile_now()');
    await database.clock.advance({ days: 90 });
    await dropAll();
    expect(await stored()).toEqual([kept]);
    await database.clock.advance({ days: 1 });
    await dropAll();
    expect(await stored()).toEqual([{ stored: 0, size: PNG.length, isKept: false }]);
    await expect(loadMedia(database.db, id)).rejects.toMatchObject({ kind: 'not_found' });
    expect(await save(owner)).toBe(id);
    expect(await stored()).toEqual([kept]);
    expect((await loadMedia(database.db, id)).bytes.equals(PNG)).toBe(true);
  });

  test('that is used again during its deletion stays', async () => {
    const owner = await createOwner(database.db, 1);
    await save(owner);
    await database.clock.advance({ days: 2 });
    let dropping: Promise<unknown> = Promise.resolve();
    await database.db.transaction().execute(async (trx) => {
      await saveMedia(trx, owner.workspaceId, await acceptMedia('image', PNG.toString('base64')));
      dropping = dropAll();
      await until(
        () => countBlocked(database.db),
        (waiting) => waiting > 0,
      );
    });
    await dropping;
    expect(await countOf('media', owner)).toBe(1);
  });
});

test('housekeeping runs periodically until it is stopped', async () => {
  const owner = await createOwner(database.db, 1);
  const house = startHousekeeping({ db: database.db, log, everyMs: 20 });
  await saveMedia(database.db, owner.workspaceId, await acceptMedia('image', PNG.toString('base64')));
  await database.clock.advance({ days: 2 });
  expect(await until(() => countOf('media', owner), 0)).toBe(0);
  await house.stop();
});
