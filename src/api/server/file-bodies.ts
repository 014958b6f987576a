import { Readable } from 'node:stream';
import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import type { Transfers } from '../../platform/concurrency/transfers.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { beginTransfer, receiveBody } from './begin-transfer.ts';

/**
 * Registers routes whose body is a file of any type: handlers read it as a stream, as fast as it can be written. Once a file has begun to
 * arrive it waits for a permit.
 */
export function registerWithFileBody(
  server: FastifyInstance,
  files: Transfers,
  registerRoutes: (scope: FastifyInstance) => void,
): void {
  void server.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (request, payload, parsed) => {
      const { 'content-encoding': encoding } = request.headers;
      if (encoding === undefined || encoding === 'identity') parsed(null, readUntilGone(payload));
      else parsed(new AppError('content_type_unsupported', 'The body must not be compressed'));
    });
    // Fastify passes a request without a body on as null.
    scope.addHook('preValidation', (request, { raw: answer }, validate) => {
      const pieces = (request.body ?? Readable.from([])) as AsyncIterable<Uint8Array>;
      request.body = receiveBody(pieces, () => beginTransfer(files, request, answer));
      validate();
    });
    registerRoutes(scope);
    done();
  });
}

/** A client that leaves in the middle has sent no readable request, and is no defect of ours. */
async function* readUntilGone(payload: Readable): AsyncGenerator<Uint8Array> {
  try {
    // The answer to a file that is not accepted goes over the same connection.
    yield* payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw new AppError('request_unreadable', 'The body ended before the file was complete', { cause: error });
  }
}

/** A hook that begins the transfer of a file from elsewhere, before its server is asked. */
export function beginFile(files: Transfers): preHandlerAsyncHookHandler {
  return async (request, { raw: answer }) => {
    request.transfer = await beginTransfer(files, request, answer);
  };
}
