/** Loaded into a service before it starts: at each SIGUSR2 it collects its garbage, as a debugger may, and says what is left. */
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
