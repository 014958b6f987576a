import { expect, test } from 'vitest';
import { shrink, type Attempt } from '../../harness/simulation/shrink.ts';

test('keeps the two of twelve faults that fail together, and as few steps as they need', async () => {
  const harmed = [3, 20, 41, 60, 77, 90, 120, 150, 200, 310, 350, 399];
  const fails = ({ steps, only }: Attempt) => steps > 150 && only.includes(41) && only.includes(150);
  const least = await shrink({ seed: 1, steps: 640, harmed }, (attempt) =>
    Promise.resolve({ faults: fails(attempt) ? ['wrong'] : [] }),
  );
  expect(least.only).toEqual([41, 150]);
  expect(least.steps).toBeGreaterThan(150);
  expect(least.steps).toBeLessThan(180);
});

test('keeps no fault if the run fails without any', async () => {
  const least = await shrink({ seed: 1, steps: 640, harmed: [3, 20] }, () => Promise.resolve({ faults: ['wrong'] }));
  expect(least).toEqual({ seed: 1, steps: 10, only: [] });
});
