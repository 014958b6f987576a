import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { Log } from '../../lib/log.ts';
import { answerInEnvelope } from './answer.ts';
import { finishGracefully } from './closing.ts';
import { createFailureLog } from './failure-log.ts';
import { measureRequests } from './measure.ts';
import { registerOperatorRoutes, type ReadyChecks } from './operator-routes.ts';
import { answerInsteadOfNode } from './raw-errors.ts';
import { createInstance, LIMITS, type HttpSettings } from '../server.ts';
import { refuseUnknown } from './unknown-path.ts';

/**
 * The HTTP server of a process that serves no operations (contract §1, ROLE=worker): health and metrics, and 404 for all else. Not
 * yet listening.
 */
export function buildOperatorServer({
  readyChecks,
  metrics,
  log,
  settings,
}: {
  readyChecks: ReadyChecks;
  metrics: Registry;
  log: Log;
  settings: HttpSettings;
}): FastifyInstance {
  const failureLog = createFailureLog(log);
  const server = createInstance(settings, LIMITS, failureLog);
  answerInEnvelope(server, failureLog);
  answerInsteadOfNode(server.server);
  const isStopping = finishGracefully(server, LIMITS.closeTimeoutMs);
  refuseUnknown(server);
  measureRequests(server, metrics);
  registerOperatorRoutes(server, { readyChecks, isStopping, metrics, metricsToken: settings.metricsToken, log });
  return server;
}
