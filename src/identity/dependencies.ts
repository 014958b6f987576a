import type { Transaction } from 'kysely';
import type { Actor } from '../workspaces/audit/record-audit.ts';
import type { Schema, WorkspaceId, UserId } from '../platform/database/schema.ts';
import type { Vault } from '../platform/secrets/secret-box.ts';
import { createMailLinks, type MailLinks } from '../platform/mail/mail-links.ts';
import { createApiKeyStates, type ApiKeyStates } from './api-keys/api-key-states.ts';
import { createChallenges, type Challenges } from './factors/challenges.ts';
import { createUseRecorder } from './sessions/record-uses.ts';
import { recordSessionUse } from './sessions/session-store.ts';
import { createTokenStates, type TokenStates } from './sessions/token-states.ts';
import { createTokens, TOKEN_LIFETIME_MS, type TokenClaims, type Tokens } from './sessions/token.ts';
import type { CredentialDeps } from './sessions/ttl-cache.ts';

/** The installation's settings about users. */
export interface UserSettings extends CredentialDeps {
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
  /** Called in the transaction that creates a workspace. Creates its initial rows. */
  onWorkspaceCreated(trx: Transaction<Schema>, workspaceId: WorkspaceId): Promise<void>;
  /** Called in the transaction that creates a test workspace. Creates its initial rows. */
  onTestWorkspaceCreated(trx: Transaction<Schema>, workspaceId: WorkspaceId): Promise<void>;
  /** Called in the transaction that gives a workspace another owner, before it does. Keeps what the account has of the owner. */
  onHandedOver(trx: Transaction<Schema>, workspaceId: WorkspaceId): Promise<void>;
  /** Called in the transaction that deletes a user, before the user's row is locked. Ends the workspace's work at once. */
  onUserDeleted(trx: Transaction<Schema>, workspaceId: WorkspaceId): Promise<void>;
  /**
   * Runs in the transaction that disables or enables the owner of a workspace, before the user's row is locked. Stops the workspace's work, or
   * lets it go on.
   */
  onUserSwitched(trx: Transaction<Schema>, workspaceId: WorkspaceId, isDisabled: boolean): Promise<void>;
  /** Called in the transaction that changes the number of a user's messaging account, before it locks the user. Throws where it has to stay. */
  allowsNumber(trx: Transaction<Schema>, actor: Actor, number: { written: string; digits: string }): Promise<void>;
}

/** The dependencies of this group's use cases; each asks for its part. */
export interface UserDependencies extends Omit<UserSettings, 'jwtSecret' | 'jwtSecretPrevious' | 'notifications'> {
  hasMail: boolean;
  ownedWorkspaces: number;
  links: MailLinks;
  tokens: Tokens;
  tokenStates: TokenStates;
  apiKeyStates: ApiKeyStates;
  /** Drops what this process has cached of a user's tokens and API keys. Call it after each change of them. */
  dropCached(userId: UserId): void;
  recordSessionUse(token: TokenClaims): void;
  challenges: Challenges;
}

const SESSION_USE_RECORDED_EVERY_MS = 5 * 60_000;

export function createUserDependencies(settings: UserSettings): UserDependencies {
  const { notifications, jwtSecret: secret, jwtSecretPrevious: previousSecret, ...own } = settings;
  const { db, log, clock } = own;
  const cached = { db, log, clock, ...(notifications ? { notifications } : {}) };
  const [tokenStates, apiKeyStates] = [createTokenStates(cached), createApiKeyStates(cached)];
  const recordUse = createUseRecorder<string>(cached, SESSION_USE_RECORDED_EVERY_MS);
  return {
    hasMail: false,
    ownedWorkspaces: 5,
    ...own,
    links: createMailLinks(secret, previousSecret),
    challenges: createChallenges({ secret, clock }),
    tokens: createTokens({ secret, previousSecret, clock }),
    tokenStates,
    apiKeyStates,
    dropCached(userId) {
      tokenStates.drop(userId);
      apiKeyStates.drop(userId);
    },
    recordSessionUse({ userId, tokenId, expiresAtMs }) {
      // Signing in has noted the first one.
      recordUse(tokenId, () => recordSessionUse(db, userId, tokenId), expiresAtMs - TOKEN_LIFETIME_MS);
    },
  };
}
