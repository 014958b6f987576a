/** Runs the work when all earlier work has ended. Resolves and rejects as the work does. */
export type Mutex = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Mutex: one piece of work at a time, first come, first served. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
