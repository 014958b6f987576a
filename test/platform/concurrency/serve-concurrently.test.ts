import { expect, onTestFinished, test } from 'vitest';
import { createLog } from '../../../src/platform/log/log.ts';
import { serveConcurrently, type Concurrently } from '../../../src/platform/concurrency/serve-concurrently.ts';
import { recordLog } from '../../support/record-log.ts';
import { until } from '../../support/ledger.ts';
import { sleep } from '../../../src/platform/time/time.ts';

interface Job {
  key: string | undefined;
  name: string;
}

/** Serves jobs, and the test ends each of them. */
function serve(jobs: Job[], options: Partial<Concurrently<Job, string>> = {}) {
  const running = new Map<string, PromiseWithResolvers<void>>();
  const loop = serveConcurrently<Job, string>({
    name: 'jobs',
    permits: 2,
    pollMs: 5,
    holdMs: 600_000,
    log: createLog('silent'),
    async claim(busy) {
      const at = jobs.findIndex(({ key }) => key === undefined || !busy.includes(key));
      return at === -1 ? [] : jobs.splice(at, 1);
    },
    keyOf: ({ key }) => key,
    async serve({ name }) {
      const end = Promise.withResolvers<void>();
      running.set(name, end);
      await end.promise.finally(() => running.delete(name));
    },
    ...options,
  });
  const end = (name: string) => running.get(name)?.resolve();
  onTestFinished(async () => {
    jobs.length = 0;
    for (const job of running.values()) job.resolve();
    await loop.stop();
  });
  const underWay = (...names: string[]) =>
    until(
      () => [...running.keys()],
      (found) => found.join() === names.join(),
    );
  return { loop, running, end, underWay };
}

test('runs one job per key, and no more jobs than permits', async () => {
  const jobs = ['a', 'a', 'b', 'c'].map((key, index) => ({ key, name: `${key}${index}` }));
  const { end, underWay } = serve(jobs);
  await underWay('a0', 'b2');
  end('b2');
  await underWay('a0', 'c3');
  end('a0');
  expect(await underWay('c3', 'a1')).toHaveLength(2);
});

test('limits jobs without a key by the permits alone', async () => {
  const { underWay } = serve(['x', 'y', 'z'].map((name) => ({ key: undefined, name })));
  expect(await underWay('x', 'y')).toHaveLength(2);
});

test('releases the permit of a slow job, and runs no other job of its key', async () => {
  const jobs = ['a', 'a', 'b', 'c', 'd'].map((key, index) => ({ key, name: `${key}${index}` }));
  const { end, underWay } = serve(jobs, { holdMs: 5 });
  await underWay('a0', 'b2', 'c3', 'd4');
  end('a0');
  expect(await underWay('b2', 'c3', 'd4', 'a1')).toHaveLength(4);
});

test('frees the key of a slow job with its permit, if told to', async () => {
  const jobs = ['a', 'a', 'b'].map((key, index) => ({ key, name: `${key}${index}` }));
  const { underWay } = serve(jobs, { permits: 1, holdMs: 5, freesKeys: true });
  expect(await underWay('a0', 'a1', 'b2')).toHaveLength(3);
});

test('keeps the permit of a job for any time, if told to', async () => {
  const jobs = ['a', 'b'].map((key) => ({ key, name: key }));
  const { end, running, underWay } = serve(jobs, { permits: 1, holdMs: Infinity });
  await underWay('a');
  await sleep(50);
  expect([...running.keys()]).toEqual(['a']);
  end('a');
  await underWay('b');
});

test('tells how many jobs there is room for, and the key of each that is served', async () => {
  const asked: Array<{ busy: readonly string[]; room: number }> = [];
  const jobs = ['a', 'a', 'b', 'c'].map((key, index) => ({ key, name: `${key}${index}` }));
  const { end, underWay } = serve(jobs, {
    permits: 3,
    async claim(busy, room) {
      asked.push({ busy, room });
      return jobs.splice(0, room);
    },
  });
  await underWay('a0', 'a1', 'b2');
  end('b2');
  await underWay('a0', 'a1', 'c3');
  expect(asked.map(({ busy, room }) => `${busy.join('')} ${room}`)).toEqual([' 3', 'aa 1']);
});

test('logs and counts a failed job, and releases its permit', async () => {
  const { log, lines } = recordLog('error');
  const failed: string[] = [];
  const jobs: Job[] = ['a', 'b', 'c'].map((name) => ({ key: name, name }));
  serve(jobs, {
    permits: 1,
    log,
    onLoopError: (name) => failed.push(name),
    serve: () => Promise.reject(new Error('no')),
  });
  await until(
    () => failed,
    ({ length }) => length === 3,
  );
  expect(failed).toEqual(['jobs', 'jobs', 'jobs']);
  expect(lines()).toHaveLength(3);
});

test('waits for running jobs when it is stopped, and begins no other', async () => {
  const jobs = ['a', 'b', 'c'].map((key) => ({ key, name: key }));
  const { loop, running, end, underWay } = serve(jobs);
  await underWay('a', 'b');
  let stopped = false;
  const stopping = loop.stop().then(() => (stopped = true));
  end('a');
  await underWay('b');
  expect(stopped).toBe(false);
  end('b');
  await stopping;
  expect([...running.keys()]).toEqual([]);
  expect(jobs.map(({ name }) => name)).toEqual(['c']);
});
