/** Returns the CPU time of some work in this process, in milliseconds. A busy machine does not change it. */
export function cpuTimeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Returns whether four times the work takes clearly less than sixteen times as long, as quadratic work would. JIT compilation and garbage
 * collection on other threads count, too, and sometimes hit only the larger input: quadratic work fails all three tries.
 */
export function growsLinearly(work: (size: number) => void, size: number): boolean {
  work(size / 4);
  return [1, 2, 3].some(() => {
    const quarter = cpuTimeOf(() => work(size / 4));
    const whole = cpuTimeOf(() => work(size));
    return whole < 10 * quarter + 50;
  });
}
