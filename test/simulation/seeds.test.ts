import { afterAll, beforeAll, expect, test } from 'vitest';
import { openChildren, type Children } from '../../simulation/children.ts';
import { startServer, type SimulationServer } from '../../simulation/server.ts';

const SEEDS = Array.from({ length: 30 }, (_, index) => index + 1);
const STEPS = 150;

let children: Children;
let servers: SimulationServer[];

beforeAll(async () => {
  servers = await Promise.all([startServer(), startServer()]);
  children = openChildren(servers.map(({ address }) => address));
});
afterAll(async () => {
  await children.close();
  await Promise.all(servers.map((server) => server.stop()));
});

test('the same seed comes to the same history twice in a row, in one process and in another', async () => {
  const asked = { seed: 7, steps: STEPS, isWhole: false };
  const [one, other] = await Promise.all([children.run(asked), children.run({ ...asked, seed: 8 })]);
  const [again, otherAgain] = await Promise.all([
    children.run({ ...asked, seed: 8 }).then((report) => report.hash),
    children.run(asked).then((report) => report.hash),
  ]);
  expect(one.hash).toMatch(/^[0-9a-f]{64}$/);
  expect([one.hash, other.hash].toSorted()).toEqual([again, otherAgain].toSorted());
  expect(one.hash).not.toBe(other.hash);
});

test('nothing is wrong in thirty worlds', { timeout: 300_000 }, async () => {
  const reports = await Promise.all(
    SEEDS.map(async (seed) => ({ seed, ...(await children.run({ seed, steps: STEPS, isWhole: false })) })),
  );
  expect(reports.flatMap(({ seed, faults }) => (faults.length > 0 ? [{ seed, faults }] : []))).toEqual([]);
  expect(reports.reduce((sum, { harmed }) => sum + harmed.length, 0)).toBeGreaterThan(SEEDS.length);
});
