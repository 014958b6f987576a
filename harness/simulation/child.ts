/** A process that simulates seeds: its clock is replaced before anything else is loaded. */
import { realNowMs } from './virtual-time.ts';
import type { Simulated } from './end-world.ts';
import type { Asked } from './fate.ts';
import { simulate } from './simulate.ts';
import { tryCrashPoint, type CrashPoint } from './crash-points.ts';
import type { ServerAddress } from './server.ts';

export interface Task extends Asked {
  server: ServerAddress;
  /** Whether the whole history is wanted. */
  isComplete: boolean;
  /** Not the seed is wanted, but this. */
  crashPoint?: CrashPoint | undefined;
}

export type Report = Omit<Simulated, 'lines'> & {
  lines: Simulated['lines'] | null;
  tookMs: number;
  first?: number;
  last?: number;
};

process.on('message', (task: Task) => {
  const begunMs = realNowMs();
  const { server, crashPoint } = task;
  (crashPoint ? tryCrashPoint(server, crashPoint) : simulate(server, task)).then(
    ({ lines, ...rest }) => {
      const isWanted = task.isComplete || rest.faults.length > 0;
      const report: Report = { ...rest, lines: isWanted ? lines : null, tookMs: realNowMs() - begunMs };
      process.send?.(report);
    },
    (error: unknown) => {
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      const report: Report = {
        hash: '',
        faults: [`the simulation broke: ${reason}`],
        harmed: [],
        statements: 0,
        campaigns: 0,
        posts: 0,
        changes: 0,
        lines: null,
        tookMs: 0,
      };
      process.send?.(report);
    },
  );
});
process.on('disconnect', () => process.exit());
