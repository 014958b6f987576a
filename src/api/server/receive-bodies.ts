import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify';
import { AppError } from '../../platform/errors/errors.ts';
import type { Transfer, Transfers } from '../../platform/concurrency/transfers.ts';
import { beginTransfer, receiveBody } from './begin-transfer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The permit of a big body in the memory budget; null for other bodies. */
    bodyPermit: BodyPermit | null;
  }
}

interface BodyPermit {
  transfer: Transfer;
  /** The body has arrived, and its memory is needed even after the client has left. */
  isInUse: boolean;
}

/** Bodies up to this many bytes are read at once; operations that take more have to say so. */
export const SMALL_BODY_BYTES = 256 * 1024;

/** Backpressure: a hook that lets big bodies wait for a permit in the memory budget, once they have begun to arrive. */
export function receiveBigBodies(budget: Transfers, bodyLimitBytes: number): preParsingHookHandler {
  return (request, { raw: answer }, payload, done) => {
    const bytes = Number(request.headers['content-length'] ?? (isChunked(request) ? bodyLimitBytes : 0));
    const isTooLarge = bytes > bodyLimitBytes;
    if (bytes <= SMALL_BODY_BYTES || isTooLarge) return done(null, payload);
    const source = (payload as Readable).iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
    const body = receiveBody(source, () => takePermit(request, answer, budget, bytes));
    done(null, Readable.from(body, { objectMode: false }));
  };
}

async function takePermit(
  request: FastifyRequest,
  answer: ServerResponse,
  budget: Transfers,
  weight: number,
): Promise<Transfer> {
  const onGone = (transfer: Transfer) => {
    if (!request.bodyPermit?.isInUse) transfer.end();
  };
  const transfer = await beginTransfer(budget, request, answer, { weight, onGone });
  request.bodyPermit = { transfer, isInUse: false };
  return transfer;
}

/** Keeps the permit of a big body until its memory is not needed: waiting in a line it is, even after the client has left. */
export function keepBodyPermit({ bodyPermit }: FastifyRequest): void {
  if (bodyPermit) bodyPermit.isInUse = true;
}

export function endBodyPermit({ bodyPermit }: FastifyRequest): void {
  bodyPermit?.transfer.end();
}

/** Slowloris: the minimum rate of a body. */
export interface BodyPace {
  bytesPerSecond: number;
  /** Grace period without data, at the beginning and after each stretch at the full rate. */
  graceMs: number;
}

/** Slowloris protection: ends with 408 a request whose body comes too slowly. The time before the body is read, in line for instance, does not count. */
export function enforceMinUploadRate(server: FastifyInstance, { bytesPerSecond, graceMs }: BodyPace): void {
  server.addHook('preParsing', (request, reply, payload, done) => {
    done(null, payload);
    const { raw } = request;
    if (raw.complete || !hasBody(request)) return;
    let checkedAtMs = performance.now();
    let bytesThen = raw.socket.bytesRead;
    let patienceMs = graceMs;
    const checkRate = () => {
      if (raw.complete) return;
      const now = performance.now();
      // Backpressure: a full buffer waits for us, and not for the client.
      if (raw.readableLength >= raw.readableHighWaterMark) patienceMs += now - checkedAtMs;
      const earnedMs = ((raw.socket.bytesRead - bytesThen) / bytesPerSecond) * 1_000;
      // Who was quick for a while may not be slow for as long: more than the grace is not saved up.
      patienceMs = Math.min(graceMs, patienceMs - (now - checkedAtMs) + earnedMs);
      checkedAtMs = now;
      bytesThen = raw.socket.bytesRead;
      if (patienceMs > 0) timer = setTimeout(checkAfterReading, patienceMs);
      else
        reply.send(
          new AppError(
            'body_too_slow',
            `The body was sent too slowly: at least ${bytesPerSecond / 1024} KiB a second are required`,
          ),
        );
    };
    // After a blocked event loop, data may have arrived that was not read yet.
    const checkAfterReading = () => setImmediate(checkRate);
    let timer = setTimeout(checkAfterReading, graceMs);
    raw.once('close', () => clearTimeout(timer));
  });
}

function hasBody(request: FastifyRequest): boolean {
  return Number(request.headers['content-length'] ?? 0) > 0 || isChunked(request);
}

function isChunked({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined;
}
