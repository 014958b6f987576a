/** Several failures in a row of the same work. */
export interface FailureStreak {
  /** Of the last of them. */
  error: unknown;
  count: number;
  /** When the first of them was, by the process's monotonic clock. */
  sinceMs: number;
  /** Resolves when the work succeeds again, or is stopped. */
  ended: Promise<void>;
}

/** Called with the name of a loop each time it fails; without a streak where the failure is one account's own. */
export type OnLoopError = (loop: string, streak?: FailureStreak) => void;

/** Counts the failures of some work in a row. */
export function countFailuresInARow(loop: string, onError: OnLoopError | undefined) {
  let streak: ReturnType<typeof beginStreak> | undefined;
  return {
    failed(error: unknown) {
      streak ??= beginStreak();
      streak.error = error;
      streak.count += 1;
      onError?.(loop, streak);
    },
    /** It succeeded, or it was stopped. */
    ended() {
      streak?.end();
      streak = undefined;
    },
  };
}

function beginStreak(): FailureStreak & { end: () => void } {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  return { error: undefined, count: 0, sinceMs: performance.now(), ended, end };
}
