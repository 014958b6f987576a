import type { Transaction } from 'kysely';
import type { Actor } from '../audit/record-audit.ts';
import type { Database } from '../database/connect.ts';
import type { Hints } from '../database/listen.ts';
import type { Schema, WorkspaceId } from '../database/schema.ts';
import type { Log } from '../lib/log.ts';
import type { Clock } from '../lib/time.ts';
import { createApiKeyStates, type ApiKeyStates } from './api-key-states.ts';
import { createTokenStates, type TokenStates } from './token-states.ts';
import { createTokens, type Tokens } from './token.ts';

/** What the installation decides about users. */
export interface UserSettings {
  db: Database;
  log: Log;
  clock: Clock;
  /** At least 32 characters; every process of an installation needs the same. */
  jwtSecret: string;
  tokenLifetimeMs?: number;
  signUp: 'open' | 'closed';
  /** IANA zone of users who chose none. */
  timeZone: string;
  /** Without hints a revocation still reaches this process within 0.8 s. */
  hints?: Pick<Hints, 'on'>;
  /** Called in the transaction that creates a user: whatever their workspace has from the beginning. */
  bornWithUser(trx: Transaction<Schema>, workspaceId: WorkspaceId): Promise<void>;
  /** Called in the transaction that deletes a user, before it locks the user: whatever of their workspace must end at once. */
  diesWithUser(trx: Transaction<Schema>, workspaceId: WorkspaceId): Promise<void>;
  /** Called in the transaction that changes the number of a user's messaging account, before it locks the user. Throws where it has to stay. */
  allowsNumber(trx: Transaction<Schema>, actor: Actor, number: { written: string; digits: string }): Promise<void>;
}

/** What the use cases of this room work with; each asks for the parts that it needs. */
export interface UserDependencies extends Pick<
  UserSettings,
  'db' | 'log' | 'clock' | 'signUp' | 'timeZone' | 'bornWithUser' | 'diesWithUser' | 'allowsNumber'
> {
  tokens: Tokens;
  tokenStates: TokenStates;
  apiKeyStates: ApiKeyStates;
}

export function createUserDependencies(settings: UserSettings): UserDependencies {
  const {
    db,
    log,
    clock,
    hints,
    jwtSecret,
    tokenLifetimeMs,
    signUp,
    timeZone,
    bornWithUser,
    diesWithUser,
    allowsNumber,
  } = settings;
  return {
    db,
    log,
    clock,
    signUp,
    timeZone,
    bornWithUser,
    diesWithUser,
    allowsNumber,
    tokens: createTokens({
      secret: jwtSecret,
      clock,
      ...(tokenLifetimeMs === undefined ? {} : { lifetimeMs: tokenLifetimeMs }),
    }),
    tokenStates: createTokenStates({ db, clock, ...(hints ? { hints } : {}) }),
    apiKeyStates: createApiKeyStates({ db, log, clock, ...(hints ? { hints } : {}) }),
  };
}
