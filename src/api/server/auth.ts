import { AppError, fieldError } from '../../platform/errors/errors.ts';
import { isApiKey } from '../../identity/api-keys/api-key.ts';
import type { ApiKeyState } from '../../identity/api-keys/api-key-store.ts';
import type { Membership } from '../../identity/store.ts';
import type { Role } from '../../platform/database/schema.ts';
import { includesRole } from '../../workspaces/members/roles.ts';
import type { TokenClaims, TokenIdentity } from '../../identity/sessions/token.ts';
import { acceptedScopes, type RequiredRole, type Scope } from '../contract/define-operations.ts';
import type { Caller } from '../operation.ts';
import { workForAddress } from './set-requesters.ts';
import type { UserDependencies } from '../../identity/dependencies.ts';

/**
 * Returns the person, the workspace and the role of a request: the one place that makes them. `workspace` is what the request names, in
 * the header `x-workspace`; without it the person's default workspace is meant, or that of the key. Throws (or rejects with)
 * `unauthenticated` for nobody, and `not_found` for a workspace that the person is no member of, exists it or not.
 */
export type Authenticate = (
  authorization: string | undefined,
  address: string,
  workspace?: string,
) => Caller | Promise<Caller>;

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
}: Pick<UserDependencies, 'tokens' | 'tokenStates' | 'apiKeyStates' | 'recordSessionUse'>): Authenticate {
  return (authorization, address, workspace) => {
    if (authorization === undefined)
      throw new AppError('token_missing', 'This operation needs the header Authorization: Bearer <token>');
    const credential = BEARER.exec(authorization)?.[1];
    if (credential === undefined)
      throw new AppError('token_missing', 'The Authorization header must be Bearer <token>');
    // Anybody can make up a key, and each is looked up; a token that can be read is genuine.
    if (isApiKey(credential))
      return thenCaller(
        workForAddress(address, () => apiKeyStates.find(credential)),
        (state) => callerOfKey(state, workspace),
      );
    const claims = tokens.read(credential);
    if (!claims) throw new AppError('token_invalid', 'The token is invalid or has expired');
    return thenCaller(tokenStates.find(claims), (memberships) => {
      const [byDefault] = memberships ?? [];
      if (!memberships || !byDefault) throw new AppError('token_revoked', 'The token has been revoked');
      const callerIn = (member: Membership) => callerOfToken(claims, member, tokens.isRecentlyAuthenticated(claims));
      const member =
        workspace === undefined ? byDefault : memberships.find(({ workspaceId }) => String(workspaceId) === workspace);
      if (!member) throw new ForeignWorkspaceError(callerIn(byDefault));
      recordSessionUse(claims);
      return callerIn(member);
    });
  };
}

/**
 * Step-up authentication: an operation can require a recent proof of identity (`requiresRecentAuth`). Throws `forbidden` when the scopes
 * of the API key do not include the operation, when a test key asks for a person's data, or when the proof behind the token is too old.
 * Scopes are independent, but for those of `acceptedScopes`: `send` does not include `read`.
 */
export function requireScope(caller: Caller, { scope, requiresRecentAuth = false, isPersonal = false }: Reach): void {
  const { apiKeyId, scopes = [], isRecentlyAuthenticated } = caller;
  if (apiKeyId === undefined) {
    if (!requiresRecentAuth || isRecentlyAuthenticated) return;
    throw new AppError('proof_required', 'Re-authentication required: call user/confirm_identity, or sign in again', {
      details: [fieldError('authorization', 'no_proof')],
    });
  }
  if (scope === 'token')
    throw new AppError('token_required', 'This operation does not accept API keys: sign in, and send the token');
  const accepted = acceptedScopes(scope);
  if (!accepted.some((one) => scopes.includes(one)))
    throw new AppError('scope_missing', `This operation needs an API key with the scope ${accepted.join(' or ')}`);
  if (isPersonal && isTest(caller))
    throw new AppError('scope_missing', 'This operation is about the person: a test key reaches test data only');
}

/** Throws `forbidden` when the caller's role in the workspace is below the one that the operation needs. */
export function requireRole({ role, apiKeyId }: Pick<Caller, 'role' | 'apiKeyId'>, needed: RequiredRole): void {
  if (needed === 'none' || includesRole(role, needed)) return;
  const subject = apiKeyId === undefined ? 'you are' : 'this API key acts as';
  throw new AppError(
    'role_missing',
    `This operation needs the role ${needed} in the workspace, and ${subject} ${withArticle(role)}`,
  );
}

function withArticle(role: Role): string {
  return `${/^[aeiou]/.test(role) ? 'an' : 'a'} ${role}`;
}

/** The requirements of an operation on its caller. */
export interface Reach {
  scope: Scope;
  requiresRecentAuth?: boolean;
  isPersonal?: boolean;
}

/** Whether the request came with a test key: its workspace is a test workspace. */
export function isTest({ testOf }: Caller): boolean {
  return testOf !== undefined && testOf !== null;
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

/** A workspace that does not exist, or that the caller is no member of. */
export class ForeignWorkspaceError extends AppError {
  /** In the default workspace, or in that of the key: its rate limit counts the request, so that ids cannot be guessed at full speed. */
  readonly caller: Caller;

  constructor(caller: Caller) {
    super('workspace_not_found', 'The workspace does not exist, or you are not a member of it');
    this.caller = caller;
  }
}

function callerOfToken(claims: TokenClaims, member: Membership, isRecentlyAuthenticated: boolean): Caller {
  const { userId, tokenId, generation, expiresAtMs } = claims;
  const { workspaceId, role } = member;
  return { userId, workspaceId, role, token: { tokenId, generation }, expiresAtMs, isRecentlyAuthenticated };
}

/** A key acts in its own workspace only. For a test key, the workspace that it tests for is its own. */
function callerOfKey(state: ApiKeyState | undefined, workspace: string | undefined): Caller {
  if (!state) throw new AppError('api_key_invalid', 'The API key is invalid, expired or revoked');
  const { expiresAt, ...known } = state;
  const caller = { ...known, ...(expiresAt && { expiresAtMs: expiresAt.getTime() }) };
  if (workspace !== undefined && workspace !== String(state.testOf ?? state.workspaceId))
    throw new ForeignWorkspaceError(caller);
  return caller;
}
