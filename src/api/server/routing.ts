import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { hashBody } from '../../workspaces/idempotency/hash-body.ts';
import type { IdempotencyKey } from '../../workspaces/idempotency/once.ts';
import { invalid, fieldError } from '../../platform/errors/errors.ts';
import { boundBody } from './body-bounds.ts';
import { ForeignWorkspaceError, requireRole, requireScope, type Authenticate, type Reach } from './auth.ts';
import type { CheckRate } from './rate-limits.ts';
import { JSON_TYPE, sendSuccess } from './answer.ts';
import { successText } from './envelope.ts';
import type { Door } from './door.ts';
import { authorizationOf } from './session-cookie.ts';
import { idempotencyOf, type RequiredRole } from '../contract/define-operations.ts';
import type { LongText } from '../contract/long-text.ts';
import type { BearerOperation, Caller, OpenContext, Operation } from '../operation.ts';
import type { ServerTransfers } from './begin-transfer.ts';
import { beginAnswer, streamPieces, streamSuccess, toPieces, type LimitPerWorkspace } from './long-answers.ts';
import { settleBody, assertValidBody, addWarningsHeader, warningsOf } from './validate-body.ts';
import { beginFile, registerWithFileBody } from './file-bodies.ts';
import { endBodyPermit, receiveBigBodies, SMALL_BODY_BYTES } from './receive-bodies.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the time a bearer operation's body is read; null in all other requests. */
    caller: Caller | null;
  }
}

/** Names the workspace that a request is about. */
export const WORKSPACE_HEADER = 'x-workspace';
const IDEMPOTENCY_KEY_LIMIT = 255;
/** The time within which a revocation or a removal holds (contract §9). */
const REVOCATION_DELAY_MS = 1_000;

export interface RoutingOptions {
  authenticate: Authenticate;
  transfers: ServerTransfers;
  door: Door;
  /** A client that takes nothing of a long answer for so long loses its connection. */
  unreadMs: number;
  /** Does what makes a long answer as a whole, in each workspace's share of the process. */
  limitPerWorkspace: LimitPerWorkspace;
  /** Whether the dashboard's cookie is one that goes over HTTPS only. */
  isHttps: boolean;
  /** Runs after the caller is known. */
  rateLimit?: CheckRate;
  /** Runs after the caller is known, before what only previews. */
  previewLimit: onRequestHookHandler;
  /** Throws while the disk is nearly full. */
  assertDiskSpace: () => Promise<void>;
}

/** Registers the route of an operation: authenticates the caller, then reads and validates the body, then runs the operation. */
export function registerOperation(server: FastifyInstance, operation: Operation, options: RoutingOptions): void {
  const { files } = options.transfers;
  if (operation.takesFile) registerWithFileBody(server, files, (scope) => registerRoute(scope, operation, options));
  else registerRoute(server, operation, options);
}

function registerRoute(server: FastifyInstance, operation: Operation, options: RoutingOptions): void {
  const { access, bodyLimitBytes: bodyLimit = SMALL_BODY_BYTES } = operation;
  const { transfers, unreadMs } = options;
  server.route({
    method: 'POST',
    url: operation.path,
    schema: { body: operation.body },
    attachValidation: true,
    preValidation: settleBody(operation),
    config: {
      tag: operation.tag,
      isWrite: access !== 'open' && access !== 'read',
      bodyBounds: boundBody(operation.body),
    },
    bodyLimit,
    onRequest: [
      ...(access === 'open' ? [] : requireCaller(options, { ...operation, role: operation.role, scope: access })),
      ...(operation.isPreview ? [options.previewLimit] : []),
      ...(operation.requiresDiskSpace ? [options.assertDiskSpace] : []),
    ],
    // Once the body has arrived: a client that sends it slowly holds no permit.
    preHandler: [
      ...(operation.longAnswer ? [beginAnswer(transfers.answers, unreadMs)] : []),
      ...(operation.fetchesFile ? [beginFile(transfers.files)] : []),
    ],
    ...(bodyLimit > SMALL_BODY_BYTES && { preParsing: receiveBigBodies(transfers.bodies, bodyLimit) }),
    handler: handlerOf(operation, options),
  });
}

/** Returns the checks before the body of a request is read: authentication, rate limit, and authorization. */
export function requireCaller(
  { authenticate, isHttps, rateLimit }: Pick<RoutingOptions, 'authenticate' | 'isHttps' | 'rateLimit'>,
  { role, workspaceOf = workspaceInHeader, ...reach }: CallerRequirements,
): onRequestHookHandler[] {
  return [
    authenticateRequest(
      authenticate,
      (request) => authorizationOf(request, isHttps),
      role === 'none' ? undefined : workspaceOf,
      rateLimit,
    ),
    ...(rateLimit ? [rateLimit] : []),
    ({ caller }, _reply, done) => {
      if (caller) {
        requireScope(caller, reach);
        requireRole(caller, role);
      }
      done();
    },
  ];
}

