import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { AppError } from '../../platform/errors/errors.ts';
import { installEnvelope } from './answer.ts';
import { installGracefulShutdown } from './graceful-shutdown.ts';
import { createDoor, DOOR_LIMITS, guardDoor } from './door.ts';
import { createErrorHandler } from './error-handler.ts';
import { measureRequests } from './measure.ts';
import { registerOperatorRoutes } from './operator-routes.ts';
import type { ReadinessDependencies } from './readiness.ts';
import { handleRawHttpErrors } from './raw-errors.ts';
import { createInstance, LIMITS, type HttpSettings } from './server.ts';
import { checkHostHeader } from './check-host-header.ts';
import { registerNotFound } from './not-found.ts';

interface OperatorDependencies extends Omit<ReadinessDependencies, 'isStopping'> {
  /** Returns the answer to all other paths. Default is 404. */
  rejectOthers?: () => AppError;
  metrics: Registry;
  settings: HttpSettings;
}

/**
 * The HTTP server of a process that serves no operations (contract §1, ROLE=worker): health and metrics, and 404 for all else, or what `rejectOthers` returns. Not
 * yet listening.
 */
export function buildOperatorServer(dependencies: OperatorDependencies): FastifyInstance {
  const { rejectOthers, metrics, settings } = dependencies;
  const toErrorAnswer = createErrorHandler(dependencies);
  const server = createInstance(settings, LIMITS, toErrorAnswer);
  const door = createDoor(DOOR_LIMITS);
  guardDoor(server, door);
  installEnvelope(server, toErrorAnswer, door);
  handleRawHttpErrors(server.server);
  checkHostHeader(server, settings);
  const isStopping = installGracefulShutdown(server, LIMITS.closeTimeoutMs);
  if (rejectOthers)
    server.addHook('onRequest', (request, _reply, done) => done(request.is404 ? rejectOthers() : undefined));
  else registerNotFound(server, door);
  measureRequests(server, metrics);
  registerOperatorRoutes(server, { ...dependencies, isStopping });
  return server;
}
