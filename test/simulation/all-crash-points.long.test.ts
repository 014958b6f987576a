import { expect, test } from 'vitest';
import { openChildren } from '../../harness/simulation/children.ts';
import { startServer } from '../../harness/simulation/server.ts';
import { tryCrashPoints } from '../../harness/simulation/run-crash-points.ts';

test.each([1, 2])(
  'one delivery by %i workers survives every fault at every statement',
  { timeout: 3_600_000 },
  async (workers) => {
    const servers = await Promise.all([startServer(), startServer()]);
    const children = openChildren(servers.map(({ address }) => address));
    try {
      const { statements, points, wrong } = await tryCrashPoints(children, { workers, every: 1 });
      expect(wrong.map(({ statement, fault, faults }) => ({ statement, fault, faults }))).toEqual([]);
      expect(points).toBeGreaterThan(5 * statements);
    } finally {
      await children.close();
      await Promise.all(servers.map((server) => server.stop()));
    }
  },
);
