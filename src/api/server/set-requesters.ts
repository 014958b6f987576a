import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Key, Party } from '../../platform/concurrency/party.ts';
import { workFor } from '../../platform/concurrency/requester.ts';
import { networkOf } from '../../identity/sign-in/known-networks.ts';
import type { Caller } from '../operation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route changes something. */
    isWrite?: boolean;
  }
}

/** Returns the party of a request, by which everything is shared that is scarce: the caller, or the client's address without one. */
export function shareOf({ caller, ip }: Pick<FastifyRequest, 'caller' | 'ip'>): Party {
  return caller ? partyOf(caller) : [addressKey(ip)];
}

/**
 * The person and the workspace: many workspaces give a person no second share, and many members and keys give a workspace none. Of a test
 * key the live workspace.
 */
export function partyOf({ userId, workspaceId, testOf }: Pick<Caller, 'userId' | 'workspaceId' | 'testOf'>): Party {
  return [`person ${userId}`, `workspace ${testOf ?? workspaceId}`];
}

/**
 * Attributes all work of a request to the caller's share, or to that of the client's address without a signed-in user. Set once the body
 * is read, because the body parser loses the async context.
 */
export function setRequesters(server: FastifyInstance): void {
  server.addHook('preHandler', (request, _reply, done) => {
    const isWrite = request.routeOptions.config.isWrite ?? false;
    workFor({ party: shareOf(request), isWrite }, done);
  });
}

/** Runs work for an address, before the caller is known. */
export function workForAddress<Result>(address: string, work: () => Result): Result {
  return workFor({ party: [addressKey(address)], isWrite: false }, work);
}

function addressKey(address: string): Key {
  return `address ${networkOf(address)}`;
}
