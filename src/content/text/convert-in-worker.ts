import { createThreadPool, DeadlineError } from '../../platform/concurrency/thread-pool.ts';
import { convertHtml, rejectAsTooComplex, type Converted, type UnknownTags } from './html-to-whatsapp.ts';

/**
 * `convertHtml` for HTML of any length. A long conversion runs in a worker thread, one per requester at a time, so that the event loop stays
 * free. After 3 s the worker is stopped and the HTML is rejected as too complex. Throws an OverloadError when too many conversions wait.
 */
export type Convert = (html: string, unknownTags?: UnknownTags, withFields?: boolean) => Promise<Converted>;

/** The message to a thread. */
export interface Conversion {
  html: string;
  unknownTags: UnknownTags | undefined;
  withFields: boolean | undefined;
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

/** `deadlineMs` and `waitMs` are for tests. */
export function createConverter({ deadlineMs = DEADLINE_MS, waitMs = WAIT_MS } = {}): Converter {
  const threads = createThreadPool<Conversion, Converted>({
    name: 'conversions',
    module: new URL('./convert-thread.ts', import.meta.url),
    threads: THREADS,
    maxWaiting: WAITING_AT_MOST,
    maxWaitMs: waitMs,
    deadlineMs,
  });
  return {
    async convert(html, unknownTags, withFields) {
      // HTML of another program is read twice.
      if (html.length * (unknownTags === 'drop' ? 2 : 1) <= SHORT) return convertHtml(html, unknownTags, withFields);
      try {
        return await threads.run({ html, unknownTags, withFields });
      } catch (error) {
        if (error instanceof DeadlineError) return rejectAsTooComplex(html);
        throw error;
      }
    },
    close: threads.close,
  };
}
