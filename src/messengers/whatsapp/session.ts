/** The session of one account: its connection, and everything that is sent and received over it. */
import type { Database } from '../../platform/database/statements.ts';
import type { OnLoopError } from '../../platform/concurrency/failure-streak.ts';
import type { FairSemaphore } from '../../platform/concurrency/fair-semaphore.ts';
import type { LinkMethod, MessengerSession, OnStateChange } from '../messenger.ts';
import { queryChats } from './chats/query-chats.ts';
import { createChannelQueries, type ChannelQueryIds } from './chats/channels.ts';
import { fetchGroup } from './chats/fetch-groups.ts';
import { followGroups } from './chats/follow-groups.ts';
import type { GroupCache } from './chats/group-cache.ts';
import { createChatCache, type ChatCache } from './chats/chat-cache.ts';
import type { Client } from './client/client.ts';
import type { Credentials, Engine, Restriction } from './client/engine.ts';
import { isChannel } from './client/jid.ts';
import type { WhatsAppCondition } from './connect/conditions.ts';
import { readNow } from '../../platform/database/read-now.ts';
import { createWarnings, type Warnings } from './connect/warnings.ts';
import { startConnection, type Connection } from './connect/connection.ts';
import type { ConnectionOptions, ConnectionTiming } from './connect/connection-state.ts';
import type { MessageSecretKeys } from './connect/message-secret-keys.ts';
import type { Proxy } from './connect/open-proxy.ts';
import { startLinking } from './connect/link.ts';
import { createCooldown, type Cooldown, createRestrictionQuery, withServerCooldown } from './connect/cooldown.ts';
import { STATE_REASONS } from '../../platform/errors/account-states.ts';
import type { UploadCache } from './files/upload-cache.ts';
import { listenForChats } from './inbound/listen-for-chats.ts';
import { listenForDevices } from './inbound/listen-for-devices.ts';
import { listenForMembers } from './inbound/listen-for-members.ts';
import { peopleIn } from './inbound/participants.ts';
import type { PollTiming } from './inbound/poll-schedule.ts';
import { type EmitMemberEvents, emitLidMappings } from './inbound/member-event-emitter.ts';
import { watchChannels, WATCHED_DAYS } from './inbound/watch-channels.ts';
import { answerRetries, type AnsweringAll, type Answers } from './send/answer-retries.ts';
import { createRetrySuppression } from './send/retry-suppression.ts';
import { createMemberCache, createUnresolvedHashes, type MemberCache, type MemberTiming } from './send/member-cache.ts';
import { sendPosts } from './send/send-posts.ts';
import { listChannelPosts, storeServerIds, findMessage, type NumberedPost } from './send/sent-messages.ts';

export interface SessionOptions extends Pick<
  ConnectionOptions,
  'account' | 'log' | 'table' | 'versions' | 'connecting' | 'onForgery'
> {
  db: Database;
  engine: Engine;
  secretKeys: MessageSecretKeys;
  onStateChange: OnStateChange;
  url: string | undefined;
  onCondition(condition: WhatsAppCondition): void;
  emitMemberEvents: EmitMemberEvents;
  /** Permits for first posts to large groups. */
  fanOuts: FairSemaphore;
  onDevicesMissed(): void;
  uploads: UploadCache;
  groups: GroupCache;
  /** Undefined: WhatsApp is reached directly. */
  proxy: Proxy | undefined;
  /** Overrides. */
  queryIds: Partial<ChannelQueryIds>;
  onLoopError?: OnLoopError | undefined;
  timing: SessionTiming;
}

