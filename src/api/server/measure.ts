import type { FastifyInstance } from 'fastify';
import { Histogram, type Registry } from 'prom-client';

/** Measures how long answers took, by method, path and status. Unknown paths share one series. */
export function measureRequests(server: FastifyInstance, metrics: Registry): void {
  const seconds = new Histogram({
    name: 'campanile_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer',
    labelNames: ['method', 'path', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [metrics],
  });
  server.addHook('onResponse', (request, reply, done) => {
    // A stream lasts until the client disconnects, so its duration means nothing.
    if (reply.sent && reply.raw.getHeader('content-type')?.toString().startsWith('text/event-stream')) return done();
    const path = request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown');
    seconds.observe({ method: request.method, path, status: reply.statusCode }, reply.elapsedTime / 1_000);
    done();
  });
}
