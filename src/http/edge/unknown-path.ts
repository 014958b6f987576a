import type { FastifyInstance } from 'fastify';
import { sendFailure } from './answer.ts';
import { plainFailure, type FailedAnswer } from './envelope.ts';

/** Answers 405 on a known path with another method and 404 on all others, without reading a body. */
export function refuseUnknown(server: FastifyInstance): void {
  const methodsOfPath = new Map<string, Set<string>>();
  server.addHook('onRoute', ({ url, method }) => {
    const path = normalized(url);
    const methods = methodsOfPath.get(path) ?? new Set();
    for (const one of Array.isArray(method) ? method : [method]) methods.add(one);
    methodsOfPath.set(path, methods);
  });
  server.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    return sendFailure(refusal(methodsOfPath.get(normalized(request.url))), request, reply);
  });
  // Reached only by what serves files, when there is no such file.
  server.setNotFoundHandler((request, reply) => sendFailure(refusal(undefined), request, reply));
}

function refusal(methods: ReadonlySet<string> | undefined): FailedAnswer {
  if (!methods) return plainFailure(404, 'There is no such path');
  const allowed = [...methods].join(', ');
  return plainFailure(405, `This path takes ${allowed}`, { allow: allowed });
}

/** The path as the router compares it: without query, doubled and trailing slashes. */
function normalized(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  return path.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
}
