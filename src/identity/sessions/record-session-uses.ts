import { LRUCache } from 'lru-cache';
import type { Database } from '../../platform/database/connect.ts';
import type { Log } from '../../platform/log/log.ts';
import type { Clock } from '../../platform/time/time.ts';
import { recordSessionUse } from './session-store.ts';
import { TOKEN_LIFETIME_MS, type TokenClaims } from './token.ts';

const MOST_REMEMBERED = 10_000;
const USE_RECORDED_EVERY_MS = 5 * 60_000;

/** Notes in the background that a token is in use, once in five minutes at most: for every request, so it nearly always does nothing. */
export type RecordSessionUse = (token: TokenClaims) => void;

export function createSessionUseRecorder({
  db,
  log,
  clock,
}: {
  db: Database;
  log: Log;
  clock: Clock;
}): RecordSessionUse {
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
