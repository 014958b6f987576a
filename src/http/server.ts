import { randomUUID } from 'node:crypto';
import cors from '@fastify/cors';
import rateLimit from '@fastify/rate-limit';
import swagger from '@fastify/swagger';
import { fastify, type FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { PoolUse } from '../database/connect.ts';
import { AppError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { UserDependencies } from '../users/dependencies.ts';
import { answerInEnvelope, COMPILERS, sendFailure, setCommonHeaders } from './edge/answer.ts';
import type { Authenticate } from './edge/auth.ts';
import { createBodyBudget } from './edge/body-budget.ts';
import { finishGracefully } from './edge/closing.ts';
import { registerDashboard } from './edge/serve-dashboard.ts';
import { registerDocs } from './edge/docs.ts';
import { registerEvents, type EventSource } from './events/register-events.ts';
import { createJudge, type Judge } from './edge/judge.ts';
import { measureRequests } from './edge/measure.ts';
import { documentOptions } from './edge/openapi.ts';
import type { Operation } from './operation.ts';
import { registerOperatorRoutes, type ReadyChecks } from './edge/operator-routes.ts';
import { OVERLOAD_LIMITS, watchLoad, type OverloadLimits } from './edge/overload.ts';
import { answerInsteadOfNode, answerUnparsable } from './edge/raw-errors.ts';
import { registerOperation, requireCaller } from './edge/routing.ts';
import { registerSession } from './edge/session.ts';
import { refuseUnknown } from './edge/unknown-path.ts';
import { refuseSlowBodies, SMALL_BODY_BYTES, type BodyPace } from './edge/receive-bodies.ts';

export interface ServerDependencies {
  operations: readonly Operation[];
  /** What live progress is told from; without it there is none. */
  events?: EventSource;
  authenticate: Authenticate;
  readyChecks: ReadyChecks;
  /** Whether the disk that the database is on is known to be full. */
  isDiskFull: () => boolean;
  /** How busy the pool is that operations use. */
  readPool: () => PoolUse;
  metrics: Registry;
  log: Log;
  /** Where it was built, and whom it signs in. Without one `/` leads to the page that the API can be tried on. */
  dashboard?: { folder: string; users: UserDependencies } | undefined;
  settings: HttpSettings;
  limits?: Partial<HttpLimits>;
  /** For tests: fails an answer that is not what its schema says. */
  checkAnswers?: boolean;
}

/** What the operator decides (contract §1). */
export interface HttpSettings {
  /** External base URL. When set, the address of a client is what the proxy in front reports. */
  publicUrl?: string | undefined;
  corsOrigins?: readonly string[] | undefined;
  metricsToken?: string | undefined;
  /** Requests a minute and user on bearer operations. */
  rateLimit?: number | undefined;
}

/** What is the same everywhere but in tests. */
export interface HttpLimits {
  headersTimeoutMs: number;
  /** For a request to arrive whole: the longest body, as slowly as it may come, and its wait before that. */
  requestTimeoutMs: number;
  timeoutCheckMs: number;
  /** How long requests in hand may go on after `close()`. */
  closeTimeoutMs: number;
  bodyPace: BodyPace;
  /** What all bodies over 256 KiB together may announce before others wait. */
  bigBodiesBytes: number;
  bigBodyWaitMs: number;
  overload: OverloadLimits;
}

export const LIMITS: HttpLimits = {
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 30 * 60_000,
  timeoutCheckMs: 5_000,
  closeTimeoutMs: 10_000,
  bodyPace: { bytesPerSecond: 16 * 1024, graceMs: 5_000 },
  // Three of the longest, so that two that come slowly delay nobody. One takes up to five times its size until it is answered.
  bigBodiesBytes: 78 * 1024 * 1024,
  bigBodyWaitMs: 30_000,
  overload: OVERLOAD_LIMITS,
};
/** Proxies stand in private networks; whoever claims to be one from elsewhere is not believed. */
const PROXIES = ['loopback', 'linklocal', 'uniquelocal'];
const MINUTE_MS = 60_000;
/** The HTTP server with all operations, not yet listening: `listen()` opens it, `close()` finishes what is in hand and ends. */
export async function buildServer(dependencies: ServerDependencies): Promise<FastifyInstance> {
  const { operations, settings } = dependencies;
  const limits = { ...LIMITS, ...dependencies.limits };
  const judge = createJudge(dependencies);
  const server = createInstance(settings, limits, judge);
  server.decorateRequest('caller', null);
  server.decorateRequest('bodyPlace', null);
  answerInEnvelope(server, judge);
  answerInsteadOfNode(server.server);
  const isStopping = finishGracefully(server, limits.closeTimeoutMs);
  if (settings.corsOrigins?.length) await allowOrigins(server, settings.corsOrigins);
  refuseUnknown(server);
  refuseSlowBodies(server, limits.bodyPace);
  measureRequests(server, dependencies.metrics);
  await server.register(swagger, documentOptions(operations, settings.publicUrl ?? '/'));
  await registerOperations(server, dependencies, limits);
  registerOperatorRoutes(server, { ...dependencies, isStopping, metricsToken: settings.metricsToken });
  server.get('/openapi.json', { schema: { hide: true } }, async () => server.swagger());
  const isHttps = settings.publicUrl?.startsWith('https:') ?? false;
  await registerDocs(server, { isHttps });
  if (dependencies.dashboard) {
    registerSession(server, { users: dependencies.dashboard.users, isHttps });
    await registerDashboard(server, { folder: dependencies.dashboard.folder, isHttps });
  } else {
    server.get('/', { schema: { hide: true } }, (_request, reply) => reply.redirect('/docs', 302));
  }
  return server;
}

/** A server without a route, that answers in our way also what never gets to one. */
export function createInstance(settings: HttpSettings, limits: HttpLimits, judge: Judge): FastifyInstance {
  return fastify({
    // One line a request would cost more than most requests; what fails for our fault is logged by `answerInEnvelope`.
    logger: false,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    bodyLimit: SMALL_BODY_BYTES,
    trustProxy: settings.publicUrl === undefined ? false : PROXIES,
    return503OnClosing: false,
    requestTimeout: limits.requestTimeoutMs,
    http: {
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.timeoutCheckMs,
      // `answerInEnvelope` does, with an envelope.
      requireHostHeader: false,
    },
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true },
    schemaController: COMPILERS,
    clientErrorHandler: answerUnparsable,
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(request, reply);
      sendFailure(judge(error, request), request, reply);
    },
  });
}

