/** Problems that keep this process from its work, by name: the process is not ready while there is any. */
import type { FailureStreak, OnLoopError } from './failure-streak.ts';

export interface HealthProblem {
  /** Unique among the problems of a process: `loop lanes`. */
  name: string;
  /** A sentence for the health endpoint, which strangers may read. */
  message: string;
  /** For the operator alone; such as the error. */
  detail: string | undefined;
  since: Date;
}

export type Health = ReturnType<typeof createHealth>;

export function createHealth() {
  const problems = new Map<string, HealthProblem>();
  return {
    /** Adds a problem; one of this name that is known keeps its `since`. */
    report(
      name: string,
      { message, detail, since = new Date() }: { message: string; detail?: string | undefined; since?: Date },
    ) {
      problems.set(name, { name, message, detail, since: problems.get(name)?.since ?? since });
    },
    /** The problem is over. */
    resolve: (name: string) => void problems.delete(name),
    /** The present problems, oldest first. */
    problems: () => [...problems.values()],
  };
}

/** A loop that failed so often in a row, and for so long, is a problem of the process (docs/how-to/watch-it.md). */
export const FAILURES_IN_A_ROW = 3;
export const FAILING_MS = 15_000;

/** Reports loops that keep failing; a loop that succeeds once is no problem any more. */
export function watchLoops(health: Health, nowMs: () => number = () => performance.now()): OnLoopError {
  const watched = new WeakSet<Promise<void>>();
  return (loop, streak) => {
    if (!streak || streak.count < FAILURES_IN_A_ROW) return;
    const forMs = nowMs() - streak.sinceMs;
    if (forMs < FAILING_MS) return;
    const name = `loop ${loop}`;
    health.report(name, {
      message: `The background loop "${loop}" keeps failing`,
      detail: describe(streak),
      since: new Date(Date.now() - forMs),
    });
    if (watched.has(streak.ended)) return;
    watched.add(streak.ended);
    void streak.ended.then(() => health.resolve(name));
  };
}

function describe({ error }: FailureStreak): string {
  return error instanceof Error ? error.message : String(error);
}
