import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sendFailure } from './answer.ts';
import type { Door } from './door.ts';
import { plainFailure, type FailedAnswer } from './envelope.ts';
import type { DashboardState, SendPage } from './serve-dashboard.ts';

/** Paths of programs. Any other missing path gets a page in the browser's language. */
const OF_PROGRAMS = /^\/(api|assets)(\/|$)/;

/**
 * Answers 405 on a known path with another method and 404 on all others, without reading a body. A browser that asks for a page gets
 * the dashboard's, if there is one, which says the same and leads home.
 */
export function registerNotFound(
  server: FastifyInstance,
  door: Door,
  dashboard?: { state(): DashboardState; sendPage: SendPage },
): void {
  const methodsOfPath = new Map<string, Set<string>>();
  server.addHook('onRoute', ({ url, method }) => {
    const path = normalized(url);
    const methods = methodsOfPath.get(path) ?? new Set();
    for (const one of Array.isArray(method) ? method : [method]) methods.add(one);
    methodsOfPath.set(path, methods);
  });
  server.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    door.pass(request, (error) => {
      if (error) return done(error);
      const methods = methodsOfPath.get(normalized(request.url));
      if (dashboard && dashboard.state() !== 'missing' && !methods && isForPage(request))
        dashboard.sendPage(request, reply.code(404));
      else sendFailure(refusal(methods), request, reply);
    });
  });
  // Called only by the static file handler, when a file is missing.
  server.setNotFoundHandler((request, reply) => sendFailure(refusal(undefined), request, reply));
}

function isForPage({ method, url, headers }: FastifyRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && (headers.accept ?? '').includes('text/html') && !OF_PROGRAMS.test(normalized(url));
}

function refusal(methods: ReadonlySet<string> | undefined): FailedAnswer {
  if (!methods) return plainFailure('path_not_found', 'There is no such path');
  const allowed = [...methods].join(', ');
  return plainFailure('method_not_allowed', `This path takes ${allowed}`, { allow: allowed });
}

/** The path as the router compares it: without query, doubled and trailing slashes. */
function normalized(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  return path.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
}
