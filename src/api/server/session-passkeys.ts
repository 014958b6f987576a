import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { z } from 'zod';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { AppError } from '../../platform/errors/errors.ts';
import type { UserDependencies } from '../../identity/dependencies.ts';
import {
  addPasskey,
  passkeyRequestOptions,
  beginPasskey,
  provePasskey,
  type Site,
} from '../../identity/factors/passkeys.ts';
import type { UserId } from '../../platform/database/schema.ts';
import { addPasskeyBody, passkeyBody } from '../contract/session.ts';
import { requireScope } from './auth.ts';
import { sendSuccess } from './answer.ts';
import { assertFromDashboard, authorizationOf } from './session-cookie.ts';
import type { Authenticate } from './auth.ts';

const NOT_HERE =
  'Passkeys need PUBLIC_URL, or the dashboard opened as http://localhost: browsers make none for a bare address';

/** The dependencies of the routes of sessions and passkeys. */
export interface SessionRoutes {
  users: UserDependencies;
  authenticate: Authenticate;
  isHttps: boolean;
  publicUrl: string | undefined;
}

/** Registers the routes for creating passkeys, and for a browser's options to use one. The sign-in itself is in `session.ts`. */
export function registerPasskeys(
  server: FastifyInstance,
  { users, authenticate, isHttps, publicUrl }: SessionRoutes,
): void {
  const actorOf = async (request: FastifyRequest): Promise<Actor> => {
    const caller = await authenticate(authorizationOf(request, isHttps), request.ip);
    requireScope(caller, { scope: 'token', requiresRecentAuth: true });
    const { userId, workspaceId, role } = caller;
    return { userId, workspaceId, role, address: request.ip };
  };

  server.post('/session/passkey/ask', async (request, reply) => {
    assertFromDashboard(request);
    return sendSuccess(reply, await passkeyRequestOptions(users, siteOf(request, publicUrl)));
  });

  server.post('/session/passkey/begin', async (request, reply) => {
    assertFromDashboard(request);
    const actor = await actorOf(request);
    return sendSuccess(reply, await beginPasskey(users, actor, siteOf(request, publicUrl)));
  });

  server.post('/session/passkey', { schema: { body: addPasskeyBody } }, async (request, reply) => {
    assertFromDashboard(request);
    const actor = await actorOf(request);
    const { name, passkey } = request.body as z.output<typeof addPasskeyBody>;
    const made = {
      // The library validates each part of the response.
      response: passkey as unknown as RegistrationResponseJSON,
      name,
      site: siteOf(request, publicUrl),
    };
    const { recoveryCodes } = await addPasskey(users, actor, made);
    return sendSuccess(reply, { recovery_codes: recoveryCodes });
  });
}

/** Returns the user of a verified passkey. Throws `unauthenticated` if the verification fails. */
export function userOfPasskey(
  users: UserDependencies,
  request: FastifyRequest,
  { passkey, publicUrl }: { passkey: z.output<typeof passkeyBody>; publicUrl: string | undefined },
): Promise<UserId> {
  const response = passkey as unknown as AuthenticationResponseJSON;
  return provePasskey(users, response, siteOf(request, publicUrl));
}

/** Returns the site of passkeys. Without `publicUrl` that is only `localhost`: a client can put any other host into its request. */
function siteOf(request: FastifyRequest, publicUrl: string | undefined): Site {
  const url = `http://${request.headers.host ?? ''}`;
  const site = publicUrl ?? (URL.canParse(url) ? url : undefined);
  const { origin, hostname } = site === undefined ? { origin: '', hostname: '' } : new URL(site);
  if (publicUrl === undefined && hostname !== 'localhost') throw new AppError('passkeys_unavailable', NOT_HERE);
  return { origin, host: hostname };
}
