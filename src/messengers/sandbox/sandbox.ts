import { STATE_REASONS } from '../../platform/errors/account-states.ts';
import { startPolledLoop, type PolledLoopDeps } from '../../platform/database/work-poll.ts';
import type { Messenger, MessengerAccount, MessengerSession, Incident, SessionState } from '../messenger.ts';
import { createChannelChat, createCommunityChats, createGroupChat, listChats, plant, readChat } from './chats.ts';
import { forgetAccount } from './forget.ts';
import { createPostSender, type SendPost } from './messages.ts';
import { reviseMessages } from './revise-messages.ts';
import { emitSimulatedActivity, hasActivity } from './emit-simulated-activity.ts';
import { SANDBOX } from './capabilities.ts';
import { execute, readValue, sql, type Database, type Connection } from '../../platform/database/statements.ts';
import type { AccountId } from '../../platform/database/schema.ts';

const POLL_MS = 1_000;

interface SandboxOptions extends PolledLoopDeps {
  db: Database;
  speed: number;
}

/**
 * The messaging application that needs no account (contract §6). `db` must be a pool of its own, since its writes are not part of the
 * ledger's transactions. `speed` divides the members' waiting times; with 0 they never act.
 */
export function createSandbox({ db, speed, ...deps }: SandboxOptions): Messenger {
  const sendPost = createPostSender({ db, log: deps.log, speed });

  return {
    ...SANDBOX,
    async open(account, onStateChange) {
      if (!(await plant(db, account))) return openSession({ db, sendPost }, account);
      onStateChange(BANNED);
      return undefined;
    },
    // No phone has to agree.
    async link(account, _method, onStateChange) {
      const session = openSession({ db, sendPost }, account);
      const isBanned = await plant(db, account);
      if (isBanned) await session.close();
      onStateChange(isBanned ? BANNED : { status: 'connected' });
      return session;
    },
    async simulate(account, incident) {
      await plant(db, account);
      return simulateIncident(db, account.accountId, incident);
    },
    watchMembers(record) {
      if (speed === 0) return () => Promise.resolve();
      const loop = startPolledLoop(deps, {
        name: 'sandbox members',
        isDue: hasActivity,
        pollMs: POLL_MS,
        step: (restMs) => emitSimulatedActivity({ db, speed, record, restMs }),
      });
      return () => loop.stop();
    },
    forget: (accountId) => forgetAccount(db, accountId),
    close: () => db.destroy(),
  };
}

function openSession(
  { db, sendPost }: { db: Database; sendPost: SendPost },
  { accountId, workspaceId, phoneNumber }: MessengerAccount,
): MessengerSession {
  const account = { accountId, workspaceId };
  const ended = Promise.withResolvers<void>();
  let isClosed = false;
  return {
    send: (post, to, mayGoOn) => sendPost({ accountId, post, to, mayGoOn: () => !isClosed && mayGoOn() }),
    revise: (change, posts, mayGoOn) =>
      reviseMessages(db, accountId, { change, posts, mayGoOn: () => !isClosed && mayGoOn() }),
    listGroups: async () => ({ chats: await listChats(db, account) }),
    createGroup: (group) => createGroupChat(db, account, { ...group, ownNumber: phoneNumber ?? '' }),
    fetchInviteLink: async (chatId) => (await readChat(db, accountId, chatId)).inviteLink,
    createCommunity: (community) => createCommunityChats(db, account, community),
    createChannel: (channel) => createChannelChat(db, account, channel),
    unlink: () => Promise.resolve(true),
    ended: ended.promise,
    async close() {
      isClosed = true;
      ended.resolve();
    },
  };
}

const BANNED = { status: 'logged_out', reason: STATE_REASONS.banned } as const;

/** Carries out an incident, and returns how the account stands. Idempotent. */
async function simulateIncident(db: Database, accountId: AccountId, incident: Incident): Promise<SessionState> {
  return db.transaction().execute(async (trx) => {
    const { action, chatId } = incident;
    if (action !== 'ban') await changeMembership(trx, accountId, { action, chatId });
    const lifts = action === 'restore' && chatId === undefined;
    const isBanned = await readValue<boolean>(trx)`
      update sandbox_accounts set is_banned = (is_banned or ${action === 'ban'}) and not ${lifts}
      where account_id = ${accountId} returning is_banned`;
    return isBanned ? BANNED : { status: 'connected' };
  });
}

/** Posts to a community go to its announcement group: both are changed. */
async function changeMembership(
  trx: Connection,
  accountId: AccountId,
  { action, chatId }: { action: Exclude<Incident['action'], 'ban'>; chatId: string | undefined },
): Promise<void> {
  const added = (to: Incident['action']) => sql`${action === to ? [accountId] : []}::bigint[]`;
  await execute(trx)`
    update sandbox_chats
    set removed_accounts = case when ${action === 'demote'} then removed_accounts
                             else array_remove(removed_accounts, ${accountId}) || ${added('remove')} end,
        demoted_accounts = array_remove(demoted_accounts, ${accountId}) || ${added('demote')}
    where workspace_id = (select workspace_id from sandbox_accounts where account_id = ${accountId})
      and (${chatId ?? null}::text is null or chat_id = ${chatId ?? null} or parent_id = ${chatId ?? null}
           or chat_id = (select parent_id from sandbox_chats where chat_id = ${chatId ?? null}))`;
}
