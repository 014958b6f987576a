import { hashSecret } from '../../platform/secrets/hash-secret.ts';
import { findApiKeyByHash, recordApiKeyUse, type ApiKeyState } from './api-key-store.ts';
import { createUseRecorder } from '../sessions/record-uses.ts';
import { createTtlCache, type CredentialDeps } from '../sessions/ttl-cache.ts';

export type ApiKeyStates = ReturnType<typeof createApiKeyStates>;

const MOST_REMEMBERED = 10_000;
const USE_RECORDED_EVERY_MS = 60_000;

/**
 * Which API keys hold, remembered for so short a time that a revocation reaches every process within a second. Asks the database once for
 * all who wait for the same key. Hints on `campanile_tokens` carry the user id.
 */
export function createApiKeyStates(deps: CredentialDeps) {
  const { db, clock, notifications } = deps;
  const recordUse = createUseRecorder<number>(deps, USE_RECORDED_EVERY_MS);
  // By the key's hash in base64: the keys themselves are not kept in memory either.
  const states = createTtlCache<string, ApiKeyState | undefined>({
    clock,
    most: MOST_REMEMBERED,
    read: (id) => findApiKeyByHash(db, Buffer.from(id, 'base64')),
    // Guesses must not push keys out.
    isCacheable: (state) => state !== undefined,
  });
  /** Drops the user's keys from the cache. Call it after each local revocation. */
  const drop = (userId: number) => states.drop((_id, state) => state?.userId === userId);
  notifications?.on('campanile_tokens', (payload) => (payload === '' ? states.drop() : drop(Number(payload))));

  function toValidState(state: ApiKeyState | undefined): ApiKeyState | undefined {
    if (!state || (state.expiresAt && state.expiresAt.getTime() <= clock.nowMs())) return undefined;
    recordUse(state.apiKeyId, () => recordApiKeyUse(db, state.apiKeyId));
    return state;
  }

  return {
    /**
     * What a key stands for; undefined for one that is unknown, revoked or expired, or whose user is gone. Notes in the background that
     * the key is in use. A promise only where the database has to be asked.
     */
    find(key: string) {
      const state = states.get(hashSecret(key).toString('base64'));
      return state instanceof Promise ? state.then(toValidState) : toValidState(state);
    },
    drop,
  };
}
