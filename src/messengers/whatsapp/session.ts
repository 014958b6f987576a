/** The session of one account: what the ledger and the user ask for, over a connection that is kept. */
import type { Database } from '../../platform/database/connect.ts';
import type { OnLoopError } from '../../platform/concurrency/failure-streak.ts';
import type { Log } from '../../platform/log/log.ts';
import type { FairSemaphore } from '../../platform/concurrency/fair-semaphore.ts';
import type { LinkMethod, MessengerAccount, MessengerSession, OnStateChange } from '../messenger.ts';
import { queryChats } from './chats/query-chats.ts';
import { createChannelQueries, type ChannelQueryIds } from './chats/channels.ts';
import { followGroups } from './chats/follow-groups.ts';
import type { GroupMemory } from './chats/group-cache.ts';
import { createChatCache, type KnownChats } from './chats/chat-cache.ts';
import type { Client } from './client/client.ts';
import { newCredentials, type Credentials, type KeyValueStore } from './client/credentials.ts';
import { isChannel } from './client/jid.ts';
import type { Restriction } from './client/open-socket.ts';
import { withServerCooldown } from './connect/server-cooldown.ts';
import { startConnection, type Connection } from './connect/connection.ts';
import type { ConnectionOptions, ConnectionTiming } from './connect/connection-state.ts';
import type { ClientVersions } from './connect/client-versions.ts';
import type { KeyTable } from './connect/key-table.ts';
import { startLinking } from './connect/link.ts';
import { createCooldown, type Cooldown } from './connect/cooldown.ts';
import { RESTRICTED } from './failures.ts';
import type { UploadCache } from './files/upload-cache.ts';
import { listenForDevices } from './inbound/listen-for-devices.ts';
import { listenForMembers } from './inbound/listen-for-members.ts';
import { peopleIn } from './inbound/participants.ts';
import type { PollTiming } from './inbound/poll-schedule.ts';
import type { EmitMemberEvents } from './inbound/member-event-emitter.ts';
import { emitLidMappings } from './inbound/emit-lid-mappings.ts';
import { watchChannels, WATCHED_DAYS } from './inbound/watch-channels.ts';
import { answerRetries, type Answers } from './send/answer-retries.ts';
import { createRetrySuppression, type Holds } from './send/retry-suppression.ts';
import { createMemberCache, type KnownMembers } from './send/known-members.ts';
import { sendPosts } from './send/send-posts.ts';
import { listChannelPosts, numberPosts, recallPost, type NumberedPost } from './send/sent-posts.ts';

export interface SessionOptions {
  db: Database;
  log: Log;
  account: MessengerAccount;
  table: KeyTable;
  onStateChange: OnStateChange;
  url: string | undefined;
  versions: ClientVersions;
  /** Hears what members do. */
  emitMemberEvents: EmitMemberEvents;
  /** Places for connections that are being made. */
  connecting: FairSemaphore;
  /** Places for first posts to large groups. */
  fanOuts: FairSemaphore;
  uploads: UploadCache;
  /** What is known of groups. */
  groups: GroupMemory;
  /** In the place of the usual ones. */
  queryIds: Partial<ChannelQueryIds>;
  onLoopError?: OnLoopError | undefined;
  timing: SessionTiming;
}

/** In milliseconds. */
export interface SessionTiming extends ConnectionTiming, PollTiming {
  /** How long the answer to a post is waited for. */
  answerMs: number;
  /** From one answer to a phone that asks for a post again to the next, of one account. */
  answerGapMs: number;
  /** How long members and devices are left out that WhatsApp says nothing about. */
  leaveOutMs: number;
  /** How long each code to scan is shown. Undefined: for as long as WhatsApp takes it. */
  qrMs?: number | undefined;
}

export interface WhatsAppSession extends MessengerSession {
  /** Resolves when a code to link with has been told; rejects when there is none to be had. */
  linking: Promise<void>;
}

const CONNECTING = 'The connection to WhatsApp is being made';