interface CallerRequirements extends Reach {
  role: RequiredRole;
  /** Returns the workspace that a request names; undefined for none. */
  workspaceOf?: (request: FastifyRequest) => string | undefined;
}

/** Not an async function: nearly every token is resolved synchronously, and this runs in each request. */
export function authenticateRequest(
  authenticate: Authenticate,
  readAuthorization: (request: FastifyRequest) => string | undefined,
  workspaceOf: (request: FastifyRequest) => string | undefined = () => undefined,
  checkRate?: CheckRate,
): onRequestHookHandler {
  /** Counts a request for a workspace of others, too. Throws the error, or that of the limit. */
  async function reject(request: FastifyRequest, reply: FastifyReply, error: unknown): Promise<never> {
    if (checkRate && error instanceof ForeignWorkspaceError) {
      request.caller = error.caller;
      await checkRate(request, reply);
    }
    throw error;
  }
  return (request, reply, done) => {
    let caller: Caller | Promise<Caller>;
    try {
      caller = authenticate(readAuthorization(request), request.ip, workspaceOf(request));
    } catch (error) {
      return reject(request, reply, error);
    }
    if (!(caller instanceof Promise)) {
      request.caller = caller;
      return done();
    }
    return caller.then(
      (known) => {
        request.caller = known;
      },
      (error: unknown) => reject(request, reply, error),
    );
  };
}

/** Returns the workspace that the header of a request names; undefined without one. Any other value than an id names none that exists. */
export function workspaceInHeader({ headers }: FastifyRequest): string | undefined {
  const value = headers[WORKSPACE_HEADER];
  return Array.isArray(value) ? value.join(', ') : value;
}

function handlerOf(operation: Operation, options: RoutingOptions) {
  const { limitPerWorkspace } = options;
  const { answerType, longAnswer } = operation;
  const isStreamed = longAnswer === 'pieces' || longAnswer === 'rows';
  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const data = await run(operation, request, reply, options).finally(() => endBodyPermit(request));
    addWarningsHeader(request, reply);
    if (answerType === '*/*') reply.send(streamPieces(request, data as AsyncIterable<Uint8Array>));
    else if (answerType) reply.type(answerType).send(streamPieces(request, (data as LongText).pieces));
    else if (isStreamed) reply.type(JSON_TYPE).send(streamSuccess(request, data));
    else if (longAnswer) reply.type(JSON_TYPE).send(streamPieces(request, toPieces(successText(data))));
    else options.door.answer(request, () => void sendSuccess(reply, data));
    return reply;
  }
  if (longAnswer === undefined || longAnswer === 'pieces') return answer;
  return async (request: FastifyRequest, reply: FastifyReply) => {
    await limitPerWorkspace(request, () => answer(request, reply));
    return reply;
  };
}

/**
 * Returns the caller, authenticated again if the body took long to arrive: what was revoked meanwhile, or changed by a new role, holds for
 * this request too.
 */
async function refreshCaller(
  { role }: BearerOperation,
  request: FastifyRequest,
  elapsedMs: number,
  { authenticate, isHttps }: RoutingOptions,
): Promise<Caller> {
  if (!request.caller) throw new Error('a bearer operation was reached without a caller');
  if (elapsedMs < REVOCATION_DELAY_MS) return request.caller;
  const workspace = role === 'none' ? undefined : workspaceInHeader(request);
  const caller = await authenticate(authorizationOf(request, isHttps), request.ip, workspace);
  requireRole(caller, role);
  request.caller = caller;
  return caller;
}

async function run(
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  options: RoutingOptions,
): Promise<unknown> {
  if (operation.access === 'open') {
    await assertValidBody(operation, request, undefined);
    return operation.handle(contextOf(request, reply));
  }
  const caller = await refreshCaller(operation, request, reply.elapsedTime, options);
  const { userId, workspaceId, role, apiKeyId } = caller;
  const actor = { userId, workspaceId, role, apiKeyId, address: request.ip };
  await assertValidBody(operation, request, actor);
  const context = contextOf(request, reply);
  const replayed = () => void reply.header('idempotency-replayed', 'true');
  const key = idempotencyOf(operation) === 'keyed' ? readIdempotencyKey(operation, request, caller) : undefined;
  const idempotencyKey = key && { ...key, replayed };
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
    throw invalid([fieldError('Idempotency-Key', 'length_between', { min: 1, max: IDEMPOTENCY_KEY_LIMIT })]);
  return { workspaceId, key, operation: operation.path, bodyHash: hashBody(request.body), arrivedMs: Date.now() };
}

function contextOf(request: FastifyRequest, reply: FastifyReply): OpenContext<unknown> {
  return {
    body: request.body,
    address: request.ip,
    transfer: request.transfer,
    warnings: warningsOf(request),
    warn(sentences = []) {
      request.warnings = [...(request.warnings ?? []), ...sentences];
    },
    header(name) {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    setHeader(name, value) {
      reply.header(name, value);
    },
  };
}
