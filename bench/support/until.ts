import { sleep } from '../../src/platform/time/time.ts';

const PATIENCE_MS = 120_000;
const PAUSE_MS = 2;

/** Asks again and again until the answer is yes; throws after two minutes, so that nothing goes on for ever. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${PATIENCE_MS / 1_000} s`);
    await sleep(PAUSE_MS);
  }
}
