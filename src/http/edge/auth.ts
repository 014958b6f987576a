import { AppError } from '../../lib/errors.ts';
import { isApiKey } from '../../users/api-key.ts';
import type { ApiKeyStates } from '../../users/api-key-states.ts';
import type { ApiKeyState } from '../../users/api-key-store.ts';
import type { Membership } from '../../users/store.ts';
import type { TokenStates } from '../../users/token-states.ts';
import type { TokenClaims, TokenIdentity, Tokens } from '../../users/token.ts';
import type { Caller, OperationScope } from '../operation.ts';

/** Who sent a request and for which workspace, by its `authorization` header. Throws `unauthenticated` (or rejects with it) for nobody. */
export type Authenticate = (authorization: string | undefined) => Caller | Promise<Caller>;

const BEARER = /^bearer +([^\s,]+) *$/i;

/**
 * Takes `Bearer` in any case, with a token or an API key. Answers without a promise where nothing has to be asked, which is nearly
 * always.
 */
export function createAuthenticate({
  tokens,
  tokenStates,
  apiKeyStates,
}: {
  tokens: Tokens;
  tokenStates: TokenStates;
  apiKeyStates: ApiKeyStates;
}): Authenticate {
  return (authorization) => {
    if (authorization === undefined)
      throw unauthenticated('This operation needs the header Authorization: Bearer <token>');
    const credential = BEARER.exec(authorization)?.[1];
    if (credential === undefined) throw unauthenticated('The Authorization header must be Bearer <token>');
    if (isApiKey(credential)) return settle(apiKeyStates.find(credential), callerOfKey);
    const claims = tokens.read(credential);
    if (!claims) throw unauthenticated('The token is not valid, or has expired');
    return settle(tokenStates.find(claims), (member) => callerOfToken(claims, member));
  };
}

/**
 * Throws `forbidden` when the caller came with an API key that does not reach the operation. A key with one scope has not got the
 * other: `send` does not read.
 */
export function requireScope({ apiKeyId, scopes = [] }: Caller, scope: OperationScope): void {
  if (apiKeyId === undefined) return;
  if (scope === 'token')
    throw new AppError('forbidden', 'This operation takes no API key: sign in, and send the token instead');
  if (!scopes.includes(scope))
    throw new AppError('forbidden', `This operation needs an API key with the scope ${scope}, which yours has not`);
}

/** The token a request came with. Throws `forbidden` when it came with an API key. */
export function tokenOf(caller: Caller): TokenIdentity {
  requireScope(caller, 'token');
  if (!caller.token) throw new Error('a caller has neither token nor API key');
  return caller.token;
}

function settle<Known>(known: Known | Promise<Known>, then: (known: Known) => Caller): Caller | Promise<Caller> {
  return known instanceof Promise ? known.then(then) : then(known);
}

function callerOfToken(claims: TokenClaims, member: Membership | undefined): Caller {
  if (!member) throw unauthenticated('The token has been revoked');
  const { userId, tokenId, generation, expiresAtMs } = claims;
  const { workspaceId, role } = member;
  return { userId, workspaceId, role, token: { tokenId, generation }, expiresAtMs };
}

function callerOfKey(state: ApiKeyState | undefined): Caller {
  if (!state) throw unauthenticated('The API key is not valid, has expired or has been revoked');
  const { expiresAt, ...known } = state;
  return { ...known, ...(expiresAt && { expiresAtMs: expiresAt.getTime() }) };
}

function unauthenticated(message: string): AppError {
  return new AppError('unauthenticated', message);
}
