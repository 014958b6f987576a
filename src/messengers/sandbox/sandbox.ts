import type { Database } from '../../platform/database/connect.ts';
import type { WorkPoll } from '../../platform/database/work-poll.ts';
import type { OnLoopError } from '../../platform/concurrency/failure-streak.ts';
import type { Log } from '../../platform/log/log.ts';
import { startLoop } from '../../platform/concurrency/loop.ts';
import type { Messenger, MessengerAccount, MessengerSession } from '../messenger.ts';
import {
  createChannelChat,
  createCommunityChats,
  createGroupChat,
  createPlanter,
  listChats,
  readChat,
} from './chats.ts';
import { forgetAccount } from './forget.ts';
import { createPostSender } from './messages.ts';
import { reviseMessages } from './revise-messages.ts';
import { emitSimulatedActivity, hasActivity } from './emit-simulated-activity.ts';
import { SANDBOX } from './capabilities.ts';

const POLL_MS = 1_000;

/**
 * The messaging application that needs no account (contract §6). `db` must be a pool of its own, since its writes are not part of the
 * ledger's transactions. `speed` divides the members' waiting times; with 0 they never act.
 */
export function createSandbox({
  db,
  log,
  speed,
  workPoll,
  onLoopError,
}: {
  db: Database;
  log: Log;
  speed: number;
  workPoll?: WorkPoll | undefined;
  onLoopError?: OnLoopError;
}): Messenger {
  const sendPost = createPostSender({ db, log, speed });
  const plant = createPlanter(db);

  async function open({ accountId, workspaceId, phoneNumber }: MessengerAccount): Promise<MessengerSession> {
    await plant({ accountId, workspaceId });
    const ended = Promise.withResolvers<void>();
    return {
      send: (post, to, mayGoOn) => sendPost({ accountId, post, to, mayGoOn }),
      revise: (change, posts, mayGoOn) => reviseMessages(db, accountId, { change, posts, mayGoOn }),
      listGroups: async () => ({ chats: await listChats(db, workspaceId) }),
      createGroup: (group) => createGroupChat(db, workspaceId, { ...group, ownNumber: phoneNumber ?? '' }),
      fetchInviteLink: async (chatId) => (await readChat(db, chatId)).inviteLink,
      createCommunity: (community) => createCommunityChats(db, workspaceId, community),
      createChannel: (channel) => createChannelChat(db, workspaceId, channel),
      unlink: () => Promise.resolve(true),
      ended: ended.promise,
      async close() {
        ended.resolve();
      },
    };
  }

  return {
    ...SANDBOX,
    open,
    // No phone has to agree.
    async link(account, _method, onStateChange) {
      const session = await open(account);
      onStateChange({ status: 'connected' });
      return session;
    },
    watchMembers(record) {
      if (speed === 0) return () => Promise.resolve();
      const polled = { name: 'sandbox members', isDue: hasActivity, wake: () => loop.wake() };
      const restMs = workPoll?.add(polled) ?? POLL_MS;
      const loop = startLoop('sandbox members', () => emitSimulatedActivity({ db, log, speed, record, restMs }), {
        log,
        ...(onLoopError && { onError: onLoopError }),
      });
      return () => loop.stop();
    },
    forget: (accountId) => forgetAccount(db, accountId),
    close: () => db.destroy(),
  };
}
