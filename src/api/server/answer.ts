import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify';
import type { z } from 'zod';
import { AppError } from '../../platform/errors/errors.ts';
import { SMALL_BODY_BOUNDS, type BodyBounds } from './body-bounds.ts';
import type { Door } from './door.ts';
import { failureText, successText, type FailedAnswer } from './envelope.ts';
import type { ErrorToAnswer } from './error-handler.ts';
import { parseJsonBody } from './json-body.ts';
import { createBigBodyParser } from './parse-big-body.ts';
import { endBodyPermit, keepBodyPermit, SMALL_BODY_BYTES } from './receive-bodies.ts';
import { shareOf } from './set-requesters.ts';
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

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Headers of every answer except pages, which set their own. */
export const API_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};

/** After an early error answer, a client has this long to notice before the rest of its upload is cut off. */
const LINGER_MS = 5_000;

/**
 * Installs body parsing, validation and error answers as in the contract's §2, behind the door. Gives every answer its request id.
 */
export function installEnvelope(server: FastifyInstance, toErrorAnswer: ErrorToAnswer, door: Door): void {
  server.removeAllContentTypeParsers();
  const bigBodies = createBigBodyParser();
  server.addHook('onClose', () => bigBodies.close());
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    const bounds = request.routeOptions.config.bodyBounds ?? SMALL_BODY_BOUNDS;
    const parseBehindDoor = (parse: () => unknown) =>
      door.pass(request, (refusal) => {
        let parsed: unknown;
        try {
          if (refusal) throw refusal;
          parsed = parse();
        } catch (error) {
          return done(error instanceof Error ? error : new Error(String(error)));
        }
        done(null, parsed);
      });
    keepBodyPermit(request);
    if (!isUncompressed(request)) done(new AppError('content_type_unsupported', 'The body must not be compressed'));
    else if (body.length <= SMALL_BODY_BYTES) parseBehindDoor(() => parseJsonBody(body, bounds));
    else void bigBodies.parse(body, bounds, shareOf(request)).then((parsed) => parseBehindDoor(() => parsed), done);
  });
  server.setErrorHandler((error, request, reply) => {
    // What is rejected before it has passed the door does so now.
    if (request.hasPassedDoor) sendFailure(toErrorAnswer(error, request), request, reply);
    else door.pass(request, (refusal) => sendFailure(toErrorAnswer(refusal ?? error, request), request, reply));
  });
  server.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply);
    done(lacksHost(request) ? new AppError('request_unreadable', 'The request has no Host header') : undefined);
  });
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

/** Sends the answer to a success, in the envelope. */
export function sendSuccess(reply: FastifyReply, data: unknown): FastifyReply {
  return reply.type(JSON_TYPE).send(successText(data));
}

export function sendFailure(answer: FailedAnswer, request: FastifyRequest, reply: FastifyReply): void {
  keepConnectionAlive(reply);
  endBodyPermit(request);
  if (!request.raw.complete) drainBody(request);
  reply.code(answer.status).headers(answer.headers).type(JSON_TYPE).send(failureText(answer, request.id));
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

function isUncompressed({ headers }: FastifyRequest): boolean {
  const encoding = headers['content-encoding'];
  return encoding === undefined || encoding === 'identity';
}
