import type { Transaction } from 'kysely';
import type { Actor } from '../workspaces/audit/record-audit.ts';
import type { Database } from '../platform/database/connect.ts';
import type { Notifications } from '../platform/database/listen.ts';
import type { Schema, WorkspaceId } from '../platform/database/schema.ts';
import type { Log } from '../platform/log/log.ts';
import type { Vault } from '../platform/secrets/secret-box.ts';
import type { Clock } from '../platform/time/time.ts';
import { createMailLinks, type MailLinks } from '../platform/mail/mail-links.ts';
import { createApiKeyStates, type ApiKeyStates } from './api-keys/api-key-states.ts';
import { createChallenges, type Challenges } from './factors/challenges.ts';
import { createSessionUseRecorder, type RecordSessionUse } from './sessions/record-session-uses.ts';
import { createTokenStates, type TokenStates } from './sessions/token-states.ts';
import { createTokens, type Tokens } from './sessions/token.ts';

/** The installation's settings about users. */
export interface UserSettings {
  db: Database;
  log: Log;
  clock: Clock;
  /** At least 32 characters; every process of an installation needs the same. */
  jwtSecret: string;
  /** The secret before: tokens that it has signed are still taken. */
  jwtSecretPrevious?: string | undefined;
  signUp: 'open' | 'invite' | 'closed';
  /** Strangers can come: passwords that are guessed first are refused. */
  isPublic: boolean;
  /** Encrypts the stored second factors. */
  vault: Vault;
  /** Whether mails are sent. False: the administrator gets the code of an invitation, to pass it on. */
  hasMail?: boolean;
  /** IANA zone of users who chose none. */
  timeZone: string;
  /** The most workspaces that a person owns, and hands over in 24 hours; administrators excepted. Default is 5. */
  ownedWorkspaces?: number;
  /** Without hints a revocation still reaches this process within 0.8 s. */
  notifications?: Pick<Notifications, 'on'>;
  /** Called in the transaction that creates a user. Creates the initial rows of their workspace. */
  onUserCreated(trx: Transaction<Schema>, workspaceId: WorkspaceId): Promise<void>;
  /** Called in the transaction that creates a test workspace. Creates its initial rows. */
  onTestWorkspaceCreated(trx: Transaction<Schema>, workspaceId: WorkspaceId): Promise<void>;
  /** Called in the transaction that gives a workspace another owner, before it does. Keeps what the account has of the owner. */
  onHandedOver(trx: Transaction<Schema>, workspaceId: WorkspaceId): Promise<void>;
  /** Called in the transaction that deletes a user, before the user's row is locked. Ends the workspace's work at once. */
  onUserDeleted(trx: Transaction<Schema>, workspaceId: WorkspaceId): Promise<void>;
  /**
   * Runs in the transaction that disables a user, before the user's row is locked. Stops the workspace's work until the user resumes it.
   */
  onUserDisabled(trx: Transaction<Schema>, workspaceId: WorkspaceId): Promise<void>;
  /** Called in the transaction that changes the number of a user's messaging account, before it locks the user. Throws where it has to stay. */
  allowsNumber(trx: Transaction<Schema>, actor: Actor, number: { written: string; digits: string }): Promise<void>;
}

/** The dependencies of this group's use cases; each asks for its part. */
export interface UserDependencies extends Pick<
  UserSettings,
  | 'db'
  | 'log'
  | 'clock'
  | 'signUp'
  | 'isPublic'
  | 'vault'
  | 'timeZone'
  | 'onUserCreated'
  | 'onTestWorkspaceCreated'
  | 'onHandedOver'
  | 'onUserDeleted'
  | 'onUserDisabled'
  | 'allowsNumber'
> {
  hasMail: boolean;
  ownedWorkspaces: number;
  links: MailLinks;
  tokens: Tokens;
  tokenStates: TokenStates;
  apiKeyStates: ApiKeyStates;
  recordSessionUse: RecordSessionUse;
  challenges: Challenges;
}

export function createUserDependencies(settings: UserSettings): UserDependencies {
  const {
    db,
    log,
    clock,
    notifications,
    jwtSecret,
    jwtSecretPrevious,
    signUp,
    isPublic,
    vault,
    hasMail = false,
    timeZone,
    ownedWorkspaces = 5,
    onUserCreated,
    onTestWorkspaceCreated,
    onHandedOver,
    onUserDeleted,
    onUserDisabled,
    allowsNumber,
  } = settings;
  return {
    db,
    log,
    clock,
    signUp,
    isPublic,
    vault,
    hasMail,
    links: createMailLinks(jwtSecret, jwtSecretPrevious),
    timeZone,
    ownedWorkspaces,
    onUserCreated,
    onTestWorkspaceCreated,
    onHandedOver,
    onUserDeleted,
    onUserDisabled,
    allowsNumber,
    challenges: createChallenges({ secret: jwtSecret, clock }),
    tokens: createTokens({ secret: jwtSecret, previousSecret: jwtSecretPrevious, clock }),
    tokenStates: createTokenStates({ db, clock, ...(notifications ? { notifications } : {}) }),
    recordSessionUse: createSessionUseRecorder({ db, log, clock }),
    apiKeyStates: createApiKeyStates({ db, log, clock, ...(notifications ? { notifications } : {}) }),
  };
}
