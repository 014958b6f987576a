import type { FastifyInstance } from 'fastify';
import { workFor } from '../../platform/concurrency/requester.ts';
import { networkOf } from '../../identity/sign-in/known-networks.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route changes something. */
    isWrite?: boolean;
  }
}

/**
 * Has all that a route does count as its caller's workspace, or as the client's address where nobody is signed in. It begins when the
 * body is there: listening for that comes to lose what was set before.
 */
export function setRequesters(server: FastifyInstance): void {
  server.addHook('preHandler', (request, _reply, done) => {
    const { caller, routeOptions } = request;
    const key = caller ? `workspace ${caller.workspaceId}` : addressKey(request.ip);
    workFor({ key, isWrite: routeOptions.config.isWrite ?? false }, done);
  });
}

/** Does what comes before the caller is known. */
export function workForAddress<Result>(address: string, work: () => Result): Result {
  return workFor({ key: addressKey(address), isWrite: false }, work);
}

function addressKey(address: string): string {
  return `address ${networkOf(address)}`;
}
