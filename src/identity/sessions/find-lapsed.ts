import type { Database } from '../../platform/database/statements.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import type { Clock } from '../../platform/time/time.ts';
import { findLivingApiKeys } from '../api-keys/api-key-store.ts';
import { readTokenStates } from '../store.ts';
import { isCurrent } from './token-states.ts';
import type { TokenIdentity } from './token.ts';

/** The credential of an open stream: either a token or a key. */
export interface Credential extends Omit<Actor, 'address'> {
  token?: TokenIdentity;
  /** Undefined: never. */
  expiresAtMs?: number;
}

/**
 * Returns the credentials that are no longer valid: expired, revoked, of a deleted user, or of a user who has another role in the
 * workspace by now, or none. Two statements for any number of credentials.
 */
export async function findLapsed<C extends Credential>(
  { db, clock }: { db: Database; clock: Clock },
  credentials: readonly C[],
): Promise<C[]> {
  const userIds = new Set(credentials.flatMap(({ token, userId }) => (token ? [userId] : [])));
  const keyIds = new Set(credentials.flatMap(({ apiKeyId }) => apiKeyId ?? []));
  const [states, keys] = await Promise.all([
    userIds.size > 0 ? readTokenStates(db, [...userIds]) : undefined,
    keyIds.size > 0 ? findLivingApiKeys(db, [...keyIds]) : undefined,
  ]);
  const nowMs = clock.nowMs();
  return credentials.filter(({ userId, workspaceId, role, token, apiKeyId, expiresAtMs = Infinity }) => {
    if (expiresAtMs <= nowMs) return true;
    const state = states?.get(userId);
    if (!token) return apiKeyId === undefined || keys?.get(apiKeyId) !== role;
    const member = state?.memberships.find((one) => one.workspaceId === workspaceId);
    return !isCurrent(state, token) || member?.role !== role;
  });
}
