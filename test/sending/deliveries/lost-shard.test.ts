/** A worker that loses an account in the middle of a turn, while it goes on holding others. */
import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { correctCampaign } from '../../../src/sending/campaigns/change/correct-campaign.ts';
import { sleep } from '../../../src/platform/time/time.ts';
import type { Worker } from '../../../src/app/worker.ts';
import { useTestDatabase } from '../../support/database.ts';
import {
  analyticsOf,
  analyticsWhen,
  convert,
  createOwner,
  groupNumber,
  sendNow,
  startTestWorker,
  until,
  type Owner,
} from '../../support/ledger.ts';
import { scriptMessenger, type ScriptedMessenger } from '../../support/scripted-messenger.ts';

const IN_HAND = 5;

let messenger: ScriptedMessenger;
let worker: Worker;
const database = await useTestDatabase();
beforeEach(async () => {
  messenger = scriptMessenger();
  worker = await startTestWorker(database, messenger);
});
afterEach(async () => {
  await worker.stop();
  await execute(database.db)`delete from workers`;
});

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
const groupsOf = (uncertain: boolean) =>
  messenger.arrivals.filter((arrival) => arrival.uncertain === uncertain).map(({ chatId }) => groupNumber(chatId));

/** Holds the fifth post, or its revision, in hand until it is released. */
function holdUp(): { isHeldUp: () => boolean; release: () => void } {
  const gate = Promise.withResolvers<void>();
  let asked = 0;
  const hold = async () => {
    if (++asked === IN_HAND) await gate.promise;
  };
  messenger.answer = async () => {
    await hold();
    return { kind: 'sent', recipients: 2 };
  };
  messenger.answerChange = async () => {
    await hold();
    return { kind: 'done' };
  };
  return { isHeldUp: () => asked >= IN_HAND, release: gate.resolve };
}

/** Another worker takes the shard over, and the turn with it. */
async function giveAway(owner: Owner): Promise<void> {
  const heldBefore = worker.shardsHeld();
  await database.db.transaction().execute(async (trx) => {
    const rows = await readRows<{ worker_id: number }>(trx)`
      insert into workers (name, beat_at) values ('other', 'infinity') returning worker_id`;
    await execute(trx)`
      update shards set worker_id = ${rows[0]?.worker_id}, epoch = epoch + 1 where shard = campanile_shard(${owner.accountId})`;
    await execute(trx)`
      update lanes set turn = turn + 1, in_hand_run_id = null, in_hand = null where account_id = ${owner.accountId}`;
  });
  await until(
    () => worker.shardsHeld(),
    (held) => held < heldBefore,
  );
}

test('sends nothing more', async () => {
  const { isHeldUp, release } = holdUp();
  const owner = await createOwner(database.db, 20);
  const campaign = await sendNow(database.db, owner);
  await until(isHeldUp, Boolean);
  await giveAway(owner);
  expect(worker.shardsHeld()).toBeGreaterThan(0);
  release();
  const { totals } = await analyticsWhen(database.db, owner, campaign, (found) => found.totals.sent > 0);
  expect(totals).toMatchObject({ sent: IN_HAND, queued: 20 - IN_HAND });
  expect(groupsOf(false)).toEqual(upTo(IN_HAND));
});

test('goes on in a new turn after it takes the shard back', async () => {
  const { isHeldUp, release } = holdUp();
  const owner = await createOwner(database.db, 20);
  const campaign = await sendNow(database.db, owner);
  await until(isHeldUp, Boolean);
  await execute(database.db)`
    update shards set worker_id = null, epoch = epoch + 1 where shard = campanile_shard(${owner.accountId})`;
  await until(
    () => groupsOf(true).length,
    (count) => count > 0,
  );
  release();
  const { totals } = await analyticsWhen(database.db, owner, campaign, (found) => found.totals.queued === 0);
  expect(totals).toMatchObject({ sent: 20, failed: 0 });
  expect(groupsOf(false)).toEqual(upTo(IN_HAND));
});

test('corrects nothing more', async () => {
  const owner = await createOwner(database.db, 20);
  const campaign = await sendNow(database.db, owner);
  await analyticsWhen(database.db, owner, campaign, (found) => found.totals.queued === 0);
  const { isHeldUp, release } = holdUp();
  await correctCampaign({ db: database.db, convert }, owner, { campaignId: campaign, runId: null, html: 'two' });
  await until(isHeldUp, Boolean);
  await giveAway(owner);
  release();
  await analyticsWhen(database.db, owner, campaign, (found) => found.totals.corrected > 0);
  await sleep(200);
  expect(messenger.changes).toHaveLength(IN_HAND);
  expect((await analyticsOf(database.db, owner, campaign)).totals.corrected).toBe(IN_HAND);
});
