/** How long the random tests run: FUZZ_RUNS=100000 makes a long run of them (with a longer --testTimeout). */
const FUZZ_RUNS = Number(process.env['FUZZ_RUNS'] ?? 0);

/** So many runs, or as many as are asked for if these are more. */
export function runs(usual: number): number {
  return Math.max(usual, FUZZ_RUNS);
}
