/** Loaded into a service before it starts: at each SIGUSR2 it says how late its event loop was at worst since the last one. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const EVERY_MS = 5;

if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: EVERY_MS });
  delay.enable();
  process.on('SIGUSR2', () => {
    const worstMs = Math.max(0, delay.max / 1e6 - EVERY_MS);
    delay.reset();
    process.stdout.write(`${JSON.stringify({ msg: 'event loop', worstMs })}\n`);
  });
}
