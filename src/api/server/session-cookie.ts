import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../platform/errors/errors.ts';

/** CSRF: a page of another origin needs a CORS preflight to send this header, and never gets permission. The value does not matter. */
const DASHBOARD_HEADER = 'x-campanile-dashboard';
const PLAIN_NAME = 'campanile_session';
/** Browsers take this one over HTTPS only, and from no other host of the same domain. */
const SECURE_NAME = '__Host-campanile_session';

/**
 * What a request has to show for itself: its `authorization` header, or what the dashboard's cookie stands for. A request with the
 * header never looks at the cookie.
 */
export function authorizationOf(request: FastifyRequest, isHttps: boolean): string | undefined {
  const { authorization } = request.headers;
  if (authorization !== undefined || request.headers.cookie === undefined) return authorization;
  const token = tokenOfCookie(request, isHttps);
  return token === undefined ? undefined : `Bearer ${token}`;
}

/** The token in the session cookie; undefined without one, or when it was not the dashboard that sent the request. */
export function tokenOfCookie(request: FastifyRequest, isHttps: boolean): string | undefined {
  return passesCsrfCheck(request) ? anyTokenOfCookie(request, isHttps) : undefined;
}

/**
 * Returns the token of the cookie without the CSRF check. Only for reads that are the same for all signed-in users. Behind HTTPS a cookie
 * with the plain name is ignored: another host of the same domain may have set it.
 */
export function anyTokenOfCookie({ headers }: FastifyRequest, isHttps: boolean): string | undefined {
  return parseCookie(headers.cookie ?? '')[isHttps ? SECURE_NAME : PLAIN_NAME];
}

/**
 * Whether a page of our own origin sent the request. Another's could ride on the cookie, but can neither set the header nor hide
 * where it comes from. (Browsers leave `sec-fetch-site` out over plain HTTP but to this very machine.)
 */
function passesCsrfCheck({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return headers[DASHBOARD_HEADER] !== undefined && (site === undefined || site === 'same-origin');
}

/** Throws `dashboard_only` for a request that another page or program sent. */
export function assertFromDashboard(request: FastifyRequest): void {
  if (!passesCsrfCheck(request)) throw new AppError('dashboard_only', 'This endpoint is for the dashboard only');
}

/** Returns the header that stores `token` in an HttpOnly cookie until its expiry. Undefined deletes the cookie. */
export function setCookieHeader(token: string | undefined, { isHttps, maxAgeMs }: CookieSettings): string {
  return stringifySetCookie({
    name: isHttps ? SECURE_NAME : PLAIN_NAME,
    value: token ?? '',
    httpOnly: true,
    sameSite: 'strict',
    secure: isHttps,
    path: '/',
    maxAge: token === undefined ? 0 : Math.floor(maxAgeMs / 1_000),
  });
}

export interface CookieSettings {
  isHttps: boolean;
  maxAgeMs: number;
}
