import type { Database } from '../database/connect.ts';
import type { Hints } from '../database/listen.ts';
import type { Log } from '../lib/log.ts';
import type { Clock } from '../lib/time.ts';
import { hashApiKey } from './api-key.ts';
import { findApiKeyByHash, noteApiKeyUse, type ApiKeyState } from './api-key-store.ts';

/** Which API keys hold, remembered for so short a time that a revocation reaches every process within a second. */
export interface ApiKeyStates {
  /**
   * What a key stands for; undefined for one that is unknown, revoked or expired, or whose user is gone. Notes in the background
   * that the key is in use. A promise only where the database has to be asked.
   */
  find(key: string): ApiKeyState | undefined | Promise<ApiKeyState | undefined>;
  /** To be called after each local revocation: what is remembered of the user's keys is no longer true. */
  drop(userId: number): void;
}

/** Contract §4: a revocation holds on every process within 1 s, also when no hint comes through. */
const MAX_AGE_MS = 800;
const MOST_REMEMBERED = 10_000;
const USE_NOTED_MS = 60_000;

interface Remembered {
  state: ApiKeyState;
  readAtMs: number;
}

/** Asks the database once for all who wait for the same key. Hints on `campanile_tokens` carry the user id. */
export function createApiKeyStates({
  db,
  log,
  clock,
  hints,
}: {
  db: Database;
  log: Log;
  clock: Clock;
  hints?: Pick<Hints, 'on'>;
}): ApiKeyStates {
  // By the key's hash: the keys themselves are not kept in memory either.
  const remembered = new Map<string, Remembered>();
  const reading = new Map<string, Promise<ApiKeyState | undefined>>();
  const noted = new Map<number, number>();

  function drop(userId: number) {
    for (const [id, { state }] of remembered) if (state.userId === userId) remembered.delete(id);
    // Whose keys are being read is not known yet, and they may be older than the revocation: nobody who comes now waits for them.
    reading.clear();
  }

  hints?.on('campanile_tokens', (payload) => {
    if (payload !== '') return drop(Number(payload));
    remembered.clear();
    reading.clear();
  });

  async function read(id: string, hash: Buffer): Promise<ApiKeyState | undefined> {
    // Before the question, not after the answer: the age counts from what the answer can know.
    const readAtMs = clock.nowMs();
    const answer = findApiKeyByHash(db, hash);
    reading.set(id, answer);
    try {
      const state = await answer;
      // What is no key is not remembered: guesses must not push keys out.
      if (state && reading.get(id) === answer) remember(remembered, id, { state, readAtMs }, MOST_REMEMBERED);
      return state;
    } finally {
      if (reading.get(id) === answer) reading.delete(id);
    }
  }

  function noteUse({ apiKeyId }: ApiKeyState, nowMs: number) {
    const notedAtMs = noted.get(apiKeyId);
    if (notedAtMs !== undefined && nowMs - notedAtMs < USE_NOTED_MS && nowMs >= notedAtMs) return;
    remember(noted, apiKeyId, nowMs, MOST_REMEMBERED);
    noteApiKeyUse(db, apiKeyId).catch((error: unknown) =>
      log.warn({ err: error, apiKeyId }, 'the use of an API key could not be noted'),
    );
  }

  function judge(state: ApiKeyState | undefined): ApiKeyState | undefined {
    const nowMs = clock.nowMs();
    if (!state || (state.expiresAt && state.expiresAt.getTime() <= nowMs)) return undefined;
    noteUse(state, nowMs);
    return state;
  }

  return {
    find(key) {
      const hash = hashApiKey(key);
      const id = hash.toString('base64');
      const entry = remembered.get(id);
      const ageMs = entry ? clock.nowMs() - entry.readAtMs : MAX_AGE_MS;
      if (entry && ageMs >= 0 && ageMs < MAX_AGE_MS) return judge(entry.state);
      return (reading.get(id) ?? read(id, hash)).then(judge);
    },
    drop,
  };
}

/** Puts the entry last and lets the first one go when there are too many. */
function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number) {
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return;
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}
