import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createFairSemaphore, withPermit } from './fair-semaphore.ts';

export interface ThreadPoolOptions {
  /** The reason of its OverloadErrors. */
  name: string;
  /** The module of a thread. It posts one message when it is ready, and then one for each task. */
  module: URL;
  threads: number;
  maxWaiting: number;
  maxWaitMs: number;
  deadlineMs: number;
  /** A thread whose objects take more ends, and its task fails. Default: a share of the machine's. */
  memoryMb?: number;
}

/** A task took longer than its deadline, and its thread was terminated. */
export class DeadlineError extends Error {}

const IDLE_MS = 30_000;

/**
 * A pool of worker threads for work that would block the event loop. Each task has a deadline, after which its thread is terminated, and
 * keys take turns. A thread takes some 20 MB, so threads start on demand and end when idle.
 */
export function createThreadPool<Task, Result>(options: ThreadPoolOptions) {
  const { name, threads: size, maxWaiting, maxWaitMs, deadlineMs } = options;
  const permits = createFairSemaphore({ name, size, perKey: 1, maxWaiting, maxWaitMs });
  const closing = new AbortController();
  const threads = keepThreads(options, closing.signal);

  async function runInThread(task: Task, move: readonly ArrayBuffer[], given: AbortSignal): Promise<Result> {
    given.throwIfAborted();
    const thread = await threads.take();
    const deadline = AbortSignal.timeout(deadlineMs);
    try {
      thread.postMessage(task, move);
      const [result] = (await once(thread, 'message', { signal: AbortSignal.any([deadline, given]) })) as [Result];
      threads.keep(thread);
      return result;
    } catch (error) {
      await thread.terminate();
      if (deadline.aborted) throw new DeadlineError(`a task of ${name} took longer than ${deadlineMs} ms`);
      throw error;
    }
  }

  return {
    /**
     * Throws a DeadlineError when the task takes too long, an OverloadError when too many tasks wait, and the reason of `signal` when that
     * is aborted. What of the task is in `move` is emptied here.
     */
    run(task: Task, { signal, move = [] }: { signal?: AbortSignal; move?: readonly ArrayBuffer[] } = {}) {
      const given = signal ? AbortSignal.any([closing.signal, signal]) : closing.signal;
      return withPermit(permits, () => runInThread(task, move, given), { signal: given });
    },
    /** Terminates all threads. Rejects running, waiting and later tasks. */
    close() {
      closing.abort();
      return threads.close();
    },
  };
}

function keepThreads({ module, memoryMb }: ThreadPoolOptions, closing: AbortSignal) {
  const all = new Set<Worker>();
  const idle = new Map<Worker, NodeJS.Timeout>();

  async function start(): Promise<Worker> {
    const thread = new Worker(
      module,
      memoryMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: memoryMb } },
    );
    all.add(thread);
    // Who waits for the thread is told. A thread may also fail after its deadline or its answer, and an error without a listener would end
    // the process.
    thread.on('error', () => {});
    thread.once('exit', () => {
      all.delete(thread);
      clearTimeout(idle.get(thread));
      idle.delete(thread);
    });
    await once(thread, 'message', { signal: closing });
    return thread;
  }

  return {
    async take(): Promise<Worker> {
      const [found] = idle;
      if (found === undefined) return start();
      const [thread, timer] = found;
      clearTimeout(timer);
      idle.delete(thread);
      thread.ref();
      return thread;
    },
    keep(thread: Worker): void {
      thread.unref();
      const end = () => {
        idle.delete(thread);
        void thread.terminate();
      };
      // It may have ended since its answer.
      if (all.has(thread)) idle.set(thread, setTimeout(end, IDLE_MS).unref());
    },
    async close(): Promise<void> {
      for (const timer of idle.values()) clearTimeout(timer);
      await Promise.all(Array.from(all, (thread) => thread.terminate()));
    },
  };
}
