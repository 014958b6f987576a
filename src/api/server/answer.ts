import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify';
import type { z } from 'zod';
import { AppError } from '../../platform/errors/errors.ts';
import { SMALL_BODY_BOUNDS, type BodyBounds } from './body-bounds.ts';
import { failureText, type FailedAnswer } from './envelope.ts';
import type { ErrorToAnswer } from './error-handler.ts';
import { parseJsonBody } from './json-body.ts';
import { validateBody } from './validation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How many parts the body may have; `SMALL_BODY_BOUNDS` by default. */
    bodyBounds?: BodyBounds;
  }
}

/**
 * How a server checks bodies and writes answers, for its options. Named there and not set later, since Fastify otherwise loads compilers
 * for JSON schemas at the start, which nobody asks for anything: some 3 MB.
 */
export const COMPILERS = {
  compilersFactory: { buildValidator: () => compileCheck, buildSerializer: () => () => JSON.stringify },
  // The types know no compilers but those.
} as unknown as NonNullable<FastifyServerOptions['schemaController']>;

/** Headers of every answer except pages, which set their own. */
export const API_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};

/** After an early error answer, a client has this long to notice before the rest of its upload is cut off. */
const LINGER_MS = 5_000;

/** Installs body parsing, validation and error answers as in the contract's §2. Gives every answer its request id. */
export function installEnvelope(server: FastifyInstance, toErrorAnswer: ErrorToAnswer): void {
  server.removeAllContentTypeParsers();
  const awaitTurn = createTurns();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    const parse = () => {
      try {
        rejectContentEncoding(request);
        done(null, parseJsonBody(body, request.routeOptions.config.bodyBounds ?? SMALL_BODY_BOUNDS));
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    };
    if (request.bodyPermit) void awaitTurn().then(parse);
    else parse();
  });
  server.setErrorHandler((error, request, reply) => sendFailure(toErrorAnswer(error, request), request, reply));
  server.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply);
    done(lacksHost(request) ? new AppError('request_unreadable', 'The request has no Host header') : undefined);
  });
}

/** Turns of the event loop, one for each who asks: several big bodies in the same one would hold up everybody else. */
function createTurns(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    const turn = last;
    last = turn.then(() => nextTurn());
    return turn;
  };
}

function compileCheck({ schema }: { schema: z.ZodType }) {
  return (body: unknown) => validateBody(schema, body);
}

/** RFC 9112, 3.2: such a request has to be refused; before HTTP/1.1 the header was not needed. */
function lacksHost({ raw }: FastifyRequest): boolean {
  return raw.headers.host === undefined && raw.httpVersion === '1.1';
}

export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id).headers(API_HEADERS);
}

export function sendFailure(answer: FailedAnswer, request: FastifyRequest, reply: FastifyReply): void {
  keepConnectionAlive(reply);
  if (!request.raw.complete) drainBody(request);
  reply
    .code(answer.status)
    .headers(answer.headers)
    .type('application/json; charset=utf-8')
    .send(failureText(answer, request.id));
}

/**
 * Fastify closes the connection when it could not read a body. To close at once would make many clients see a broken connection
 * instead of the answer. (What Node itself set, because the server is stopping, stays.)
 */
function keepConnectionAlive(reply: FastifyReply): void {
  if (reply.hasHeader('connection') && !reply.raw.hasHeader('connection')) reply.header('connection', 'keep-alive');
}

/** The answer is out before the body is in: what still comes is read and forgotten, for a while. */
function drainBody({ raw }: FastifyRequest): void {
  raw.resume();
  const timer = setTimeout(() => raw.destroy(), LINGER_MS);
  raw.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
}

function rejectContentEncoding(request: FastifyRequest): void {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw new AppError('content_type_unsupported', 'The body must not be compressed');
}
