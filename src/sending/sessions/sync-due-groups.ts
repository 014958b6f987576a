/** Reads the groups of accounts again when that is due (`accounts/plan-syncs.ts`), without anybody asking. */
import { claimSyncs, hasDueSyncs, putBackSync, type DueSync } from '../accounts/plan-syncs.ts';
import { replaceGroups, selectChannelIds } from '../groups/store.ts';
import type { Leases } from '../leases/leases.ts';
import type { Loop } from '../../platform/concurrency/loop.ts';
import type { Database } from '../../platform/database/statements.ts';
import type { AccountId } from '../../platform/database/schema.ts';
import { servePolled, type PolledLoopDeps } from '../../platform/database/work-poll.ts';
import { AppError } from '../../platform/errors/errors.ts';
import type { Sessions } from './sessions.ts';
import type { MessengerGroup, MessengerSession } from '../../messengers/messenger.ts';
import type { StoredChatList } from '../accounts/commands.ts';

/** Of a worker. After a long outage the groups of all its accounts are due, and the answers of large accounts take long to read. */
const READ_AT_ONCE = 2;
const POLL_MS = 1_000;

interface GroupSyncDeps extends PolledLoopDeps {
  db: Database;
  leases: Pick<Leases, 'shards' | 'isGood'>;
  sessions: Pick<Sessions, 'get'>;
}

/** Reads the groups of accounts that this worker holds whenever that is due, until stopped. */
export function syncDueGroups(deps: GroupSyncDeps): Loop {
  const { leases } = deps;
  return servePolled<DueSync, AccountId>(deps, {
    name: 'group syncs',
    isDue: () => hasDueSyncs(leases.shards()),
    permits: READ_AT_ONCE,
    pollMs: POLL_MS,
    // Without a good lease another worker may have the session.
    claim: async (_busy, room) => (leases.isGood() ? claimSyncs(deps, leases.shards(), room) : []),
    keyOf: ({ accountId }) => accountId,
    serve: (due) => readGroups(deps, due),
    holdMs: Infinity,
  });
}

/** A read that failed is due again later. */
async function readGroups({ db, log, sessions }: GroupSyncDeps, reader: DueSync): Promise<void> {
  const { accountId } = reader;
  try {
    const session = await sessions.get(accountId);
    if (!session) return;
    const list = await listChats(session, await selectChannelIds(db, reader));
    log.debug({ accountId, ...(await replaceGroups(db, reader, list)) }, 'the groups of an account were read again');
  } catch (error) {
    // Nothing was asked. After a start an account counts as connected until its session says otherwise.
    if (error instanceof AppError && error.code === 'account_not_connected') return putBackSync(db, accountId);
    log.warn({ err: error, accountId }, 'the groups of an account could not be read and will be tried again');
  }
}

/** Returns the chats that the account of the session sees. Throws as `MessengerSession.listGroups` does. */
export async function listChats(session: MessengerSession, knownChannels: readonly string[]): Promise<StoredChatList> {
  const { chats, areChannelsUnread = false } = await session.listGroups(knownChannels);
  return { chats: chats.map(toStored), areChannelsUnread };
}

export function toStored<Group extends MessengerGroup>(group: Group): Omit<Group, 'createdAt'> & { createdAt: string } {
  return { ...group, createdAt: group.createdAt.toISOString() };
}
