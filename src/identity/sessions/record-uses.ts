import { LRUCache } from 'lru-cache';
import type { CredentialDeps } from './ttl-cache.ts';

const MOST_REMEMBERED = 10_000;

/** Notes in the background that a credential is in use, once in `everyMs` at most: for every request, so it nearly always does nothing. */
export function createUseRecorder<Id extends number | string>({ log, clock }: CredentialDeps, everyMs: number) {
  const recordedAt = new LRUCache<Id, number>({ max: MOST_REMEMBERED });
  /** `firstMs`: when the first use was noted by whoever made the credential. */
  return (id: Id, record: () => Promise<void>, firstMs = -Infinity): void => {
    const nowMs = clock.nowMs();
    const recordedAtMs = recordedAt.get(id) ?? firstMs;
    if (nowMs - recordedAtMs < everyMs && nowMs >= recordedAtMs) return;
    recordedAt.set(id, nowMs);
    record().catch((error: unknown) =>
      log.warn({ err: error }, 'the use of a session or an API key could not be noted'),
    );
  };
}
