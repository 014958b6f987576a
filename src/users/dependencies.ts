import type { Transaction } from 'kysely';
import type { Database } from '../database/connect.ts';
import type { Hints } from '../database/listen.ts';
import type { Schema } from '../database/schema.ts';
import type { Clock } from '../lib/time.ts';
import { createAttemptLimit, type AttemptLimit } from './attempt-limit.ts';
import { createTokenStates, type TokenStates } from './token-states.ts';
import { createTokens, type Tokens } from './token.ts';

/** What the installation decides about users. */
export interface UserSettings {
  db: Database;
  clock: Clock;
  /** At least 32 characters; every process of an installation needs the same. */
  jwtSecret: string;
  tokenLifetimeMs?: number;
  signUp: 'open' | 'closed';
  /** IANA zone of users who chose none. */
  timeZone: string;
  /** Without hints a revocation still reaches this process within 0.8 s. */
  hints?: Pick<Hints, 'on'>;
  /** Called in the transaction that creates a user: whatever every user has from the beginning. */
  bornWithUser(trx: Transaction<Schema>, userId: number): Promise<void>;
}

/** What the use cases of this room work with; each asks for the parts that it needs. */
export interface UserDependencies extends Pick<UserSettings, 'db' | 'signUp' | 'timeZone' | 'bornWithUser'> {
  tokens: Tokens;
  tokenStates: TokenStates;
  attempts: {
    signUpsPerAddress: AttemptLimit;
    failuresPerName: AttemptLimit;
    failuresPerNameAndAddress: AttemptLimit;
  };
}

const QUARTER_OF_AN_HOUR_MS = 15 * 60 * 1_000;
const HOUR_MS = 60 * 60 * 1_000;

export function createUserDependencies(settings: UserSettings): UserDependencies {
  const { db, clock, hints, jwtSecret, tokenLifetimeMs, signUp, timeZone, bornWithUser } = settings;
  // Contract §2, row 429.
  const limit = (max: number, windowMs: number) => createAttemptLimit({ max, windowMs, clock });
  return {
    db,
    signUp,
    timeZone,
    bornWithUser,
    tokens: createTokens({
      secret: jwtSecret,
      clock,
      ...(tokenLifetimeMs === undefined ? {} : { lifetimeMs: tokenLifetimeMs }),
    }),
    tokenStates: createTokenStates({ db, clock, ...(hints ? { hints } : {}) }),
    attempts: {
      signUpsPerAddress: limit(600, HOUR_MS),
      failuresPerName: limit(100, QUARTER_OF_AN_HOUR_MS),
      failuresPerNameAndAddress: limit(10, QUARTER_OF_AN_HOUR_MS),
    },
  };
}
