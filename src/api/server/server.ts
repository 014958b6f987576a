import { randomUUID } from 'node:crypto';
import cors from '@fastify/cors';
import { fastify, type FastifyInstance, type FastifyRequest, type onRequestHookHandler } from 'fastify';
import type { Registry } from 'prom-client';
import type { PoolUse } from '../../platform/database/connect.ts';
import { createFairSemaphore } from '../../platform/concurrency/fair-semaphore.ts';
import type { UserDependencies } from '../../identity/dependencies.ts';
import { createServerTransfers, RESPONSE_PERMITS, type TransferLimits } from './begin-transfer.ts';
import { installEnvelope, COMPILERS, sendFailure, setCommonHeaders } from './answer.ts';
import type { Authenticate } from './auth.ts';
import { installGracefulShutdown } from './graceful-shutdown.ts';
import { createPageSender, registerDashboard, type DashboardFiles } from './serve-dashboard.ts';
import { eventsOperation } from '../contract/events.ts';
import { registerEvents } from '../events/register-events.ts';
import type { EventSource } from '../events/watch-progress.ts';
import { WARNINGS_HEADER } from './validate-body.ts';
import { createDoor, DOOR_LIMITS, guardDoor, type Door, type DoorLimits } from './door.ts';
import { createErrorHandler, type ErrorToAnswer } from './error-handler.ts';
import { cleanForwardedAddresses, normalizeAddresses } from './forwarded-addresses.ts';
import { limitRates, RATE_HEADERS } from './rate-limits.ts';
import { logRequests } from './log-requests.ts';
import { measureRequests, measureLoad } from './measure.ts';
import { checkHostHeader } from './check-host-header.ts';
import { registerDocument, registerDocs } from './serve-document.ts';
import { registerFeeds, type ReadFeed } from './serve-feed.ts';
import type { Operation } from '../operation.ts';
import { registerOperatorRoutes } from './operator-routes.ts';
import { handleRawHttpErrors, onClientError } from './raw-errors.ts';
import { authenticateRequest, registerOperation, requireCaller, workspaceInHeader } from './routing.ts';
import type { ReadinessDependencies } from './readiness.ts';
import { anyTokenOfCookie } from './session-cookie.ts';
import { registerPasskeys } from './session-passkeys.ts';
import { registerSession } from './session.ts';
import { setRequesters } from './set-requesters.ts';
import { registerNotFound } from './not-found.ts';
import { createLimitPerWorkspace } from './long-answers.ts';
import { enforceMinUploadRate, SMALL_BODY_BYTES, type BodyPace } from './receive-bodies.ts';

export interface ServerDependencies extends Omit<ReadinessDependencies, 'isStopping'> {
  operations: readonly Operation[];
  /** The source of live progress; without it there are no streams. */
  events?: EventSource;
  /** Reads the feeds of links to the calendar; without it there are none. */
  readFeed?: ReadFeed;
  authenticate: Authenticate;
  /** Throws while the disk is nearly full. */
  assertDiskSpace?: () => Promise<void>;
  /** Returns the use of the pool for operations. */
  readPool: () => PoolUse;
  metrics: Registry;
  /** The dashboard, and the dependencies of its sign-in. Without a dashboard `/` redirects to the page for trying the API. */
  dashboard?: (DashboardFiles & { users: UserDependencies }) | undefined;
  settings: HttpSettings;
  limits?: Partial<HttpLimits>;
}

/** The operator's settings (contract §1). */
export interface HttpSettings {
  /** The listen address. On loopback the server accepts only loopback names and the host of `publicUrl` (DNS rebinding). */
  host?: string | undefined;
  /** External base URL. */
  publicUrl?: string | undefined;
  /** The proxies whose `x-forwarded-for` is trusted; none unless given. */
  trustedProxies?: readonly string[] | undefined;
  corsOrigins?: readonly string[] | undefined;
  metricsToken?: string | undefined;
  /** Lets anybody read the API's description and the metrics, even if `publicUrl` is set. */
  publicDocs?: boolean | undefined;
  /** A line in the log for each request. */
  accessLog?: boolean | undefined;
  /** Requests a minute and workspace on bearer operations. */
  rateLimit?: number | undefined;
  /** Limit of previews and checks together; 600 unless given. */
  previewRateLimit?: number | undefined;
}

