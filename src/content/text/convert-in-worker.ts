import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createFairSemaphore } from '../../platform/concurrency/fair-semaphore.ts';
import { convertHtml, rejectAsTooComplex, type Converted, type UnknownTags } from './html-to-whatsapp.ts';

/**
 * `convertHtml` for HTML of any length. A long conversion runs in a worker thread, one per user at a time, so that the event loop stays
 * free. After 3 s the worker is stopped and the HTML is rejected as too complex. Throws an OverloadError when too many conversions wait.
 */
export type Convert = (html: string, userId: number, unknownTags?: UnknownTags) => Promise<Converted>;

/** The message to a thread. */
export interface Conversion {
  html: string;
  unknownTags: UnknownTags | undefined;
}

export interface Converter {
  convert: Convert;
  /** Terminates all threads. Rejects running, waiting and later conversions. */
  close(): Promise<void>;
}

/** UTF-16 units of HTML that are converted on the main thread: any HTML of this length takes less than 50 ms. */
const SHORT = 16 * 1024;
const THREADS = 2;
const WAITING_AT_MOST = 100;
const WAIT_MS = 10_000;
const DEADLINE_MS = 3_000;
/** A thread takes some 20 MB, so threads start on demand and end when idle. */
const IDLE_MS = 30_000;

/** `deadlineMs` and `waitMs` are for tests. */
export function createConverter({ deadlineMs = DEADLINE_MS, waitMs = WAIT_MS } = {}): Converter {
  const permits = createFairSemaphore({
    name: 'conversions',
    size: THREADS,
    perKey: 1,
    maxWaiting: WAITING_AT_MOST,
    maxWaitMs: waitMs,
  });
  const closing = new AbortController();
  const threads = createThreads(closing.signal);

  async function convertInThread(conversion: Conversion): Promise<Converted> {
    closing.signal.throwIfAborted();
    const thread = await threads.take();
    const deadline = AbortSignal.timeout(deadlineMs);
    const signal = AbortSignal.any([deadline, closing.signal]);
    try {
      thread.postMessage(conversion);
      const [converted] = (await once(thread, 'message', { signal })) as [Converted];
      threads.keep(thread);
      return converted;
    } catch (error) {
      await thread.terminate();
      if (deadline.aborted) return rejectAsTooComplex(conversion.html);
      throw error;
    }
  }

  return {
    async convert(html, userId, unknownTags) {
      if (html.length <= SHORT) return convertHtml(html, unknownTags);
      const release = await permits.acquire({ key: String(userId), signal: closing.signal });
      try {
        return await convertInThread({ html, unknownTags });
      } finally {
        release();
      }
    },
    close() {
      closing.abort();
      return threads.close();
    },
  };
}

/** A pool of conversion threads: started on demand, and terminated after some idle time. */
function createThreads(closing: AbortSignal) {
  const all = new Set<Worker>();
  const idle = new Map<Worker, NodeJS.Timeout>();

  async function start(): Promise<Worker> {
    const thread = new Worker(new URL('./convert-thread.ts', import.meta.url));
    all.add(thread);
    thread.once('exit', () => all.delete(thread));
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
      idle.set(thread, setTimeout(end, IDLE_MS).unref());
    },
    async close(): Promise<void> {
      for (const timer of idle.values()) clearTimeout(timer);
      await Promise.all(Array.from(all, (thread) => thread.terminate()));
    },
  };
}
