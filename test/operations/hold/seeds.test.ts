/** Restores backups and copies folders in the middle of many campaigns, at random, and compares with the witness. */
import { expect, test } from 'vitest';
import { putBack } from '../../../soak/deliveries/put-back.ts';

const SEEDS = Array.from({ length: 20 }, (_, seed) => seed + 1);

test.for(SEEDS)('sends nothing twice from a restored or copied ledger: seed %i', async (seed) => {
  expect(await putBack(seed)).toEqual({ notHeld: 0, sentWhileHeld: 0, sentTwice: 0, lost: 0 });
});
