import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { isDeepStrictEqual } from 'node:util';
import { hashBody } from '../../idempotency/hash-body.ts';
import type { IdempotencyKey } from '../../idempotency/once.ts';
import { invalid } from '../../lib/errors.ts';
import { requireScope, type Authenticate } from './auth.ts';
import type { BodyBudget } from './body-budget.ts';
import { successText } from './envelope.ts';
import { routeSchema } from './openapi.ts';
import type { LoadWatch } from './overload.ts';
import { authorizationOf } from './session-cookie.ts';
import type { Caller, OpenContext, Operation, OperationScope } from '../operation.ts';
import { awaitBodyPlace, SMALL_BODY_BYTES, workOnBody } from './receive-bodies.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the time a bearer operation's body is read; null in all other requests. */
    caller: Caller | null;
  }
}

const IDEMPOTENCY_KEY_LIMIT = 255;
const JSON_TYPE = 'application/json; charset=utf-8';

export interface RoutingOptions {
  authenticate: Authenticate;
  /** What bodies over 256 KiB wait for before they are read. */
  bodyBudget: BodyBudget;
  load: LoadWatch;
  /** Runs after the caller is known. */
  rateLimit?: onRequestHookHandler;
  /** Checks that answers are what their schemas say: for tests, since it takes longer than making the answer. */
  checkAnswers: boolean;
}

/** Makes a route of an operation: who asks is settled first, then the body is read and checked, then the operation runs. */
export function registerOperation(server: FastifyInstance, operation: Operation, options: RoutingOptions): void {
  const isBearer = operation.access === 'bearer';
  const bodyLimit = (isBearer ? operation.bodyLimitBytes : undefined) ?? SMALL_BODY_BYTES;
  server.route({
    method: 'POST',
    url: operation.path,
    schema: routeSchema(operation),
    bodyLimit,
    onRequest: [
      ...(isBearer ? requireCaller(options, operation) : []),
      ...(bodyLimit > SMALL_BODY_BYTES ? [awaitBodyPlace(options.bodyBudget, bodyLimit)] : []),
    ],
    handler: handlerOf(operation, options.checkAnswers),
  });
}

/** What comes before a request is listened to: whether there is room for it, who asks, how often, and what they may. */
export function requireCaller(
  { load, authenticate, rateLimit }: RoutingOptions,
  { scope, isHeavy = false }: { scope: OperationScope; isHeavy?: boolean },
): onRequestHookHandler[] {
  return [
    load.shed(isHeavy),
    authenticateRequest(authenticate),
    ...(rateLimit ? [rateLimit] : []),
    refuseOutOfScope(scope),
  ];
}

/** Not an async function: nearly every token is settled without waiting, and this runs in each request. */
export function authenticateRequest(authenticate: Authenticate): onRequestHookHandler {
  return (request, _reply, done) => {
    let caller: Caller | Promise<Caller>;
    try {
      caller = authenticate(authorizationOf(request));
    } catch (error) {
      return done(error instanceof Error ? error : new Error(String(error)));
    }
    if (!(caller instanceof Promise)) {
      request.caller = caller;
      return done();
    }
    return caller.then((known) => {
      request.caller = known;
    });
  };
}

function refuseOutOfScope(scope: OperationScope): onRequestHookHandler {
  return (request, _reply, done) => {
    if (request.caller) requireScope(request.caller, scope);
    done();
  };
}

function handlerOf(operation: Operation, checkAnswers: boolean) {
  const { answerType } = operation;
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const data = await workOnBody(request, () => run(operation, request, reply));
    if (checkAnswers) refuseUnlikeSchema(operation, data);
    if (answerType === '*/*') reply.send(data);
    else if (answerType) reply.type(answerType).send(data);
    else reply.type(JSON_TYPE).send(successText(data));
    return reply;
  };
}

function run(operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const context = contextOf(request, reply);
  if (operation.access === 'open') return operation.handle(context);
  const { caller } = request;
  if (!caller) throw new Error('a bearer operation was reached without a caller');
  const idempotencyKey = operation.idempotent ? readIdempotencyKey(operation, request, caller) : undefined;
  const { userId, workspaceId, role, apiKeyId } = caller;
  const actor = { userId, workspaceId, role, apiKeyId, address: request.ip };
  return operation.handle({ ...context, caller, actor, idempotencyKey });
}

function readIdempotencyKey(
  operation: Operation,
  request: FastifyRequest,
  { workspaceId }: Caller,
): IdempotencyKey | undefined {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return undefined;
  const key = String(header);
  if (key.length < 1 || key.length > IDEMPOTENCY_KEY_LIMIT)
    throw invalid([{ field: 'Idempotency-Key', issue: `must be 1 to ${IDEMPOTENCY_KEY_LIMIT} characters` }]);
  return { workspaceId, key, operation: operation.path, bodyHash: hashBody(request.body) };
}

function contextOf(request: FastifyRequest, reply: FastifyReply): OpenContext<unknown> {
  return {
    body: request.body,
    address: request.ip,
    requestId: request.id,
    header(name) {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    setHeader(name, value) {
      reply.header(name, value);
    },
  };
}

function refuseUnlikeSchema(operation: Operation, data: unknown): void {
  if (operation.answerType === '*/*') {
    operation.data.parse(data);
    return;
  }
  const asSent: unknown = JSON.parse(JSON.stringify(data));
  if (!isDeepStrictEqual(operation.data.parse(asSent), asSent))
    throw new Error(`${operation.path} answered more than its schema says`);
}
