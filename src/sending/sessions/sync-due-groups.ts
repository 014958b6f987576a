/** Reads the groups of accounts again when that is due (`accounts/plan-syncs.ts`), without anybody asking. */
import { claimSyncs, hasDueSyncs, putBackSync } from '../accounts/plan-syncs.ts';
import { replaceGroups, selectChannelIds, type GroupReader } from '../groups/store.ts';
import type { Leases } from '../leases/leases.ts';
import type { Database } from '../../platform/database/connect.ts';
import { AppError } from '../../platform/errors/errors.ts';
import type { Log } from '../../platform/log/log.ts';
import type { Sessions } from './sessions.ts';
import type { MessengerGroup, MessengerSession } from '../../messengers/messenger.ts';
import type { StoredChatList } from '../accounts/commands.ts';

/** Of a worker. After a long outage the groups of all its accounts are due, and the answers of large accounts take long to read. */
const READ_AT_ONCE = 2;

interface GroupSyncDeps {
  db: Database;
  log: Log;
  leases: Pick<Leases, 'shards' | 'isGood'>;
  sessions: Pick<Sessions, 'get'>;
}

export interface GroupSyncs {
  /** The condition that groups are to be read now. */
  isDue(): ReturnType<typeof hasDueSyncs>;
  /** Begins to read what is due, as far as there is room. `onEnd` is called when there is room again. */
  begin(onEnd: () => void): Promise<void>;
  /** Resolves when what was begun has ended. */
  stop(): Promise<void>;
}

export function createGroupSyncs(deps: GroupSyncDeps): GroupSyncs {
  const { log, leases } = deps;
  const reading = new Set<Promise<void>>();
  return {
    isDue: () => hasDueSyncs(leases.shards()),
    async begin(onEnd) {
      const room = READ_AT_ONCE - reading.size;
      const shards = leases.shards();
      // Otherwise another worker may have the session.
      if (room === 0 || shards.length === 0 || !leases.isGood()) return;
      for (const reader of await claimSyncs(deps, shards, room)) {
        const ended = readGroups(deps, reader)
          .catch((error: unknown) => log.warn({ err: error }, 'groups that could not be read are tried again later'))
          .finally(() => {
            reading.delete(ended);
            onEnd();
          });
        reading.add(ended);
      }
    },
    async stop() {
      await Promise.all(reading);
    },
  };
}

/** A read that failed is due again later. */
async function readGroups({ db, log, sessions }: GroupSyncDeps, reader: GroupReader): Promise<void> {
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
