import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { addCounter, addGauge } from '../../operations/metrics.ts';
import type { PoolUse } from '../../platform/database/connect.ts';
import { ConnectionWaitError } from '../../platform/errors/database-errors.ts';
import { OverloadError } from '../../platform/errors/errors.ts';

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
