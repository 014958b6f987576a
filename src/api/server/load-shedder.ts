import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { PoolUse } from '../../platform/database/connect.ts';
import { ConnectionWaitError } from '../../platform/errors/database-errors.ts';
import { OverloadError } from '../../platform/errors/errors.ts';
import type { Log } from '../../platform/log/log.ts';

/**
 * Load shedding thresholds. A limit is reached first for `open` operations, which anybody may call, then for `heavy` ones, so that the
 * light operations of signed-in users continue longest.
 */
export interface OverloadLimits {
  /** Milliseconds between two looks. */
  sampleMs: number;
  /** Hysteresis: so many samples in a row have to agree before the state changes. */
  samples: number;
  /** Event loop lag in milliseconds. */
  lagMs: Limit;
}

interface Limit {
  open: number;
  heavy: number;
  any: number;
}

export const OVERLOAD_LIMITS: OverloadLimits = {
  sampleMs: 100,
  // Half a second: one big body or a collection of garbage holds the loop up once and is no overload.
  samples: 5,
  // A request passes the loop some five times, so that these come to one and to two and a half seconds an answer.
  lagMs: { open: 200, heavy: 200, any: 500 },
};

/** The resources that can be overloaded. */
const REASONS = [
  'event_loop',
  'database',
  'uploads',
  'files',
  'event_streams',
  'sign_ins',
  'passwords',
  'conversions',
  'analytics',
  'long_answers',
  'connecting',
];
/** In the order in which they are turned away. */
const WEIGHTS: readonly ShedPriority[] = ['open', 'heavy', 'any'];

/** Under this part of its limit the load has to fall before requests are taken again: a limit alone would be crossed to and fro. */
const RELIEF = 0.5;
/** Clients that come back all at once would bring the overload back. */
const RETRY_SECONDS = { least: 2, spread: 4 };

/** The order of load shedding. */
export type ShedPriority = keyof Limit;

export interface LoadShedder {
  /** A hook that turns requests away, before anything was spent on them, while there are too many. */
  shed(weight: ShedPriority): onRequestHookHandler;
}

/** Watches the event loop as long as the server is open. Requests that wait for the database are shed where they wait. */
export function createLoadShedder(
  server: FastifyInstance,
  { limits, readPool, metrics, log }: { limits: OverloadLimits; readPool: () => PoolUse; metrics: Registry; log: Log },
): LoadShedder {
  const gauges = createGauges(limits.lagMs, limits.samples);
  let lagMs = 0;
  let last: ShedPriority | undefined;
  let expected = performance.now() + limits.sampleMs;

  function sample() {
    const now = performance.now();
    lagMs = Math.max(0, now - expected);
    expected = now + limits.sampleMs;
    for (const weight of WEIGHTS) gauges[weight].note(lagMs);
    logChanges();
  }

  function logChanges() {
    const now = WEIGHTS.findLast((weight) => gauges[weight].isHigh());
    if (now === last) return;
    last = now;
    log.warn({ turnedAway: now ?? 'nothing', lagMs: Math.round(lagMs), ...readPool() }, 'the load has changed');
  }

  const timer = setInterval(sample, limits.sampleMs).unref();
  server.addHook('onClose', (_instance, done) => {
    clearInterval(timer);
    done();
  });
  countShed(server, metrics);
  publish(metrics, { lagMs: () => lagMs, readPool });
  return {
    shed: (weight) => (_request, _reply, done) => {
      if (!gauges[weight].isHigh()) return done();
      const retryAfterSeconds = RETRY_SECONDS.least + Math.floor(Math.random() * RETRY_SECONDS.spread);
      done(new OverloadError('event_loop', retryAfterSeconds, `it answers ${Math.round(lagMs)} ms late`));
    },
  };
}

function createGauges(limit: Limit, samples: number) {
  return {
    open: createHysteresis(limit.open, samples),
    heavy: createHysteresis(limit.heavy, samples),
    any: createHysteresis(limit.any, samples),
  };
}

/** High once so many values in a row were over the limit, and until as many in a row are well under it. */
export function createHysteresis(limit: number, samples: number) {
  let high = false;
  let against = 0;
  return {
    note(value: number) {
      const disagrees = high ? value < limit * RELIEF : value > limit;
      against = disagrees ? against + 1 : 0;
      if (against < samples) return;
      high = !high;
      against = 0;
    },
    isHigh: () => high,
  };
}

function countShed(server: FastifyInstance, metrics: Registry): void {
  const shed = new Counter({
    name: 'campanile_shed_requests_total',
    help: 'Requests turned away with 503 because there was too much to do, by what there was too much of',
    labelNames: ['reason'],
    registers: [metrics],
  });
  for (const reason of REASONS) shed.inc({ reason }, 0);
  server.addHook('onError', (_request, _reply, error, done) => {
    if (error instanceof OverloadError) shed.inc({ reason: error.reason });
    if (error instanceof ConnectionWaitError) shed.inc({ reason: 'database' });
    done();
  });
}

function publish(metrics: Registry, { lagMs, readPool }: { lagMs: () => number; readPool: () => PoolUse }): void {
  const registers = [metrics];
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('campanile_event_loop_lag_seconds', 'How late the event loop was when last looked at', () => lagMs() / 1_000);
  gauge('campanile_database_connections_in_use', 'Connections of the pool that work', () => readPool().inUse);
  gauge('campanile_database_waiting', 'Requests that wait for a connection of the pool', () => readPool().waiting);
}
