import { expect, test } from 'vitest';
import { openChildren } from '../../harness/simulation/children.ts';
import { startServer } from '../../harness/simulation/server.ts';
import { tryCrashPoints } from '../../harness/simulation/run-crash-points.ts';

/** Not a multiple of the number of kinds of faults, so that the sample contains all of them. `npx vitest run --mode long` tries each. */
const EVERY = 29;

test('one delivery survives faults at a sample of its statements', async () => {
  const server = await startServer();
  const children = openChildren([server.address]);
  try {
    const { statements, points, wrong } = await tryCrashPoints(children, { workers: 1, every: EVERY });
    expect(wrong.map(({ statement, fault, faults }) => ({ statement, fault, faults }))).toEqual([]);
    expect(statements).toBeGreaterThan(50);
    expect(points).toBeGreaterThan(statements / 10);
  } finally {
    await children.close();
    await server.stop();
  }
});
