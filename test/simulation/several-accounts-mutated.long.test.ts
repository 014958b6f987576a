import { afterAll, expect, test } from 'vitest';
import { MUTATIONS } from '../../harness/simulation/mutations.ts';
import { tryMutation } from '../../harness/simulation/run-mutations.ts';
import { startServer } from '../../harness/simulation/server.ts';

/** The first of these find each of the bugs. */
const SEEDS = 12;
const STEPS = 300;

const servers = await Promise.all([startServer(), startServer()]);
afterAll(() => Promise.all(servers.map((server) => server.stop())));

test.each([
  'deliveries are handed over that were tried',
  'deliveries are handed over that are in hand',
  'an account sends what another is the sender of',
])('finds in worlds with several accounts that %s', async (name) => {
  const mutation = MUTATIONS.find((one) => one.name === name);
  if (!mutation) throw new Error('there is no such bug');
  const addresses = servers.map(({ address }) => address);
  const found = await tryMutation(addresses, mutation, { seeds: SEEDS, steps: STEPS, isShrunk: false });
  expect(found?.rule).toMatch(/^(tried|told as sent, and never left|of two accounts|twice|repeated)/);
});
