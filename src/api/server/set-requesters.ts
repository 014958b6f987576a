import type { FastifyInstance, FastifyRequest } from 'fastify';
import { workFor } from '../../platform/concurrency/requester.ts';
import { networkOf } from '../../identity/sign-in/known-networks.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route changes something. */
    isWrite?: boolean;
  }
}

/**
 * Returns the key of the caller's share of everything that is limited: their workspace, however many members and keys it has. Of a test
 * key the live workspace, so that it gives no second share.
 */
export function shareOf({ caller, ip }: Pick<FastifyRequest, 'caller' | 'ip'>): string {
  return caller ? `workspace ${caller.testOf ?? caller.workspaceId}` : addressKey(ip);
}

/**
 * Attributes all work of a request to the caller's share, or to that of the client's address without a signed-in user. Set once the body
 * is read, because the body parser loses the async context.
 */
export function setRequesters(server: FastifyInstance): void {
  server.addHook('preHandler', (request, _reply, done) => {
    const isWrite = request.routeOptions.config.isWrite ?? false;
    workFor({ key: shareOf(request), isWrite }, done);
  });
}

/** Runs work for an address, before the caller is known. */
export function workForAddress<Result>(address: string, work: () => Result): Result {
  return workFor({ key: addressKey(address), isWrite: false }, work);
}

function addressKey(address: string): string {
  return `address ${networkOf(address)}`;
}