async function allowOrigins(server: FastifyInstance, origins: readonly string[]): Promise<void> {
  await server.register(cors, {
    origin: [...origins],
    methods: ['POST', 'GET'],
    exposedHeaders: ['x-request-id', 'x-campaign-id', 'retry-after', 'content-disposition'],
    strictPreflight: false,
    maxAge: 600,
  });
}

async function registerOperations(server: FastifyInstance, dependencies: ServerDependencies, limits: HttpLimits) {
  const { operations, authenticate, checkAnswers = false } = dependencies;
  const perMinute = dependencies.settings.rateLimit;
  if (perMinute !== undefined) await limitRate(server, perMinute);
  const { readPool, metrics, log } = dependencies;
  const options = {
    authenticate,
    bodyBudget: createBodyBudget({ totalBytes: limits.bigBodiesBytes, maxWaitMs: limits.bigBodyWaitMs }),
    load: watchLoad(server, { limits: limits.overload, readPool, metrics, log }),
    checkAnswers,
    ...(perMinute === undefined ? {} : { rateLimit: server.rateLimit() }),
  };
  for (const operation of operations) registerOperation(server, operation, options);
  const { events: source } = dependencies;
  if (source) registerEvents(server, { source, onRequest: requireCaller(options, { scope: 'read' }), metrics, log });
}

async function limitRate(server: FastifyInstance, perMinute: number): Promise<void> {
  await server.register(rateLimit, {
    global: false,
    max: perMinute,
    timeWindow: MINUTE_MS,
    cache: 100_000,
    keyGenerator: (request) => String(request.caller?.userId),
    errorResponseBuilder: (_request, { ttl }) =>
      new AppError('rate_limited', `No more than ${perMinute} requests a minute`, {
        retryAfterSeconds: Math.max(1, Math.ceil(ttl / 1_000)),
      }),
  });
}
