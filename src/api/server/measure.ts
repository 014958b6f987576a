import type { FastifyInstance } from 'fastify';
import { Histogram, type Registry } from 'prom-client';
import { addCounter, addGauge } from '../../operations/metrics.ts';
import type { PoolUse } from '../../platform/database/connect.ts';
import { ConnectionWaitError } from '../../platform/errors/database-errors.ts';
import { OverloadError } from '../../platform/errors/errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The group of operations that the route is of. */
    tag?: string;
  }
}

/**
 * Measures how many requests there were and how long their answers took. Cardinality: a histogram has a series for each bucket and
 * combination of labels, so the histogram has the few groups of operations as its label, and paths have two counters for each class of
 * statuses. Unknown paths share one series.
 */
export function measureRequests(server: FastifyInstance, metrics: Registry): void {
  const durations = new Histogram({
    name: 'campanile_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer, by group of operations',
    labelNames: ['group'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [metrics],
  });
  const responses = addCounter(metrics, 'campanile_http_responses_total', 'Answers, by status', { status: [] });
  const byPath = { path: [], class: [] };
  const answered = 'Answered requests, by path and class of the status';
  const requests = addCounter(metrics, 'campanile_http_requests_total', answered, byPath);
  const took = 'Time that these requests took, in seconds';
  const seconds = addCounter(metrics, 'campanile_http_request_seconds_total', took, byPath);
  server.addHook('onResponse', (request, reply, done) => {
    // A stream lasts until the client disconnects, so its duration means nothing.
    if (reply.sent && reply.raw.getHeader('content-type')?.toString().startsWith('text/event-stream')) return done();
    const { statusCode: status, elapsedTime } = reply;
    const path = request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown');
    const labels = { path, class: `${Math.floor(status / 100)}xx` };
    durations.observe({ group: request.routeOptions.config.tag ?? 'none' }, elapsedTime / 1_000);
    responses.inc({ status });
    requests.inc(labels);
    seconds.inc(labels, elapsedTime / 1_000);
    done();
  });
}

/** Milliseconds between two looks at the event loop. */
const SAMPLE_MS = 100;

/** The resources that can be overloaded. */
const REASONS = [
  'event_loop',
  'database',
  'uploads',
  'bodies',
  'files',
  'event_streams',
  'sign_ins',
  'passwords',
  'pictures',
  'conversions',
  'analytics',
  'long_answers',
  'connecting',
];

/** Measures how late the event loop is as long as the server is open, and counts the requests that are shed where they wait. */
export function measureLoad(
  server: FastifyInstance,
  { readPool, metrics }: { readPool: () => PoolUse; metrics: Registry },
): void {
  let lagMs = 0;
  let expected = performance.now() + SAMPLE_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    lagMs = Math.max(0, now - expected);
    expected = now + SAMPLE_MS;
  }, SAMPLE_MS).unref();
  server.addHook('onClose', (_instance, done) => {
    clearInterval(timer);
    done();
  });
  const lag = 'How late the event loop was when last looked at';
  addGauge(metrics, 'campanile_event_loop_lag_seconds', lag, () => lagMs / 1_000);
  const inUse = 'Connections of the pool that work';
  addGauge(metrics, 'campanile_database_connections_in_use', inUse, () => readPool().inUse);
  const waiting = 'Requests that wait for a connection of the pool';
  addGauge(metrics, 'campanile_database_waiting', waiting, () => readPool().waiting);
  countShed(server, metrics);
}

function countShed(server: FastifyInstance, metrics: Registry): void {
  const help = 'Requests turned away with 503 because there was too much to do, by what there was too much of';
  const shed = addCounter(metrics, 'campanile_shed_requests_total', help, { reason: REASONS });
  server.addHook('onError', (_request, _reply, error, done) => {
    if (error instanceof OverloadError) shed.inc({ reason: error.reason });
    if (error instanceof ConnectionWaitError) shed.inc({ reason: 'database' });
    done();
  });
}
