const LONGEST_STRETCH_MS = 20;
let lastBreath = 0;

/**
 * Encrypting for a large group takes seconds, in thousands of small steps that seldom wait for anything: called in each of them, here
 * the other sessions, and the requests of the same process, get their turn in between.
 */
export async function yieldToEventLoop(): Promise<void> {
  if (performance.now() - lastBreath < LONGEST_STRETCH_MS) return;
  await new Promise(setImmediate);
  lastBreath = performance.now();
}
