import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { AppError, invalid, fieldError } from '../../platform/errors/errors.ts';
import { negotiateLanguage } from '../../platform/i18n/languages.ts';
import { listTimeZones } from '../../platform/time/time-zone.ts';
import { versionLine } from '../../platform/config/version.ts';
import { authorizeUser, completeSignIn } from '../../identity/sign-in/authorize-user.ts';
import type { UserDependencies } from '../../identity/dependencies.ts';
import { reauthenticate } from '../../identity/sign-in/reauthenticate.ts';
import { getProfile, userGoneError } from '../../identity/get-profile.ts';
import { findLastOpened } from '../../identity/members/member-store.ts';
import type { Client } from '../../identity/sessions/session-store.ts';
import { signOut } from '../../identity/sessions/sign-out.ts';
import { findUser, type Membership } from '../../identity/store.ts';
import { TOKEN_LIFETIME_MS, type TokenClaims } from '../../identity/sessions/token.ts';
import { confirmBody, sessionData, signInBody } from '../contract/session.ts';
import { userOfPasskey, type SessionRoutes } from './session-passkeys.ts';
import { sendSuccess } from './answer.ts';
import { profileOf } from '../routes/profile.ts';
import { toWire } from '../wire.ts';
import { assertFromDashboard, setCookieHeader, tokenOfCookie } from './session-cookie.ts';

const PATH = '/session';

/**
 * The dashboard's session (docs/explanation/decisions/0019): the token is in an HttpOnly cookie. `GET` returns the signed-in user, or
 * null. `POST` signs in with the fields and errors of `authorize_user`. `DELETE` signs out, and revokes the cookie's token. `GET
 * /session/time-zones` lists the service's zones: a browser may know others.
 */
export function registerSession(server: FastifyInstance, { users, isHttps, publicUrl }: SessionRoutes): void {
  const signInWith = async (body: z.output<typeof signInBody>, request: FastifyRequest) => {
    if (!('passkey' in body)) {
      const credentials = { userName: body.user_name, password: body.password, code: body.code };
      return authorizeUser(users, credentials, clientOf(request));
    }
    const userId = await userOfPasskey(users, request, { passkey: body.passkey, publicUrl });
    const user = await findUser(users.db, userId);
    if (!user) throw userGoneError();
    return completeSignIn(users, user, clientOf(request));
  };
  /** Revokes the token that the cookie held until now. */
  const endOld = async (request: FastifyRequest) => {
    const claims = await claimsOf(users, tokenOfCookie(request, isHttps));
    if (claims) await signOut(users, { ...claims, address: request.ip }, claims);
  };
  const setSessionCookie = (reply: FastifyReply, token: string | undefined) =>
    reply.header('set-cookie', setCookieHeader(token, { isHttps, maxAgeMs: TOKEN_LIFETIME_MS }));

  server.get(PATH, async (request, reply) => {
    const token = tokenOfCookie(request, isHttps);
    const claims = await claimsOf(users, token);
    if (token !== undefined && !claims) setSessionCookie(reply, undefined);
    return sendSuccess(reply, claims ? await sessionOf(users, claims) : null);
  });

  server.get(`${PATH}/time-zones`, (_request, reply) => sendSuccess(reply, listTimeZones()));

  server.post(PATH, { schema: { body: signInBody } }, async (request, reply) => {
    assertFromDashboard(request);
    const body = request.body as z.output<typeof signInBody>;
    const { token } = await signInWith(body, request);
    await endOld(request);
    const claims = await claimsOf(users, token);
    if (!claims) throw new AppError('changed_meanwhile', 'The session was ended elsewhere: sign in again');
    setSessionCookie(reply, token);
    return sendSuccess(reply, await sessionOf(users, claims));
  });

  server.post(`${PATH}/confirm`, { schema: { body: confirmBody } }, async (request, reply) => {
    assertFromDashboard(request);
    const claims = await claimsOf(users, tokenOfCookie(request, isHttps));
    if (!claims) throw new AppError('not_signed_in', 'Not signed in');
    const { passkey, ...proof } = request.body as z.output<typeof confirmBody>;
    const isTheirs = passkey && (await userOfPasskey(users, request, { passkey, publicUrl })) === claims.userId;
    if (passkey && !isTheirs) throw invalid([fieldError('passkey', 'other_user')]);
    setSessionCookie(reply, isTheirs ? users.tokens.prove(claims) : await reauthenticate(users, claims, proof));
    return sendSuccess(reply, await sessionOf(users, claims));
  });

  server.delete(PATH, async (request, reply) => {
    assertFromDashboard(request);
    await endOld(request);
    // Clears cached answers for the next user of the browser. Keeps `storage`, which holds the language and the theme.
    reply.header('clear-site-data', '"cache"');
    return sendSuccess(setSessionCookie(reply, undefined), null);
  });
}

type SessionData = z.input<typeof sessionData>;
type Signed = TokenClaims & Membership;

function clientOf(request: FastifyRequest): Client {
  return {
    address: request.ip,
    agent: request.headers['user-agent'] ?? '',
    language: negotiateLanguage(request.headers['accept-language']),
  };
}

async function claimsOf({ tokens, tokenStates }: UserDependencies, token = ''): Promise<Signed | undefined> {
  const claims = tokens.read(token);
  const [member] = (claims && (await tokenStates.find(claims))) ?? [];
  return claims && member && { ...claims, workspaceId: member.workspaceId, role: member.role };
}

async function sessionOf(users: UserDependencies, { expiresAtMs, ...about }: Signed): Promise<SessionData> {
  const profile = profileOf(await getProfile(users, about));
  const workspaceId = (await findLastOpened(users.db, about.userId)) ?? about.workspaceId;
  return toWire(sessionData, { ...profile, expiresAt: new Date(expiresAtMs), workspaceId, version: versionLine() });
}