/** In milliseconds. */
export interface SessionTiming extends ConnectionTiming, PollTiming, MemberTiming {
  /** How long the acknowledgement of a post may take. */
  answerMs: number;
  /**
   * How long after a post that distributed a sender key has left its acknowledgement may still come. Longer than the library takes to
   * notice a broken connection: 35 s.
   */
  lateAckMs: number;
  /** How long the answer to a query about channels may take. A list of groups takes up to four times as long. */
  channelAnswerMs: number;
  /** The pause between two answers to retry receipts of an account. */
  answerGapMs: number;
  /** How long each QR code is shown. Undefined: for as long as WhatsApp accepts it. */
  qrMs?: number | undefined;
  /** How long a user has to show the passkey of the number. */
  passkeyMs: number;
  /** How long the phone has to continue after that. */
  phoneMs: number;
  /** How long a phone trusts the secret in the code that it has read. */
  handoffMs: number;
}

export interface WhatsAppSession extends MessengerSession {
  /** Resolves when the first code was shown; rejects when there is none. */
  linking: Promise<void>;
}

/** Connects with credentials. Without credentials, links the account first by this method. */
export function startSession(
  options: SessionOptions,
  start: { credentials: Credentials } | { method: LinkMethod },
): WhatsAppSession {
  const { db, log, account, timing, emitMemberEvents } = options;
  const { accountId } = account;
  const closing = new AbortController();
  const { signal } = closing;
  const { warnings, given, cooldown, warn } = createRests(options, () => connection.online());
  // The stored state may be another process's: there is no connection now.
  if ('credentials' in start) cooldown.report({ status: 'reconnecting', reason: STATE_REASONS.connecting });
  const channels = createChannelQueries({ ids: options.queryIds, answerMs: timing.channelAnswerMs, log });
  const chats = createChatCache({
    memory: options.groups,
    fetchGroup: async (chatId) => fetchGroup(connection.requireOnline(), chatId),
    // Some of its members may have been counted by their numbers.
    onGroup: (group) => void emitLidMappings(emitMemberEvents, accountId, peopleIn(group)),
  });
  const linking =
    'method' in start ? startLinking({ ...start, ...options, onStateChange: cooldown.report, signal }) : undefined;
  const credentials = 'credentials' in start ? start.credentials : options.engine.newCredentials(options.table);
  const members = createMemberCache(credentials.store, timing);
  const retrySuppression = createRetrySuppression();
  const client = () => connection.online();
  const beside = { store: credentials.store, members, retrySuppression, client };
  const answers = startAnswering(options, beside, { cooldown, warn });
  const connection: Connection = startConnection({
    ...options,
    isRetry: account.isRetry ?? false,
    cooldown,
    linking,
    closing,
    credentials,
    socket: socketOptions(options, { cooldown: given, warnings, chats, members, answers }),
  });
  const watch = watchChannels({
    accountId,
    log,
    client: () => (cooldown.now() ? undefined : client()),
    findPosts: () => listChannelPosts(db, accountId, WATCHED_DAYS),
    storeServerIds: (posts) => storeServerIds(db, accountId, posts),
    emit: emitMemberEvents,
    timing,
    onLoopError: options.onLoopError,
  });
  void connection.ended.then(() => Promise.all([watch.stop(), answers.stop()]));
  const { answerMs, lateAckMs } = timing;
  const attempts = { answerMs, lateAckMs, unresolvedHashes: createUnresolvedHashes(), unanswered: new Map() };
  const sending = { accountId, client, warn, agent: options.proxy?.agent, ...attempts };
  const onLeaving = (sent: NumberedPost) => {
    if (isChannel(sent.chatId)) watch.add(sent);
  };
  return {
    linking: linking?.shown ?? Promise.resolve(),
    ...(linking && { submitPasskey: linking.submitPasskey }),
    ended: connection.ended,
    ...sendPosts({ ...options, ...sending, cooldown, chats, members, retrySuppression, signal, onLeaving }),
    ...queryChats({ accountId, connection, cooldown, warn, channels }),
    unlink: () => connection.unlink(),
    async close() {
      await connection.close();
      await Promise.all([watch.stop(), answers.stop()]);
      cooldown.stop();
    },
  };
}

