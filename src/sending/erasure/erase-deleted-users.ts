import { sql } from 'kysely';
import { SHARDS, type Leases } from '../leases/leases.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Database } from '../../platform/database/connect.ts';
import { isolateEach } from '../../platform/database/isolate-failures.ts';
import { readQuarantined } from '../../platform/database/quarantine.ts';
import type { Notifications } from '../../platform/database/listen.ts';
import type { WorkPoll } from '../../platform/database/work-poll.ts';
import type { OnLoopError } from '../../platform/concurrency/failure-streak.ts';
import type { Log } from '../../platform/log/log.ts';
import { startLoop } from '../../platform/concurrency/loop.ts';
import type { Messenger } from '../../messengers/messenger.ts';
import { endAccountErasure, eraseNextOfAccount, findRemovedAccounts, hasRemovedAccounts } from './erase-account.ts';
import { endErasure, eraseNext, findDeletedUsers, hasDeletedUsers, type DeletedUser } from './erase-user.ts';
import type { AccountId } from '../../platform/database/schema.ts';

const USERS_PER_STEP = 100;
const ACCOUNTS_PER_STEP = 100;
const POLL_MS = 5_000;

export interface ErasureOptions {
  db: Database;
  log: Log;
  notifications: Notifications;
  leases: Pick<Leases, 'shards'>;
  sessions: Pick<Sessions, 'closeUnless'>;
  /** By name. */
  messengers: ReadonlyMap<string, Messenger>;
  workPoll?: WorkPoll | undefined;
  onLoopError?: OnLoopError;
}

/**
 * Sees to the users who have deleted their account, of those this worker serves: closes their sessions, removes what is theirs
 * from the ledger and has the messengers forget them, until stopped. A worker that dies in between is followed by another, which
 * goes on with what is left. One whose messenger cannot be reached is tried again, and delays no other; neither does one whose rows cannot be
 * removed, who is put into quarantine. Accounts that were removed from a workspace are seen to in the same way.
 */
export function eraseDeletedUsers(options: ErasureOptions): { stop(): Promise<void> } {
  const { db, log, leases, sessions } = options;

  async function step(): Promise<number> {
    const shards = new Set(leases.shards());
    const { held } = await readQuarantined(db, 'erasure');
    const found = await findDeletedUsers(db, USERS_PER_STEP, [...held]);
    const removed = await findRemovedAccounts(db, ACCOUNTS_PER_STEP);
    const accounts = new Set([...removed, ...found.flatMap(({ accountIds }) => accountIds)]);
    // Also the accounts of users that another worker erases: that worker may not serve the account of their test workspace.
    if (accounts.size > 0) await sessions.closeUnless((accountId) => !accounts.has(accountId));
    const mine = found.filter(({ accountIds: [first], userId }) => shards.has((first ?? userId) % SHARDS));
    const { results } = await isolateEach({ db, log }, 'erasure', mine, {
      idOf: ({ userId }) => userId,
      run: eraseSome,
    });
    const isLeft: boolean[] = [];
    for (const accountId of removed.filter((id) => shards.has(id % SHARDS))) isLeft.push(await eraseAccount(accountId));
    return [...results, ...isLeft].some(Boolean) ? 0 : restMs;
  }

  /** True when there may be more to do for this user at once. */
  async function eraseSome(user: DeletedUser): Promise<boolean> {
    if (await eraseNext(db, user)) return true;
    try {
      if (await forgetOne(user.accountIds, options.messengers)) return true;
    } catch (error) {
      log.warn({ err: error, userId: user.userId }, 'a messenger could not forget a deleted user yet');
      return false;
    }
    await endErasure(db, user);
    return false;
  }

  /** True when there may be more to do for this account at once. */
  async function eraseAccount(accountId: AccountId): Promise<boolean> {
    try {
      if (await eraseNextOfAccount(db, accountId)) return true;
      if (await forgetOne([accountId], options.messengers)) return true;
      await endAccountErasure(db, accountId);
    } catch (error) {
      log.warn({ err: error, accountId }, 'a removed account could not be forgotten yet');
    }
    return false;
  }

  const isDue = () => sql<boolean>`(${hasDeletedUsers()} or ${hasRemovedAccounts()})`;
  const polled = { name: 'erasure', isDue, wake: () => loop.wake(), atMostEveryMs: POLL_MS };
  const restMs = options.workPoll?.add(polled) ?? POLL_MS;
  const loop = startLoop('erasure', step, { log, ...(options.onLoopError && { onError: options.onLoopError }) });
  options.notifications.on('campanile_erasures', () => loop.wake());
  return loop;
}

/** Has a messenger forget something of one of these accounts; false when nothing was left. */
async function forgetOne(accountIds: readonly AccountId[], messengers: ErasureOptions['messengers']): Promise<boolean> {
  // All messengers: an account may have been linked to another one before.
  for (const accountId of accountIds)
    for (const messenger of messengers.values()) if (await messenger.forget(accountId)) return true;
  return false;
}
