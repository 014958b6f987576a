import { AppError } from '../lib/errors.ts';
import type { TokenStates } from '../users/token-states.ts';
import type { TokenClaims, Tokens } from '../users/token.ts';
import type { Caller } from './operation.ts';

/** Who sent a request, by its `authorization` header. Throws `unauthenticated` (or rejects with it) for nobody. */
export type Authenticate = (authorization: string | undefined) => Caller | Promise<Caller>;

const BEARER = /^bearer +([^\s,]+) *$/i;

/** Takes `Bearer` in any case. Answers without a promise where nothing has to be asked, which is nearly always. */
export function createAuthenticate({
  tokens,
  tokenStates,
}: {
  tokens: Tokens;
  tokenStates: TokenStates;
}): Authenticate {
  return (authorization) => {
    if (authorization === undefined)
      throw unauthenticated('This operation needs the header Authorization: Bearer <token>');
    const token = BEARER.exec(authorization)?.[1];
    if (token === undefined) throw unauthenticated('The Authorization header must be Bearer <token>');
    const claims = tokens.read(token);
    if (!claims) throw unauthenticated('The token is not valid, or has expired');
    const holds = tokenStates.holds(claims);
    return typeof holds === 'boolean' ? callerOf(claims, holds) : holds.then((answer) => callerOf(claims, answer));
  };
}

function callerOf({ userId, tokenId, generation }: TokenClaims, holds: boolean): Caller {
  if (!holds) throw unauthenticated('The token has been revoked');
  return { userId, tokenId, tokenGeneration: generation };
}

function unauthenticated(message: string): AppError {
  return new AppError('unauthenticated', message);
}
