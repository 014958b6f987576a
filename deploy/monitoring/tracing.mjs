// Sends Campanile's traces to a collector over OTLP. See docs/how-to/watch-it.md. Where to, and how much, the usual variables say:
// OTEL_EXPORTER_OTLP_ENDPOINT (http://localhost:4318 unless set), OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME.
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

/** The share of traces that is kept: 0.01 is one in a hundred. A trace that a caller has begun follows the caller. */
const KEPT = 1;

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
