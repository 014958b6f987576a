import type { UserId } from '../../platform/database/schema.ts';
import { createTtlCache, type CredentialDeps } from './ttl-cache.ts';
import { readTokenState, type Membership, type TokenState } from '../store.ts';
import type { TokenIdentity } from './token.ts';

export type TokenStates = ReturnType<typeof createTokenStates>;

type Memberships = readonly Membership[] | undefined;

const MOST_REMEMBERED = 20_000;

/**
 * Which tokens still hold, remembered for so short a time that a revocation reaches every process within a second. Asks the database once
 * for all who wait for the same user. Hints on `campanile_tokens` carry the user id.
 */
export function createTokenStates({ db, clock, notifications }: CredentialDeps) {
  // By user; undefined: there is no such user.
  const states = createTtlCache<UserId, TokenState | undefined>({
    clock,
    most: MOST_REMEMBERED,
    read: (userId) => readTokenState(db, userId),
  });
  /** Drops the user's state from the cache. Call it after each local revocation. */
  const drop = (userId: number) => states.drop((id) => id === userId);
  notifications?.on('campanile_tokens', (payload) => (payload === '' ? states.drop() : drop(Number(payload))));
  return {
    /**
     * The workspaces of a token's user, the default one first; undefined for a token that was revoked, or whose user is gone. A promise
     * only where the database has to be asked.
     */
    find(token: TokenIdentity & { userId: UserId }) {
      const state = states.get(token.userId);
      return state instanceof Promise ? state.then((read) => membershipsOf(read, token)) : membershipsOf(state, token);
    },
    drop,
  };
}

function membershipsOf(state: TokenState | undefined, token: TokenIdentity): Memberships {
  return isCurrent(state, token) ? state?.memberships : undefined;
}

/** The rule of revocation: a token is of the user's present generation, or the one that was kept, and was not signed out by itself. */
export function isCurrent(state: Omit<TokenState, 'memberships'> | undefined, token: TokenIdentity): boolean {
  if (!state || state.signedOutTokenIds.includes(token.tokenId)) return false;
  return token.generation === state.tokenGeneration || token.tokenId === state.keptTokenId;
}
