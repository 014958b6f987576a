import type { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import {
  createTransfers,
  type ContendedPace,
  type Transfer,
  type Transfers,
} from '../../platform/concurrency/transfers.ts';
import type { Door } from './door.ts';
import { shareOf } from './set-requesters.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The permit of a long answer or of a file from elsewhere; null for other requests. */
    transfer: Transfer | null;
  }
}

/** The transfers of the server, by what they are limited for. */
export type ServerTransfers = ReturnType<typeof createServerTransfers>;

export interface TransferLimits {
  /** The minimum rate of all transfers while others wait. */
  contendedPace: ContendedPace;
  /** Sum of the announced sizes of all bodies over 256 KiB that are read at once. More bodies wait. */
  bigBodiesBytes: number;
  bigBodyWaitMs: number;
  /** Files that are written while they arrive, at once. */
  files: number;
  /** Long answers in transfer at once. */
  longAnswers: number;
}

/**
 * Permits for long answers, held until the client has read the answer: most need one or two pieces of a file, those of analytics some
 * megabytes.
 */
export const RESPONSE_PERMITS = { name: 'long_answers', perKey: 4, maxWaiting: 1_000, maxWaitMs: 30_000 };
/** A flood of them gets one permit while others are active. A browser has six requests in flight to one server, at most. */
const FLOOD = 8;
/** Files that are written while they arrive: each has some hundred KiB in memory. Its writes wait for a connection as all others do. */
const FILE_PERMITS = { name: 'files', perKey: 2, maxWaiting: 500, maxWaitMs: 30_000 };
/** In bytes: memory that big bodies may take at once. */
const BODY_BUDGET = { name: 'uploads', perKey: 1, maxWaiting: 1_000 };

export function createServerTransfers(
  { contendedPace, ...limits }: TransferLimits,
  { isOtherActive }: Pick<Door, 'isOtherActive'>,
) {
  const { bigBodiesBytes, bigBodyWaitMs, files, longAnswers } = limits;
  return {
    /** Big bodies, which are in memory as a whole. */
    bodies: createTransfers({ ...BODY_BUDGET, size: bigBodiesBytes, maxWaitMs: bigBodyWaitMs }, contendedPace),
    /** Files that are written while they arrive. */
    files: createTransfers({ ...FILE_PERMITS, size: files }, contendedPace),
    /** Answers that are made while they are read. */
    answers: createTransfers(
      { ...RESPONSE_PERMITS, size: longAnswers, yielding: { waiters: FLOOD, isOtherActive } },
      contendedPace,
    ),
  };
}

/** Waits for a permit, shares in turn. `onGone` is called when the answer is sent, or its connection closed; by default, the transfer ends. */
export async function beginTransfer(
  transfers: Transfers,
  request: FastifyRequest,
  answer: ServerResponse,
  {
    weight = 1,
    onGone = (transfer) => transfer.end(),
  }: { weight?: number; onGone?: (transfer: Transfer) => void } = {},
): Promise<Transfer> {
  const gone = new AbortController();
  answer.once('close', () => gone.abort());
  if (answer.closed) gone.abort();
  const transfer = await transfers.begin({ party: shareOf(request), weight, signal: gone.signal });
  gone.signal.addEventListener('abort', () => onGone(transfer));
  if (gone.signal.aborted) onGone(transfer);
  return transfer;
}

/** So much of a body arrives before it takes a permit: slow clients hold none for nothing, and short files need none. */
const FIRST_BYTES = 64 * 1024;

/** Passes on the pieces of a body. Once the first of them have arrived, a transfer begins with the next one. */
export async function* receiveBody(
  pieces: AsyncIterable<Uint8Array>,
  begin: () => Promise<Transfer>,
): AsyncGenerator<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  let arrived = 0;
  try {
    for (;;) {
      const next = await iterator.next();
      if (next.done) return;
      if (arrived >= FIRST_BYTES) {
        const transfer = await begin();
        yield next.value;
        return yield* transfer.receive({ [Symbol.asyncIterator]: () => iterator });
      }
      arrived += next.value.length;
      yield next.value;
    }
  } finally {
    // As in `Transfer.receive`: not awaited, because a piece may be awaited still.
    void iterator.return?.();
  }
}
