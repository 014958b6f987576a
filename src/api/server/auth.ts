import { AppError } from '../../platform/errors/errors.ts';
import { isApiKey } from '../../identity/api-keys/api-key.ts';
import type { ApiKeyStates } from '../../identity/api-keys/api-key-states.ts';
import type { ApiKeyState } from '../../identity/api-keys/api-key-store.ts';
import type { Membership } from '../../identity/store.ts';
import type { RecordSessionUse } from '../../identity/sessions/record-session-uses.ts';
import type { TokenStates } from '../../identity/sessions/token-states.ts';
import type { TokenClaims, TokenIdentity, Tokens } from '../../identity/sessions/token.ts';
import type { Scope } from '../contract/define-operations.ts';
import type { Caller } from '../operation.ts';
import { workForAddress } from './set-requesters.ts';
import { fieldError } from '../../platform/errors/issues.ts';

/**
 * Who sent a request and for which workspace, by its `authorization` header and the client's address. Throws `unauthenticated` (or
 * rejects with it) for nobody.
 */
export type Authenticate = (authorization: string | undefined, address: string) => Caller | Promise<Caller>;

const BEARER = /^bearer +([^\s,]+) *$/i;

/**
 * Takes `Bearer` in any case, with a token or an API key. Answers without a promise where nothing has to be asked, which is nearly
 * always.
 */
export function createAuthenticate({
  tokens,
  tokenStates,
  apiKeyStates,
  recordSessionUse,
}: {
  tokens: Tokens;
  tokenStates: TokenStates;
  apiKeyStates: ApiKeyStates;
  recordSessionUse: RecordSessionUse;
}): Authenticate {
  return (authorization, address) => {
    if (authorization === undefined)
      throw new AppError('token_missing', 'This operation needs the header Authorization: Bearer <token>');
    const credential = BEARER.exec(authorization)?.[1];
    if (credential === undefined)
      throw new AppError('token_missing', 'The Authorization header must be Bearer <token>');
    // Anybody can make up a key, and each is looked up; a token that can be read is genuine.
    if (isApiKey(credential))
      return thenCaller(
        workForAddress(address, () => apiKeyStates.find(credential)),
        callerOfKey,
      );
    const claims = tokens.read(credential);
    if (!claims) throw new AppError('token_invalid', 'The token is invalid or has expired');
    return thenCaller(tokenStates.find(claims), (member) => {
      const caller = callerOfToken(claims, member, tokens.isRecentlyAuthenticated(claims));
      recordSessionUse(claims);
      return caller;
    });
  };
}

/**
 * Step-up authentication: an operation can require a recent proof of identity (`requiresRecentAuth`). Throws `forbidden` when the scopes
 * of the API key do not include the operation, when a test key asks for a person's data, or when the proof behind the token is too old.
 * Scopes are independent: `send` does not include `read`.
 */
export function requireScope(caller: Caller, { scope, requiresRecentAuth = false, isPersonal = false }: Reach): void {
  const { apiKeyId, scopes = [], isRecentlyAuthenticated } = caller;
  if (apiKeyId === undefined) {
    if (requiresRecentAuth && isRecentlyAuthenticated !== true) throw recentAuthRequired();
    return;
  }
  if (scope === 'token')
    throw new AppError('token_required', 'This operation does not accept API keys: sign in, and send the token');
  if (!scopes.includes(scope))
    throw new AppError('scope_missing', `This operation needs an API key with the scope ${scope}`);
  if (isPersonal && isTest(caller))
    throw new AppError('scope_missing', 'This operation is about the person: a test key reaches test data only');
}

/** The requirements of an operation on its caller. */
interface Reach {
  scope: Scope;
  requiresRecentAuth?: boolean;
  isPersonal?: boolean;
}

/** Whether the request came with a test key: its workspace is a test workspace. */
export function isTest({ testOf }: Caller): boolean {
  return testOf !== undefined && testOf !== null;
}

function recentAuthRequired(): AppError {
  return new AppError('proof_required', 'Re-authentication required: call user/confirm_identity, or sign in again', {
    details: [fieldError('authorization', 'no_proof')],
  });
}

/** The token a request came with. Throws `forbidden` when it came with an API key. */
export function tokenOf(caller: Caller): TokenIdentity {
  requireScope(caller, { scope: 'token' });
  if (!caller.token) throw new Error('a caller has neither token nor API key');
  return caller.token;
}

function thenCaller<Known>(known: Known | Promise<Known>, then: (known: Known) => Caller): Caller | Promise<Caller> {
  return known instanceof Promise ? known.then(then) : then(known);
}

function callerOfToken(claims: TokenClaims, member: Membership | undefined, isRecentlyAuthenticated: boolean): Caller {
  if (!member) throw new AppError('token_revoked', 'The token has been revoked');
  const { userId, tokenId, generation, expiresAtMs } = claims;
  const { workspaceId, role } = member;
  return { userId, workspaceId, role, token: { tokenId, generation }, expiresAtMs, isRecentlyAuthenticated };
}

function callerOfKey(state: ApiKeyState | undefined): Caller {
  if (!state) throw new AppError('api_key_invalid', 'The API key is invalid, expired or revoked');
  const { expiresAt, ...known } = state;
  return { ...known, ...(expiresAt && { expiresAtMs: expiresAt.getTime() }) };
}
