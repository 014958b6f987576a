import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openChildren, type Children } from '../../simulation/children.ts';
import { createTemplate } from '../../simulation/server.ts';

const SEEDS = Array.from({ length: 30 }, (_, index) => index + 1);
const STEPS = 150;

let children: Children;

beforeAll(async () => {
  const server = inject('postgres');
  await createTemplate(server);
  children = openChildren(server, 2);
});
afterAll(() => children.close());

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
