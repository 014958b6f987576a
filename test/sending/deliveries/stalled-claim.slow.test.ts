/** A claim that commits in the server after its worker has timed out: the turn is orphaned, and must be requeued. */
import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recallCampaign } from '../../../src/sending/campaigns/change/recall-campaign.ts';
import { sleep } from '../../../src/platform/time/time.ts';
import type { Worker } from '../../../src/app/worker.ts';
import { useTestDatabase } from '../../support/database.ts';
import { analyticsWhen, createOwner, sendNow, startTestWorker, until, type Owner } from '../../support/ledger.ts';
import { scriptMessenger, type ScriptedMessenger } from '../../support/scripted-messenger.ts';

/** Longer than a statement is waited for. */
const STALL_MS = 13_000;
const GAP = { minMs: 20, maxMs: 20 };

let messenger: ScriptedMessenger;
let worker: Worker;
const database = await useTestDatabase();
beforeEach(async () => {
  messenger = scriptMessenger();
  worker = await startTestWorker(database, messenger, { gap: GAP });
});
afterEach(() => worker.stop());

/** Puts a turn into the lane's hand, as the worker's own claim does, without telling it. */
async function loseClaim(owner: Owner, positions: string): Promise<void> {
  await execute(database.db)`
    update lanes l set turn = l.turn + 1, work_at = null, in_hand = ${positions}::int4multirange,
           in_hand_run_id = (select max(run_id) from runs where workspace_id = l.workspace_id)
    where account_id = ${owner.accountId}`;
}

test('resumes a campaign as soon as a stalled database answers', async () => {
  const owner = await createOwner(database.db, 40);
  const campaign = await sendNow(database.db, owner);
  await until(
    () => messenger.arrivals.length,
    (count) => count >= 3,
  );
  await database.db.transaction().execute(async (trx) => {
    await execute(trx)`lock table deliveries in access exclusive mode`;
    for (const endMs = performance.now() + STALL_MS; performance.now() < endMs; await sleep(1_000))
      await execute(trx)`select 1`;
  });
  const { totals } = await analyticsWhen(database.db, owner, campaign, (found) => found.totals.queued === 0);
  expect(totals).toMatchObject({ sent: 40, failed: 0 });
  expect(new Set(messenger.arrivals.map(({ messageId }) => messageId)).size, 'each once').toBe(40);
  expect(messenger.arrivals).toHaveLength(40);
  expect(messenger.arrivals.filter(({ uncertain }) => uncertain)).toEqual([]);
});

test('requeues an orphaned turn without an error and not as uncertain', async () => {
  const owner = await createOwner(database.db, 3);
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  messenger.answer = async () => {
    asked.resolve();
    await gate.promise;
    return { kind: 'sent', recipients: 2 };
  };
  const campaign = await sendNow(database.db, owner);
  await asked.promise;
  await loseClaim(owner, '{[2,3)}');
  gate.resolve();
  const { totals } = await analyticsWhen(database.db, owner, campaign, (found) => found.totals.queued === 0);
  expect(totals).toMatchObject({ sent: 3 });
  expect(messenger.arrivals.filter(({ uncertain }) => uncertain)).toEqual([]);
});

test('requeues the orphaned turn of a recall', async () => {
  const owner = await createOwner(database.db, 2);
  const campaign = await sendNow(database.db, owner);
  await analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.queued === 0);
  await loseClaim(owner, '{}');
  await recallCampaign({ db: database.db }, owner, { campaignId: campaign, runId: null });
  const { totals } = await analyticsWhen(database.db, owner, campaign, (found) => found.totals.recalled === 2);
  expect(totals.sent).toBe(2);
});

test('leaves the turn of another worker alone, even with a lease that is believed to hold', async () => {
  const owner = await createOwner(database.db, 2);
  await execute(database.db)`
    insert into workers (worker_id, name, beat_at) overriding system value values (999, 'other', 'infinity')`;
  await database.db.transaction().execute(async (trx) => {
    // As it is when the other has just taken the shard and begun a turn, and this one has not heard of it.
    await execute(trx)`
      update shards set worker_id = 999, epoch = epoch + 1 where shard = campanile_shard(${owner.accountId})`;
    await execute(trx)`
      update lanes set turn = 7, in_hand_run_id = 1, in_hand = '{[1,2)}' where account_id = ${owner.accountId}`;
  });
  await sleep(2_500);
  const rows = await readRows(database.db)`
    select turn, in_hand_run_id from lanes where account_id = ${owner.accountId}`;
  expect(rows).toEqual([{ turn: 7, in_hand_run_id: 1 }]);
});