/** Limits that are constant outside of tests. */
export interface HttpLimits extends TransferLimits {
  headersTimeoutMs: number;
  /** Time for the whole request: its wait for a permit, and the largest body at the minimum rate. */
  requestTimeoutMs: number;
  timeoutCheckMs: number;
  /** How long requests in flight may continue after `close()`. */
  closeTimeoutMs: number;
  bodyPace: BodyPace;
  /** A client that takes nothing of a long answer for so long loses its connection. */
  unreadMs: number;
  /** Any connection over which nothing has come or gone for so long is closed. */
  silentMs: number;
  connections: number;
  door: DoorLimits;
}

export const LIMITS: HttpLimits = {
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 30 * 60_000,
  timeoutCheckMs: 5_000,
  closeTimeoutMs: 10_000,
  bodyPace: { bytesPerSecond: 16 * 1024, graceMs: 5_000 },
  // The largest body within the time that one waits for its turn.
  contendedPace: { bytesPerSecond: 16 * 1024, mostBytesPerSecond: 1024 * 1024, doublingMs: 2_000, checkMs: 500 },
  unreadMs: 30_000,
  // Longer than any request waits for its turn, a worker or the database, and than live progress is silent.
  silentMs: 60_000,
  // A thousand beside as many as may listen to live progress.
  connections: 6_000,
  // Three of the longest, so that two that come slowly delay nobody. One takes up to four times its size until it is answered and collected.
  bigBodiesBytes: 78 * 1024 * 1024,
  bigBodyWaitMs: 30_000,
  files: 100,
  longAnswers: 200,
  door: DOOR_LIMITS,
};
/** A minute and workspace, unless the operator says otherwise. */
const PREVIEWS_PER_MINUTE = 600;
/** Permits for building answers of megabytes. A workspace in cooldown keeps a permit, so their number is not limited. */
const LONG_RESPONSE_PERMITS = { ...RESPONSE_PERMITS, size: Infinity, perKey: 1 };

/** Returns the HTTP server with all operations, not yet listening. `close()` finishes the requests in flight first. */
export async function buildServer(dependencies: ServerDependencies): Promise<FastifyInstance> {
  const { settings } = dependencies;
  const limits = { ...LIMITS, ...dependencies.limits };
  const toErrorAnswer = createErrorHandler(dependencies);
  const server = createInstance(settings, limits, toErrorAnswer);
  server.decorateRequest('caller', null);
  server.decorateRequest('bodyPermit', null);
  server.decorateRequest('transfer', null);
  server.decorateRequest('ignoredFields', null);
  server.decorateRequest('hasText', false);
  server.decorateRequest('warnings', null);
  const door = createDoor(limits.door);
  guardDoor(server, door);
  installEnvelope(server, toErrorAnswer, door);
  handleRawHttpErrors(server.server);
  cleanForwardedAddresses(server, { ...settings, log: dependencies.log });
  server.server.maxConnections = limits.connections;
  checkHostHeader(server, settings);
  const isStopping = installGracefulShutdown(server, limits.closeTimeoutMs);
  if (settings.corsOrigins?.length) await allowOrigins(server, settings.corsOrigins);
  const isHttps = isBehindHttps(settings);
  if (isHttps) addHstsHeader(server);
  const { dashboard } = dependencies;
  const sendPage = dashboard && createPageSender(dashboard);
  registerNotFound(server, door, dashboard && sendPage && { state: dashboard.state, sendPage });
  enforceMinUploadRate(server, limits.bodyPace);
  setRequesters(server);
  measureRequests(server, dependencies.metrics);
  logRequests(server, { log: dependencies.log, access: settings.accessLog ?? false });
  measureLoad(server, dependencies);
  if (dependencies.readFeed) registerFeeds(server, dependencies.readFeed);
  await registerOperations(server, { ...dependencies, door }, limits);
  registerOperatorRoutes(server, { ...dependencies, isStopping });
  const forReaders = { onRequest: requireSignInForDocs(dependencies) };
  await registerDocument(server, { ...forReaders, publicUrl: settings.publicUrl });
  await registerDocs(server, forReaders);
  if (dashboard && sendPage) {
    const routes = { ...dashboard, authenticate: dependencies.authenticate, isHttps, publicUrl: settings.publicUrl };
    registerSession(server, routes);
    registerPasskeys(server, routes);
    await registerDashboard(server, { ...dashboard, sendPage });
  } else {
    server.get('/', (_request, reply) => reply.redirect('/docs', 302));
  }
  return server;
}

