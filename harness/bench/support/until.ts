import { sleep } from '../../../src/platform/time/time.ts';

const PATIENCE_MS = 120_000;
const PAUSE_MS = 2;

/** Asks again and again until the answer is yes; throws after two minutes, or another time, so that nothing goes on for ever. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  { patienceMs = PATIENCE_MS, pauseMs = PAUSE_MS } = {},
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${patienceMs / 1_000} s`);
    await sleep(pauseMs);
  }
}
