import type { Party } from '../../platform/concurrency/party.ts';
import { workFor } from '../../platform/concurrency/requester.ts';
import { createThreadPool } from '../../platform/concurrency/thread-pool.ts';
import { AppError } from '../../platform/errors/errors.ts';
import type { BodyBounds } from './body-bounds.ts';

/** The message to a thread. */
export interface BodyToParse {
  bytes: ArrayBuffer;
  bounds: BodyBounds;
}

/** The answer of a thread: an error loses its class on the way. */
export type ParsedBody = { value: unknown } | { failure: Pick<AppError, 'code' | 'message' | 'details'> };

const THREADS = 2;
/** The memory budget of bodies lets fewer in. */
const WAITING_AT_MOST = 500;
const WAIT_MS = 30_000;
/** Parsing is linear, and takes a quiet machine 0.3 s at most. */
const DEADLINE_MS = 30_000;

export function createBigBodyParser() {
  const threads = createThreadPool<BodyToParse, ParsedBody>({
    name: 'bodies',
    module: new URL('./parse-body-thread.ts', import.meta.url),
    threads: THREADS,
    maxWaiting: WAITING_AT_MOST,
    maxWaitMs: WAIT_MS,
    deadlineMs: DEADLINE_MS,
  });
  return {
    /** `parseJsonBody` in a thread. The body is emptied. Throws an OverloadError when too many bodies wait. */
    async parse(body: Buffer, bounds: BodyBounds, party: Party): Promise<unknown> {
      const bytes = ownBytes(body);
      const parsed = await workFor({ party, isWrite: false }, () => threads.run({ bytes, bounds }, { move: [bytes] }));
      if ('value' in parsed) return parsed.value;
      throw new AppError(parsed.failure.code, parsed.failure.message, parsed.failure);
    },
    /** Terminates all threads. Rejects running, waiting and later bodies. */
    close: threads.close,
  };
}

function ownBytes({ buffer, length }: Buffer): ArrayBuffer {
  // Never a view: to move it would empty the pool that it is of.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) return buffer;
  throw new Error('a big body is part of a larger buffer');
}