/** What pauses an account (`given`: without what WhatsApp says when asked), and what it only warns of. */
function createRests({ account, log, timing, onStateChange }: SessionOptions, online: () => Client | undefined) {
  const warnings = createWarnings(onStateChange, account.warning);
  const given = createCooldown(warnings.report, timing.cooldownMs, account.pause);
  const askRestriction = createRestrictionQuery(online, log.child({ accountId: account.accountId }));
  const warn = () => {
    warnings.begin();
    askRestriction();
  };
  return { warnings, given, cooldown: withServerCooldown(given, warnings, askRestriction), warn };
}

function startAnswering(
  { db, log, account: { accountId }, secretKeys, timing, onLoopError }: SessionOptions,
  beside: Pick<AnsweringAll, 'store' | 'members' | 'retrySuppression' | 'client'>,
  { cooldown, warn }: { cooldown: Cooldown; warn: () => void },
): Answers {
  return answerRetries({
    ...beside,
    accountId,
    log,
    cooldown(why) {
      if (why.cause !== 'restricted') return cooldown.begin(why);
      // One device is answered, and not a group.
      warn();
      return 0;
    },
    client: () => (cooldown.now() ? undefined : beside.client()),
    secretKey: secretKeys.key,
    findMessage: (post) => findMessage(db, accountId, post),
    answerMs: timing.answerMs,
    answerGapMs: timing.answerGapMs,
    onLoopError,
  });
}

/** The options of each connection. `cooldown` is the one without server queries. */
function socketOptions(
  { db, log, account: { accountId }, secretKeys, url, proxy, timing, emitMemberEvents, onCondition }: SessionOptions,
  beside: { cooldown: Cooldown; warnings: Warnings; chats: ChatCache; members: MemberCache; answers: Answers },
): ConnectionOptions['socket'] {
  const { chats, members, answers } = beside;
  return {
    url,
    proxy,
    qrMs: timing.qrMs,
    handoffMs: timing.handoffMs,
    outcomeMs: timing.outcomeMs,
    queryMs: timing.queryMs,
    now: async () => (await readNow(db)).getTime(),
    log: log.child({ accountId }),
    onLidMappings: (pairs) => emitLidMappings(emitMemberEvents, accountId, pairs),
    canRecord: () => emitMemberEvents([]),
    onUnanswered: () => onCondition('query_unanswered'),
    onRestriction(restriction) {
      if (restriction.isActive) onCondition('time_locked');
      applyRestriction(beside, restriction);
    },
    onClient(client) {
      watchConditions(client, onCondition);
      followGroups(client, chats);
      listenForMembers(client, {
        accountId,
        log,
        emit: emitMemberEvents,
        secretKeys,
        cachedGroup: (chatId) => chats.cachedGroup(chatId),
        tryFetchGroup: (chatId) => chats.tryFetchGroup(chatId),
      });
      listenForDevices(client, { accountId, log, members });
      listenForChats(client, { accountId, emit: emitMemberEvents });
      answers.listen(client);
    },
  };
}

/** It is about new private chats. It pauses the account only if a post was rejected too: then it gives the length of the pause. */
function applyRestriction(
  { cooldown, warnings }: { cooldown: Cooldown; warnings: Warnings },
  { isActive, endsAt }: Restriction,
): void {
  const forMs = endsAt && endsAt.getTime() - Date.now();
  if (!isActive) {
    cooldown.lift();
    warnings.lift();
  } else if (cooldown.now()?.cause === 'restricted')
    cooldown.begin({ cause: 'restricted', reason: STATE_REASONS.restricted, forMs });
  else warnings.begin(forMs);
}

/** Counts conditions that stanzas show. Listens to one connection, from before its opening to its end. */
function watchConditions(client: Pick<Client, 'onStanza'>, onCondition: (one: WhatsAppCondition) => void): void {
  const own = { tag: 'notification', type: 'account_sync', child: 'devices' };
  client.onStanza(own, () => onCondition('own_devices_changed'));
  client.onStanza({ tag: 'receipt', type: 'retry' }, () => onCondition('post_asked_again'));
}
