import { collectDefaultMetrics, Counter, Registry } from 'prom-client';

/** What a process counts for its operator, beside what the edge counts by itself. */
export interface Metrics {
  registry: Registry;
  countOutcome(kind: string, count: number): void;
  countLoopError(loop: string): void;
}

/** A registry of its own for each process, so that several can run in one (as in tests). */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const outcomes = new Counter({
    name: 'campanile_tries_total',
    help: 'Tries to send a delivery, by what they came to',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const loopErrors = new Counter({
    name: 'campanile_loop_errors_total',
    help: 'Failed steps of background loops; each is tried again',
    labelNames: ['loop'],
    registers: [registry],
  });
  return {
    registry,
    countOutcome: (outcome, count) => outcomes.inc({ outcome }, count),
    countLoopError: (loop) => loopErrors.inc({ loop }),
  };
}
