/**
 * Spans for an OpenTelemetry SDK that is loaded before the service; without one they do nothing (docs/explanation/decisions/0055). No
 * attribute contains a person's text, name or number.
 */
import {
  context,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type SpanOptions,
} from '@opentelemetry/api';

const NAME = 'campanile';
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Returns whether an SDK is loaded: queries for traces alone run only then. */
export function isTracing(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(NAME) !== undefined;
}

/** Starts a span as a child of the current one, or of `within`. The caller must end it. */
export function startSpan(name: string, options: SpanOptions = {}, within: Context = context.active()): Span {
  return trace.getTracer(NAME).startSpan(name, options, within);
}

/** Runs `work` in a span. An error is recorded by its name only, because messages may contain values. */
export async function inSpan<Result>(span: Span, work: () => Promise<Result>): Promise<Result> {
  try {
    return await context.with(trace.setSpan(context.active(), span), work);
  } catch (error) {
    span.setAttribute('error.type', error instanceof Error ? error.name : '_OTHER');
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

/** The span under way, or that given, as W3C's `traceparent` writes it; null where there is none. */
export function writeTraceparent(span: Span | undefined = trace.getActiveSpan()): string | null {
  if (!span || !trace.isSpanContextValid(span.spanContext())) return null;
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Returns the context that continues the span of `writeTraceparent`, or the root context without one. */
export function continueTrace(traceparent: string | null | undefined): Context {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  const isRemote = true;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote });
}
