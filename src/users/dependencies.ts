import type { Transaction } from 'kysely';
import type { Database } from '../database/connect.ts';
import type { Hints } from '../database/listen.ts';
import type { Schema } from '../database/schema.ts';
import type { Clock } from '../lib/time.ts';
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
}

export function createUserDependencies(settings: UserSettings): UserDependencies {
  const { db, clock, hints, jwtSecret, tokenLifetimeMs, signUp, timeZone, bornWithUser } = settings;
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
  };
}
