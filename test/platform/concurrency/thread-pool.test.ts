import { expect, onTestFinished, test } from 'vitest';
import { createThreadPool } from '../../../src/platform/concurrency/thread-pool.ts';

/** Answers its own id; after the task `fail` it throws an error, when it has answered. */
const MODULE = `
import { parentPort, threadId } from 'node:worker_threads';
parentPort.on('message', (task) => {
  parentPort.postMessage(threadId);
  if (task === 'fail') setImmediate(() => { throw new Error('late'); });
});
parentPort.postMessage('ready');`;

test('a thread that fails when nobody waits for it ends nothing but itself', async () => {
  const module = new URL(`data:text/javascript,${encodeURIComponent(MODULE)}`);
  const bounds = { threads: 1, maxWaiting: 1, maxWaitMs: 60_000, deadlineMs: 60_000 };
  const pool = createThreadPool<'fail' | 'go', number>({ name: 'ids', module, ...bounds });
  onTestFinished(() => pool.close());
  // An error without a listener would end the process.
  const failed = await pool.run('fail');
  const other = () => pool.run('go').catch((error: unknown) => error);
  await expect.poll(other).toEqual(expect.any(Number));
  await expect.poll(other).not.toBe(failed);
});
