import { LRUCache } from 'lru-cache';
import { recordSessionUse } from './session-store.ts';
import { TOKEN_LIFETIME_MS, type TokenClaims } from './token.ts';
import type { CredentialDeps } from './ttl-cache.ts';

const MOST_REMEMBERED = 10_000;
const USE_RECORDED_EVERY_MS = 5 * 60_000;

/** Notes in the background that a token is in use, once in five minutes at most: for every request, so it nearly always does nothing. */
export type RecordSessionUse = (token: TokenClaims) => void;

export function createSessionUseRecorder({ db, log, clock }: CredentialDeps): RecordSessionUse {
  const recordedAt = new LRUCache<string, number>({ max: MOST_REMEMBERED });
  return ({ userId, tokenId, expiresAtMs }) => {
    const nowMs = clock.nowMs();
    // Signing in has noted the first one.
    const recordedAtMs = recordedAt.get(tokenId) ?? expiresAtMs - TOKEN_LIFETIME_MS;
    if (nowMs - recordedAtMs < USE_RECORDED_EVERY_MS && nowMs >= recordedAtMs) return;
    recordedAt.set(tokenId, nowMs);
    recordSessionUse(db, userId, tokenId).catch((error: unknown) =>
      log.warn({ err: error, userId }, 'the use of a session could not be noted'),
    );
  };
}
