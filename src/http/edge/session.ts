import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { authorizeUser } from '../../users/authorize-user.ts';
import type { UserDependencies } from '../../users/dependencies.ts';
import { getProfile } from '../../users/get-profile.ts';
import { signOut } from '../../users/sign-out.ts';
import type { Membership } from '../../users/store.ts';
import { TOKEN_LIFETIME_MS, type TokenClaims } from '../../users/token.ts';
import type { Session } from '../contract/session.ts';
import { authorizeUserBody } from '../contract/users.ts';
import { successText } from './envelope.ts';
import { profileOf } from '../routes/users/profile.ts';
import { isOfDashboard, setCookieHeader, tokenOfCookie } from './session-cookie.ts';

const PATH = '/session';

/**
 * How the dashboard is signed in (docs/explanation/decisions/0019): the token stays in a cookie that no script can read. `GET` tells who is signed in,
 * also that nobody is; `POST` signs in, with what `authorize_user` takes and fails with; `DELETE` signs out, and revokes the token
 * of the cookie.
 */
export function registerSession(
  server: FastifyInstance,
  { users, isHttps }: { users: UserDependencies; isHttps: boolean },
): void {
  const keep = (reply: FastifyReply, token: string | undefined) =>
    reply.header('set-cookie', setCookieHeader(token, { isHttps, maxAgeMs: TOKEN_LIFETIME_MS }));

  server.get(PATH, { schema: { hide: true } }, async (request, reply) => {
    const token = tokenOfCookie(request);
    const claims = token === undefined ? undefined : await claimsOf(users, token);
    if (token !== undefined && !claims) keep(reply, undefined);
    return answer(reply, claims ? await sessionOf(users, claims) : null);
  });

  server.post(PATH, { schema: { hide: true, body: authorizeUserBody } }, async (request, reply) => {
    refuseOthers(request);
    const body = request.body as z.output<typeof authorizeUserBody>;
    const credentials = { userName: body.user_name, password: body.password };
    const { token } = await authorizeUser(users, credentials, request.ip);
    const claims = await claimsOf(users, token);
    if (!claims) throw new AppError('conflict', 'You were signed out elsewhere at this very moment: sign in again');
    keep(reply, token);
    return answer(reply, await sessionOf(users, claims));
  });

  server.delete(PATH, { schema: { hide: true } }, async (request, reply) => {
    refuseOthers(request);
    const token = tokenOfCookie(request);
    const claims = token === undefined ? undefined : await claimsOf(users, token);
    if (claims) await signOut(users, { ...claims, address: request.ip }, claims);
    return answer(keep(reply, undefined), null);
  });
}

type Signed = TokenClaims & Membership;

function refuseOthers(request: FastifyRequest): void {
  if (!isOfDashboard(request)) throw new AppError('forbidden', 'Only the dashboard signs in and out here');
}

async function claimsOf({ tokens, tokenStates }: UserDependencies, token: string): Promise<Signed | undefined> {
  const claims = tokens.read(token);
  const member = claims && (await tokenStates.find(claims));
  return member && { ...claims, workspaceId: member.workspaceId, role: member.role };
}

async function sessionOf(users: UserDependencies, { userId, expiresAtMs }: TokenClaims): Promise<Session> {
  const profile = profileOf(await getProfile(users, userId));
  return { ...profile, expires_at: new Date(expiresAtMs).toISOString() };
}

function answer(reply: FastifyReply, data: Session): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(successText(data));
}
