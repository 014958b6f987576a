import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { collectDeadBuffers } from '../../lib/collect-garbage.ts';
import { AppError } from '../../lib/errors.ts';
import type { Slots } from '../../lib/slots.ts';
import { cutFile } from './cut-file.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the time the body is parsed, where it is a big one of an operation that may upload; null in all others. */
    upload: Upload | null;
  }
}

/** A big body under way, with its place among the few and its memory. */
export interface Upload {
  /** The base64 text of the operation's file, and what stands in its place in the body. */
  file: { text: Buffer; standIn: string } | null;
  /** Keeps place and memory also when the client leaves, until what it returns is called. */
  hold(): () => void;
}

/** Bodies up to this many bytes are read at once; operations that take more have to say so. */
export const SMALL_BODY_BYTES = 256 * 1024;
const GROWTH_BYTES = 1024 * 1024;

/**
 * A hook that lets big bodies wait for a place before they are read, so that only few are in memory. With `fileField` the file in
 * that field is kept out of the JSON: a string of it, its parsed copy and the decoded bytes were five times its size.
 */
export function receiveUpload(
  uploads: Slots,
  { bodyLimitBytes, fileField }: { bodyLimitBytes: number; fileField: string | undefined },
) {
  return async (request: FastifyRequest, reply: FastifyReply, payload: NodeJS.ReadableStream) => {
    const length = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
    const isRefusedAnyway = length > bodyLimitBytes && Number.isFinite(length);
    if (length <= SMALL_BODY_BYTES || isRefusedAnyway) return payload;
    const gone = new AbortController();
    if (reply.raw.closed) gone.abort();
    else reply.raw.once('close', () => gone.abort());
    const key = request.caller ? String(request.caller.userId) : request.ip;
    const release = await uploads.take({ key, signal: gone.signal });
    const memory = new ArrayBuffer(0, { maxByteLength: bodyLimitBytes });
    const upload = countHolders(() => {
      memory.resize(0);
      release();
      setImmediate(collectDeadBuffers);
    });
    request.upload = upload;
    // The answer is out, or the client has left.
    const leave = upload.hold();
    if (gone.signal.aborted) leave();
    else gone.signal.addEventListener('abort', leave, { once: true });
    if (fileField === undefined || !isJson(request)) return payload;
    return readWithoutFile(payload, memory, fileField, upload);
  };
}

function isJson({ headers }: FastifyRequest): boolean {
  return /^application\/json\b/i.test(headers['content-type'] ?? '');
}

function countHolders(end: () => void): Upload {
  let holders = 0;
  return {
    file: null,
    hold() {
      holders += 1;
      let held = true;
      return () => {
        if (held && --holders === 0) end();
        held = false;
      };
    },
  };
}

async function readWithoutFile(
  payload: NodeJS.ReadableStream,
  memory: ArrayBuffer,
  fileField: string,
  upload: Upload,
): Promise<NodeJS.ReadableStream> {
  const leave = upload.hold();
  try {
    const body = await readInto(memory, payload);
    const cut = cutFile(body, fileField);
    if (cut) upload.file = { text: cut.file, standIn: cut.standIn };
    // Fastify compares what it reads with the content-length unless it is told how much there was.
    return Object.assign(Readable.from([cut?.rest ?? Buffer.from(body)]), { receivedEncodedLength: body.length });
  } finally {
    leave();
  }
}

/**
 * Reads a body into memory that grows with it and is given back to the system by `resize`: neither buffers left to the garbage
 * collector nor the allocator's own cache then hold on to it.
 */
function readInto(memory: ArrayBuffer, payload: NodeJS.ReadableStream): Promise<Buffer> {
  const bytes = new Uint8Array(memory);
  let length = 0;
  return new Promise((resolve, reject) => {
    payload.on('data', (chunk: Buffer) => {
      const end = length + chunk.length;
      if (end > memory.maxByteLength) {
        payload.removeAllListeners('data');
        return reject(new AppError('too_large', 'The body is larger than this operation takes'));
      }
      if (end > memory.byteLength) memory.resize(Math.min(memory.maxByteLength, end + GROWTH_BYTES));
      bytes.set(chunk, length);
      length = end;
      setImmediate(giveBack, chunk);
    });
    payload.once('end', () => resolve(Buffer.from(memory, 0, length)));
    payload.once('error', reject);
    payload.once('close', () => reject(new AppError('invalid', 'The request ended before its body did')));
  });
}

/** Frees a chunk that has been copied, which only the garbage collector would do otherwise, and late. */
function giveBack(chunk: Buffer): void {
  const { buffer } = chunk;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === chunk.length) buffer.transfer(0);
}
