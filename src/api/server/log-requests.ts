import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Log } from '../../platform/log/log.ts';

const SIGN_IN = new Set(['/api/v1/user/authorize_user', '/session']);
/** The operations on users, keys, factors, sessions and members, including those of administrators. */
const OF_PEOPLE = /^\/(api\/v1\/(user|admin|workspace)\/|session(\/confirm|\/passkey)?$)/;
const READS = /\/(get|list)[_-][a-z_-]+$/;

/**
 * Logs security events (`"log":"security"`): failed sign-ins, rejected requests, exceeded limits, and users' actions on their accounts,
 * keys and sessions. With `access` also logs every request (`"log":"access"`). No line contains text from a client, such as a name or a
 * path: a typing error can put a password there.
 */
export function logRequests(server: FastifyInstance, { log, access }: { log: Log; access: boolean }): void {
  // A level above `error` switches these logs off. Otherwise they do not depend on LOG_LEVEL.
  const level = log.isLevelEnabled('error') ? 'info' : 'silent';
  const [security, all] = [log.child({ log: 'security' }, { level }), log.child({ log: 'access' }, { level })];
  server.addHook('onResponse', (request, reply, done) => {
    const { statusCode: status } = reply;
    const path = request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown');
    const asked = { method: request.method, path, status, address: request.ip, ...who(request), requestId: request.id };
    const event = eventOf(request.method, path, status);
    if (event !== undefined) security.info({ event, ...asked });
    if (access) all.info({ ...asked, ms: Math.round(reply.elapsedTime) });
    done();
  });
}

function who({ caller }: FastifyRequest) {
  return {
    ...(caller && { userId: caller.userId }),
    ...(caller?.apiKeyId !== undefined && { apiKeyId: caller.apiKeyId }),
  };
}

function eventOf(method: string, path: string, status: number): string | undefined {
  if (status === 401) return SIGN_IN.has(path) ? 'sign_in_failed' : 'unauthenticated';
  if (status === 403) return 'refused';
  if (status === 429) return 'limit_hit';
  if (method === 'GET' || status >= 500 || !OF_PEOPLE.test(path) || READS.test(path)) return undefined;
  return status < 400 ? 'done' : 'failed';
}
