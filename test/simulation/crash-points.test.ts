import { expect, test } from 'vitest';
import { openChildren } from '../../simulation/children.ts';
import { startServer } from '../../simulation/server.ts';
import { tryCrashPoints } from '../../simulation/run-crash-points.ts';

/** No multiple of the kinds of faults, so that all of them are among those tried. `npx vitest run --mode long` tries each. */
const EVERY = 29;

test('one delivery ends well whichever of some statements breaks, and however it does', async () => {
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
