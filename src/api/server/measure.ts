import type { FastifyInstance } from 'fastify';
import { Histogram, type Registry } from 'prom-client';
import { addCounter } from '../../operations/metrics.ts';

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
