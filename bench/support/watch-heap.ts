/** Loaded into a service before it starts: at each SIGUSR2 it collects its garbage and says what is left. */
import { memoryUsage } from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  process.on('SIGUSR2', () => {
    collect();
    const { rss, heapUsed, external } = memoryUsage();
    process.stdout.write(`${JSON.stringify({ msg: 'memory', rss, heapUsed, external })}\n`);
  });
}
