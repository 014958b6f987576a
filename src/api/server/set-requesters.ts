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
 * Attributes all work of a request to the caller's workspace, of a test key to the live one, so that it gives no second share, or to the client's address without a signed-in user. Set once the body is
 * read, because the body parser loses the async context.
 */
export function setRequesters(server: FastifyInstance): void {
  server.addHook('preHandler', (request, _reply, done) => {
    const { caller, routeOptions } = request;
    const key = caller ? `workspace ${caller.testOf ?? caller.workspaceId}` : addressKey(request.ip);
    workFor({ key, isWrite: routeOptions.config.isWrite ?? false }, done);
  });
}

/** Runs work for an address, before the caller is known. */
export function workForAddress<Result>(address: string, work: () => Result): Result {
  return workFor({ key: addressKey(address), isWrite: false }, work);
}

function addressKey(address: string): string {
  return `address ${networkOf(address)}`;
}
