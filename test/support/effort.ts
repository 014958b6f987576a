/** The processor time that some work takes in this process, in milliseconds: a busy machine does not lengthen it. */
export function effortOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * True when four times as much work takes clearly less than the sixteen times that a square would. Compiling and collecting on other
 * threads is counted, too, and once in a while falls into the larger half alone: a square is one at each of three tries.
 */
export function growsLinearly(work: (size: number) => void, size: number): boolean {
  work(size / 4);
  return [1, 2, 3].some(() => {
    const quarter = effortOf(() => work(size / 4));
    const whole = effortOf(() => work(size));
    return whole < 10 * quarter + 50;
  });
}
