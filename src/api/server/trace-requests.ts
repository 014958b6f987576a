import { context, propagation, SpanKind, SpanStatusCode, trace, type Span } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isTracing, startSpan } from '../../platform/log/trace.ts';

/** Requests outside the API, such as health probes, get no span. */
const TRACED = '/api/';

/**
 * Makes a span of each request to the API, from its arrival to the end of its answer, which continues the trace that its headers name.
 * Does nothing where no SDK is loaded by then.
 */
export function traceRequests(server: FastifyInstance): void {
  if (!isTracing()) return;
  const spans = new WeakMap<FastifyRequest, Span>();
  server.addHook('onRequest', (request, _reply, done) => {
    const route = request.routeOptions.url;
    if (route?.startsWith(TRACED)) spans.set(request, startRequest(request, route));
    done();
  });
  // Set only here, because the body parser loses the async context.
  server.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request);
    if (span) context.with(trace.setSpan(context.active(), span), done);
    else done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request);
    span?.setAttribute('http.response.status_code', reply.statusCode);
    if (reply.statusCode >= 500) {
      span?.setAttribute('error.type', String(reply.statusCode));
      span?.setStatus({ code: SpanStatusCode.ERROR });
    }
    span?.end();
    done();
  });
}

function startRequest(request: FastifyRequest, route: string): Span {
  const here = context.active();
  // An instrumentation of Node.js' server, where the SDK brings one, has read the headers already.
  const isWithin = trace.getSpan(here) !== undefined;
  return startSpan(
    `${request.method} ${route}`,
    {
      kind: isWithin ? SpanKind.INTERNAL : SpanKind.SERVER,
      attributes: {
        'http.request.method': request.method,
        'http.route': route,
        'url.path': route,
        'url.scheme': request.protocol,
        'campanile.request.id': request.id,
      },
    },
    isWithin ? here : propagation.extract(here, request.headers),
  );
}