function isBehindHttps({ publicUrl }: HttpSettings): boolean {
  return publicUrl?.startsWith('https:') ?? false;
}

/** For this host only: its subdomains and siblings are not ours. */
function addHstsHeader(server: FastifyInstance): void {
  server.addHook('onRequest', (_request, reply, done) => {
    reply.header('strict-transport-security', 'max-age=31536000');
    done();
  });
}

/** Requires a signed-in user for the description of the API if the service is public and the operator has not set `publicDocs`. */
function requireSignInForDocs({ authenticate, settings }: ServerDependencies): onRequestHookHandler[] {
  if (settings.publicUrl === undefined || settings.publicDocs) return [];
  const isHttps = isBehindHttps(settings);
  return [
    authenticateRequest(authenticate, (request) => {
      const token = anyTokenOfCookie(request, isHttps);
      return request.headers.authorization ?? (token === undefined ? undefined : `Bearer ${token}`);
    }),
  ];
}

/** A server without a route, that answers in our way also what never gets to one. */
export function createInstance(
  settings: HttpSettings,
  limits: HttpLimits,
  toErrorAnswer: ErrorToAnswer,
): FastifyInstance {
  const server = fastify({
    // Fastify's line per request would cost more than most requests. `logRequests` writes the wanted lines, `installEnvelope` our own
    // failures.
    logger: false,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    bodyLimit: SMALL_BODY_BYTES,
    trustProxy: settings.trustedProxies?.length ? [...settings.trustedProxies] : false,
    return503OnClosing: false,
    requestTimeout: limits.requestTimeoutMs,
    connectionTimeout: limits.silentMs,
    http: {
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.timeoutCheckMs,
      // `installEnvelope` does, with an envelope.
      requireHostHeader: false,
    },
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true },
    schemaController: COMPILERS,
    clientErrorHandler: onClientError,
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(request, reply);
      sendFailure(toErrorAnswer(error, request), request, reply);
    },
  });
  normalizeAddresses(server);
  return server;
}

/** A browser's `EventSource` sets no header, so that its address names the workspace. */
function workspaceOfStream(request: FastifyRequest): string | undefined {
  const { workspace } = request.query as { workspace?: unknown };
  return workspaceInHeader(request) ?? (workspace === undefined ? undefined : String(workspace));
}

async function allowOrigins(server: FastifyInstance, origins: readonly string[]): Promise<void> {
  await server.register(cors, {
    origin: [...origins],
    methods: ['POST', 'GET'],
    exposedHeaders: [
      'x-request-id',
      'x-campaign-id',
      'x-campanile-time-zone',
      'retry-after',
      'content-disposition',
      'idempotency-replayed',
      WARNINGS_HEADER,
      ...RATE_HEADERS,
    ],
    strictPreflight: false,
    maxAge: 600,
  });
}

async function registerOperations(
  server: FastifyInstance,
  dependencies: ServerDependencies & { door: Door },
  limits: HttpLimits,
) {
  const { operations, authenticate, door, assertDiskSpace = async () => {} } = dependencies;
  const { rateLimit, previewRateLimit = PREVIEWS_PER_MINUTE } = dependencies.settings;
  const { metrics, log } = dependencies;
  const options = {
    authenticate,
    transfers: createServerTransfers(limits, door),
    unreadMs: limits.unreadMs,
    limitPerWorkspace: createLimitPerWorkspace(createFairSemaphore(LONG_RESPONSE_PERMITS)),
    door,
    assertDiskSpace,
    isHttps: isBehindHttps(dependencies.settings),
    ...(await limitRates(server, { all: rateLimit, previews: previewRateLimit })),
  };
  for (const operation of operations) registerOperation(server, operation, options);
  const { events: source } = dependencies;
  if (source)
    registerEvents(server, {
      source,
      onRequest: requireCaller(options, {
        ...eventsOperation,
        scope: eventsOperation.access,
        workspaceOf: workspaceOfStream,
      }),
      metrics,
      log,
    });
}
