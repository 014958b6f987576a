/** Backups put back and folders copied in the middle of many campaigns, at random, judged by the witness. */
import { expect, test } from 'vitest';
import { putBack } from '../../../soak/deliveries/put-back.ts';

const SEEDS = Array.from({ length: 20 }, (_, seed) => seed + 1);

test.for(SEEDS)('nothing is sent twice by a restored or copied ledger: seed %i', async (seed) => {
  expect(await putBack(seed)).toEqual({ notHeld: 0, sentWhileHeld: 0, sentTwice: 0, lost: 0 });
});
