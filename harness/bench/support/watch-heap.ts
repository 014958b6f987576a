/** Preloaded into a service: at each SIGUSR2 it collects garbage by the inspector, and prints the remaining heap. */
import { Session } from 'node:inspector/promises';
import { memoryUsage } from 'node:process';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const session = new Session();
  session.connect();
  process.on('SIGUSR2', async () => {
    await session.post('HeapProfiler.collectGarbage');
    const { rss, heapUsed, external } = memoryUsage();
    process.stdout.write(`${JSON.stringify({ msg: 'memory', rss, heapUsed, external })}\n`);
  });
}
