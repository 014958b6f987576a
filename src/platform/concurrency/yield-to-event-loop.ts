const MAX_BLOCKED_MS = 20;
let lastYieldMs = 0;

/**
 * To be called in each step of long work, such as the thousands of steps that encrypt for a large group. Lets other sessions and
 * requests of the process run when it was last called more than 20 ms ago.
 */
export async function yieldToEventLoop(): Promise<void> {
  if (performance.now() - lastYieldMs < MAX_BLOCKED_MS) return;
  await new Promise(setImmediate);
  lastYieldMs = performance.now();
}
