import { Registry } from 'prom-client';
import { readPool } from '../../../src/platform/database/connect.ts';
import type { Database } from '../../../src/platform/database/statements.ts';
import { createAuthenticate } from '../../../src/api/server/auth.ts';
import type { EventSource } from '../../../src/api/events/watch-progress.ts';
import type { Operation } from '../../../src/api/operation.ts';
import { listOperations, type OperationDependencies } from '../../../src/api/routes/operations.ts';
import type { DashboardState } from '../../../src/api/server/serve-dashboard.ts';
import { buildServer, type HttpLimits, type HttpSettings } from '../../../src/api/server/server.ts';
import { checkAnswers, checkErrors } from './check-answers.ts';
import { createHealth, type Health } from '../../../src/platform/concurrency/health.ts';
import { createLog, type Log } from '../../../src/platform/log/log.ts';
import { BUILD_FOLDER } from '../../../web/freshness.ts';
import { systemClock, type Clock } from '../../../src/platform/time/time.ts';
import { createVault } from '../../../src/platform/secrets/secret-box.ts';
import {
  createUserDependencies,
  type UserDependencies,
  type UserSettings,
} from '../../../src/identity/dependencies.ts';

/** An answer as a client sees it; `body` is parsed if it is JSON. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: unknown;
}

export interface TestServer {
  url: string;
  /** Posts JSON; a string or a Buffer is sent unchanged. */
  post(path: string, body?: unknown, options?: { token?: string; headers?: Record<string, string> }): Promise<Answer>;
  request(path: string, init?: RequestInit): Promise<Answer>;
  close(): Promise<void>;
}

export interface TestServerOptions {
  db: Database;
  operations?: Operation[];
  users?: Partial<UserSettings>;
  settings?: HttpSettings;
  limits?: Partial<HttpLimits>;
  clock?: Clock;
  readyChecks?: Record<string, () => Promise<void>>;
  isDiskFull?: () => boolean;
  health?: Health;
  events?: EventSource;
  /** Silent by default. */
  log?: Log;
  /** A registry of its own by default. */
  metrics?: Registry;
  /** Also serves the dashboard and its session. */
  hasDashboard?: boolean;
  /** The listen address; 127.0.0.1 by default. */
  host?: string;
  /** Of that dashboard; built by default. */
  dashboardState?: () => DashboardState;
}

export const JWT_SECRET = 'the secret of the tests, long enough';

/** A whole server on a free port, as `app.ts` wires it, with answers checked against their schemas. */
export async function startTestServer({
  db,
  operations = [],
  users = {},
  settings = {},
  limits = {},
  clock = systemClock,
  readyChecks = {},
  isDiskFull = () => false,
  health = createHealth(),
  events,
  log = createLog('silent'),
  metrics = new Registry(),
  hasDashboard = false,
  host = '127.0.0.1',
  dashboardState = () => 'built',
}: TestServerOptions): Promise<TestServer> {
  const dependencies = createUserDependencies({
    db,
    log: createLog('silent'),
    clock,
    jwtSecret: JWT_SECRET,
    signUp: 'open',
    isPublic: false,
    vault: createVault({ key: Buffer.alloc(32, 7) }),
    timeZone: 'UTC',
    async onWorkspaceCreated() {},
    async onTestWorkspaceCreated() {},
    async onHandedOver() {},
    async onUserDeleted() {},
    async onUserSwitched() {},
    async allowsNumber() {},
    ...users,
  });
  const all = [...listUserOperations(dependencies), ...operations];
  const server = await buildServer({
    operations: all.map(checkAnswers),
    authenticate: createAuthenticate(dependencies),
    ...(events && { events }),
    ...(hasDashboard && { dashboard: { folder: BUILD_FOLDER, state: dashboardState, users: dependencies } }),
    readyChecks,
    isDiskFull,
    health,
    readPool: () => readPool(db),
    metrics,
    log,
    settings,
    limits,
  });
  checkErrors(server, all);
  const url = await server.listen({ port: 0, host });
  const request = async (path: string, init?: RequestInit) => toAnswer(await fetch(`${url}${path}`, init));
  return {
    url,
    request,
    post(path, body, { token, headers } = {}) {
      const sent = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
      return request(path, {
        method: 'POST',
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: sent }),
      });
    },
    close: () => server.close(),
  };
}

/** The operations that need only users. */
function listUserOperations(dependencies: UserDependencies): Operation[] {
  const all = listOperations(dependencies as OperationDependencies);
  return all.filter(
    ({ tag, path }) =>
      ['Users', 'Workspaces'].includes(tag) || (tag === 'Administration' && !path.endsWith('installation')),
  );
}

async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}
