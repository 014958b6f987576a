// Sends Campanile's traces to a collector over OTLP. See docs/how-to/watch-it.md. Where to, and how much, the usual variables say:
// OTEL_EXPORTER_OTLP_ENDPOINT (http://localhost:4318 unless set), OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME.
import { register } from 'node:module';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

/** The share of traces that is kept: 0.01 is one in a hundred. A trace that a caller has begun follows the caller. */
const KEPT = 1;

// Modules that are imported, and not required, can be instrumented.
register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
context.setGlobalContextManager(new AsyncLocalStorageContextManager());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
trace.setGlobalTracerProvider(
  new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'campanile' }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(KEPT) }),
    // What ended in the last second before a stop is not sent.
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), scheduledDelayMillis: 1_000 })],
  }),
);
registerInstrumentations({
  instrumentations: [
    new HttpInstrumentation({
      // Requests outside the API, such as health probes.
      ignoreIncomingRequestHook: ({ url }) => !url?.startsWith('/api/'),
      headersToSpanAttributes: { server: { responseHeaders: ['x-request-id'] } },
    }),
    // Statements of requests. `false`: also those of loops, several a second.
    new PgInstrumentation({ requireParentSpan: true }),
  ],
});
