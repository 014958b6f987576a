import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyRequest, preHandlerAsyncHookHandler } from 'fastify';
import type { FairSemaphore } from '../../platform/concurrency/fair-semaphore.ts';
import { bindRequester } from '../../platform/concurrency/requester.ts';
import type { Transfers } from '../../platform/concurrency/transfers.ts';
import { LongList } from '../contract/long-list.ts';
import { LongText } from '../contract/long-text.ts';
import { successText } from './envelope.ts';
import { beginTransfer } from './begin-transfer.ts';
import { shareOf } from './set-requesters.ts';

/**
 * Semaphore: a hook that makes requests for long answers wait for a permit. A request keeps its permit until its answer is sent or its
 * connection is closed. A client that reads nothing for `unreadMs` is disconnected, and so is one that reads the slowest while others
 * wait. Must run after the caller is known.
 */
export function beginAnswer(answers: Transfers, unreadMs: number): preHandlerAsyncHookHandler {
  return async (request, { raw: answer }) => {
    const transfer = await beginTransfer(answers, request, answer);
    request.transfer = transfer;
    // Its status has been sent by then.
    transfer.signal.addEventListener('abort', () => answer.destroy());
    // Node closes it then, and sets its usual time again when the answer is out.
    answer.setTimeout(unreadMs);
  };
}

/** Runs the work of one workspace at a time. After each work its next one waits a multiple of the duration. */
export type LimitPerWorkspace = <Result>(request: FastifyRequest, work: () => Promise<Result>) => Promise<Result>;

/** Cooldown as a multiple of the duration: no workspace gets more than a tenth of the process for long answers. */
const COOLDOWN_FACTOR = 9;
const MAX_COOLDOWN_MS = 5_000;

/** Each key is to get one of `permits`. Work that waits for its turn too long ends with an OverloadError. */
export function createLimitPerWorkspace(permits: FairSemaphore): LimitPerWorkspace {
  return async (request, work) => {
    const release = await permits.acquire({ party: shareOf(request) });
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      setTimeout(release, Math.min((performance.now() - startedAt) * COOLDOWN_FACTOR, MAX_COOLDOWN_MS)).unref();
    }
  };
}

/** Backpressure: the body of a success. Its long parts are made only as fast as the client takes them. */
export function streamSuccess(request: FastifyRequest, data: unknown): Readable {
  return streamPieces(request, pieceTogether(data));
}

/** Backpressure: a body that is made only as fast as the client takes it. */
export function streamPieces(
  { transfer }: Pick<FastifyRequest, 'transfer'>,
  pieces: AsyncIterable<string | Uint8Array>,
): Readable {
  return Readable.from(bindRequester(transfer ? transfer.send(pieces) : pieces), { objectMode: false });
}

const PIECE_BYTES = 64 * 1024;

/** The body of an answer that was made as a whole, in pieces: how fast the client takes it can be measured. */
export async function* toPieces(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) yield bytes.subarray(from, from + PIECE_BYTES);
}

async function* pieceTogether(data: unknown): AsyncGenerator<string> {
  const placeholder = randomUUID();
  const parts: Array<AsyncIterable<string>> = [];
  const text = successText(data, function (this: Record<string, unknown>, key, value: unknown) {
    const long = this[key];
    if (long instanceof LongText) parts.push(quote(long.pieces));
    else if (long instanceof LongList) parts.push(long.pieces());
    else return value;
    return placeholder;
  });
  for (const piece of text.split(JSON.stringify(placeholder))) {
    yield piece;
    const next = parts.shift();
    if (next) yield* next;
  }
}

async function* quote(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  yield '"';
  yield* pieces;
  yield '"';
}