/** With credentials it connects; without, it links the account first by this method. */
export function startSession(
  options: SessionOptions,
  start: { credentials: Credentials } | { method: LinkMethod },
): WhatsAppSession {
  const { db, log, account, timing, emitMemberEvents } = options;
  const { accountId } = account;
  const closing = new AbortController();
  const { signal } = closing;
  const given = createCooldown(options.onStateChange, timing.cooldownMs, account.pause);
  const cooldown = withServerCooldown(given, () => connection.online(), log.child({ accountId }));
  // Whatever was told before, by another process perhaps: there is no connection now.
  if ('credentials' in start) cooldown.report({ status: 'reconnecting', reason: CONNECTING });
  const channels = createChannelQueries(options.queryIds, log);
  const chats = createChatCache({
    memory: options.groups,
    channels,
    client: () => connection.requireOnline(),
    // Some of its members may have been counted by their numbers.
    onGroup: (group) => void emitLidMappings(emitMemberEvents, accountId, peopleIn(group)),
  });
  const linking =
    'method' in start
      ? startLinking({ ...start, account, onStateChange: cooldown.report, signal, qrMs: timing.qrMs })
      : undefined;
  const credentials = 'credentials' in start ? start.credentials : newCredentials(options.table);
  const members = createMemberCache(credentials.store, timing.leaveOutMs);
  const holds = createRetrySuppression();
  const answers = startAnswering(options, {
    store: credentials.store,
    cooldown,
    holds,
    client: () => connection.online(),
  });
  const connection: Connection = startConnection({
    ...options,
    cooldown,
    linking,
    closing,
    credentials,
    socket: socketOptions(options, { cooldown: given, chats, members, answers }),
  });
  const watch = watchChannels({
    accountId,
    log,
    client: () => (cooldown.now() ? undefined : connection.online()),
    findPosts: () => listChannelPosts(db, accountId, WATCHED_DAYS),
    recordServerIds: (posts) => numberPosts(db, accountId, posts),
    emit: emitMemberEvents,
    timing,
    onLoopError: options.onLoopError,
  });
  void connection.ended.then(() => Promise.all([watch.stop(), answers.stop()]));
  const sending = { accountId, client: () => connection.online(), answerMs: timing.answerMs };
  const onLeaving = (sent: NumberedPost) => {
    if (isChannel(sent.chatId)) watch.add(sent);
  };
  return {
    linking: linking?.shown ?? Promise.resolve(),
    ended: connection.ended,
    ...sendPosts({ ...options, ...sending, cooldown, chats, members, holds, signal, onLeaving }),
    ...queryChats({ connection, cooldown, channels, chats }),
    unlink: () => connection.unlink(),
    async close() {
      await connection.close();
      await Promise.all([watch.stop(), answers.stop()]);
      cooldown.stop();
    },
  };
}

function startAnswering(
  { db, log, account: { accountId }, timing, onLoopError }: SessionOptions,
  {
    store,
    cooldown,
    holds,
    client,
  }: { store: KeyValueStore; cooldown: Cooldown; holds: Holds; client: () => Client | undefined },
): Answers {
  return answerRetries({
    accountId,
    log,
    store,
    holds,
    cooldown: cooldown.begin,
    client: () => (cooldown.now() ? undefined : client()),
    recall: (post) => recallPost(db, accountId, post),
    answerMs: timing.answerMs,
    answerGapMs: timing.answerGapMs,
    onLoopError,
  });
}

/** What a connection is told, and what is done about what it tells. `cooldown` is as WhatsApp gives it. */
function socketOptions(
  { log, account: { accountId }, url, timing, emitMemberEvents }: SessionOptions,
  {
    cooldown,
    chats,
    members,
    answers,
  }: { cooldown: Cooldown; chats: KnownChats; members: KnownMembers; answers: Answers },
): ConnectionOptions['socket'] {
  return {
    url,
    qrMs: timing.qrMs,
    outcomeMs: timing.outcomeMs,
    log: log.child({ accountId }),
    onLidMappings: (pairs) => emitLidMappings(emitMemberEvents, accountId, pairs),
    canRecord: () => emitMemberEvents([]),
    onRestriction: (restriction) => heed(cooldown, restriction),
    onClient(client) {
      followGroups(client, chats);
      listenForMembers(client, {
        accountId,
        log,
        emit: emitMemberEvents,
        knownGroup: (chatId) => chats.knownGroup(chatId),
      });
      listenForDevices(client, { accountId, log, members });
      answers.listen(client);
    },
  };
}

function heed(cooldown: Cooldown, { isActive, endsAt }: Restriction): void {
  const forMs = endsAt && endsAt.getTime() - Date.now();
  if (isActive) cooldown.begin({ cause: 'restricted', reason: RESTRICTED, forMs });
  else cooldown.lift();
}
