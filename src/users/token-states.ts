import type { Database } from '../database/connect.ts';
import type { Hints } from '../database/listen.ts';
import type { UserId } from '../database/schema.ts';
import type { Clock } from '../lib/time.ts';
import { readTokenState, type Membership, type TokenState } from './store.ts';
import type { TokenIdentity } from './token.ts';

/** Which tokens still hold, remembered for so short a time that a revocation reaches every process within a second. */
export interface TokenStates {
  /**
   * The workspace that a token acts for; undefined for one that was revoked, or whose user is gone. A promise only where the
   * database has to be asked.
   */
  find(token: TokenIdentity & { userId: UserId }): Membership | undefined | Promise<Membership | undefined>;
  /** To be called after each local revocation: what is remembered of the user is no longer true. */
  drop(userId: number): void;
}

/** Contract §4: a revocation holds on every process within 1 s, also when no hint comes through. */
const MAX_AGE_MS = 800;
const MOST_REMEMBERED = 20_000;

interface Remembered {
  /** Undefined: there is no such user. */
  state: TokenState | undefined;
  readAtMs: number;
}

/** Asks the database once for all who wait for the same user. Hints on `campanile_tokens` carry the user id. */
export function createTokenStates({
  db,
  clock,
  hints,
}: {
  db: Database;
  clock: Clock;
  hints?: Pick<Hints, 'on'>;
}): TokenStates {
  const remembered = new Map<number, Remembered>();
  const reading = new Map<number, Promise<TokenState | undefined>>();

  function drop(userId: number) {
    remembered.delete(userId);
    // What is being read may be older than the revocation: nobody who comes now may wait for it.
    reading.delete(userId);
  }

  hints?.on('campanile_tokens', (payload) => {
    if (payload !== '') return drop(Number(payload));
    remembered.clear();
    reading.clear();
  });

  function remember(userId: number, entry: Remembered) {
    remembered.delete(userId);
    remembered.set(userId, entry);
    if (remembered.size <= MOST_REMEMBERED) return;
    const oldest = remembered.keys().next();
    if (!oldest.done) remembered.delete(oldest.value);
  }

  async function read(userId: UserId): Promise<TokenState | undefined> {
    // Before the question, not after the answer: the age counts from what the answer can know.
    const readAtMs = clock.nowMs();
    const answer = readTokenState(db, userId);
    reading.set(userId, answer);
    try {
      const state = await answer;
      if (reading.get(userId) === answer) remember(userId, { state, readAtMs });
      return state;
    } finally {
      if (reading.get(userId) === answer) reading.delete(userId);
    }
  }

  return {
    find(token) {
      const entry = remembered.get(token.userId);
      const ageMs = entry ? clock.nowMs() - entry.readAtMs : MAX_AGE_MS;
      if (entry && ageMs >= 0 && ageMs < MAX_AGE_MS) return judge(entry.state, token);
      const answer = reading.get(token.userId) ?? read(token.userId);
      return answer.then((state) => judge(state, token));
    },
    drop,
  };
}

function judge(state: TokenState | undefined, token: TokenIdentity): Membership | undefined {
  return isCurrent(state, token) ? state : undefined;
}

/** The rule of revocation: a token is of the user's present generation, or the one that was kept, and was not signed out by itself. */
export function isCurrent(state: TokenState | undefined, token: TokenIdentity): boolean {
  if (!state || state.signedOutTokenIds.includes(token.tokenId)) return false;
  return token.generation === state.tokenGeneration || token.tokenId === state.keptTokenId;
}
