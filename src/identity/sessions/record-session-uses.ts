import { LRUCache } from 'lru-cache';
import type { Database } from '../../platform/database/connect.ts';
import type { Log } from '../../platform/log/log.ts';
import type { Clock } from '../../platform/time/time.ts';
import { recordSessionUse } from './session-store.ts';
import { TOKEN_LIFETIME_MS, type TokenClaims } from './token.ts';

const MOST_REMEMBERED = 10_000;
const USE_NOTED_MS = 5 * 60_000;

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
  const noted = new LRUCache<string, number>({ max: MOST_REMEMBERED });
  return ({ userId, tokenId, expiresAtMs }) => {
    const nowMs = clock.nowMs();
    // Signing in has noted the first one.
    const notedAtMs = noted.get(tokenId) ?? expiresAtMs - TOKEN_LIFETIME_MS;
    if (nowMs - notedAtMs < USE_NOTED_MS && nowMs >= notedAtMs) return;
    noted.set(tokenId, nowMs);
    recordSessionUse(db, userId, tokenId).catch((error: unknown) =>
      log.warn({ err: error, userId }, 'the use of a session could not be noted'),
    );
  };
}
