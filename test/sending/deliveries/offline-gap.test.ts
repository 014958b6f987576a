/** A gap lies between posts: an account without a connection waits for that, and not for its pace. */
import { execute, readValue } from '../../../src/platform/database/statements.ts';
import { afterAll, expect, test } from 'vitest';
import { countWaiting } from '../../../src/sending/accounts/count-accounts.ts';
import { recordWaits } from '../../../src/sending/senders/watch-waits.ts';
import { EVERY_SHARD } from '../../support/begin-runs.ts';
import { useTestDatabase } from '../../support/database.ts';
import { createOwner, sendNow, startTestWorker, until } from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';

const GAP = { minMs: 3_600_000, maxMs: 3_600_000 };
const messenger = scriptMessenger();
const database = await useTestDatabase();
const { db, clock } = database;
const worker = await startTestWorker(database, messenger, { gap: GAP });
afterAll(() => worker.stop());

const isInHand = () => readValue<boolean>(db)`select exists (select from lanes where in_hand_run_id is not null)`;
const hasGap = () => readValue<boolean>(db)`select next_send_at > campanile_now() from lanes`;

test('an attempt that finds no connection begins no gap, so that its account is counted as one that waits', async () => {
  let tries = 0;
  messenger.answer = () => {
    tries++;
    return { kind: 'offline', reason: 'away', cooldownMs: 5_000 };
  };
  const owner = await createOwner(db, 2);
  await execute(db)`update accounts set status = 'reconnecting' where account_id = ${owner.accountId}`;
  await sendNow(db, owner);
  const isTried = async (least: number) => {
    await until(
      () => tries,
      (count) => count >= least,
    );
    await until(isInHand, false);
  };
  await isTried(1);
  expect(await hasGap()).toBe(false);
  for (const minutes of [2, 17]) {
    await clock.advance({ minutes });
    await isTried(tries + 1);
    await execute(db)`update workers set beat_at = campanile_now()`;
    await recordWaits(db, EVERY_SHARD, 'UTC');
  }
  expect((await countWaiting(db)).byReason.get('offline')).toBe(1);
  messenger.answer = () => undefined;
  await clock.advance({ minutes: 1 });
  await until(() => messenger.arrivals.length, 1);
  await until(isInHand, false);
  expect(await hasGap()).toBe(true);
});
