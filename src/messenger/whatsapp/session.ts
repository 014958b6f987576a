/** The session of one account: what the ledger and the user ask for, over a connection that is kept. */
import { isJidNewsletter } from 'baileys';
import type { Database } from '../../database/connect.ts';
import type { Log } from '../../lib/log.ts';
import type { Slots } from '../../lib/slots.ts';
import type { LinkMethod, MessengerAccount, MessengerSession, TellState } from '../messenger.ts';
import { askForChats } from './chats/ask-for-chats.ts';
import { createChannelQueries, type ChannelQueryIds } from './chats/channels.ts';
import { followGroups } from './chats/follow-groups.ts';
import type { GroupMemory } from './chats/group-memory.ts';
import { keepChats, type KnownChats } from './chats/keep-chats.ts';
import { askHowLong } from './connect/ask-how-long.ts';
import { keepConnected, type Connection } from './connect/connection.ts';
import type { ConnectionOptions, ConnectionTiming } from './connect/connection-state.ts';
import { newCredentials, type Credentials } from './connect/credentials.ts';
import type { KeyTable } from './connect/key-table.ts';
import { startLinking } from './connect/link.ts';
import { quietLog } from './connect/quiet-log.ts';
import { createRest, type Rest } from './connect/rest.ts';
import type { Restriction } from './connect/socket.ts';
import { RESTRICTED } from './failures.ts';
import type { Uploads } from './files/keep-uploads.ts';
import { hearMembers } from './hear/hear-members.ts';
import { peopleIn } from './hear/participants.ts';
import type { LookTiming } from './hear/plan-looks.ts';
import type { TellMembers } from './hear/tell-members.ts';
import { tellPairs } from './hear/tell-pairs.ts';
import { watchChannels, WATCHED_DAYS } from './hear/watch-channels.ts';
import { sendPosts } from './send/send-posts.ts';
import { listChannelPosts, numberPosts, recallPost, type NumberedPost } from './send/sent-posts.ts';

export interface SessionOptions {
  db: Database;
  log: Log;
  account: MessengerAccount;
  table: KeyTable;
  tell: TellState;
  url: string | undefined;
  /** Hears what members do. */
  tellMembers: TellMembers;
  /** Places for connections that are being made. */
  connecting: Slots;
  /** Places for first posts to large groups. */
  fanOuts: Slots;
  uploads: Uploads;
  /** What is known of groups. */
  groups: GroupMemory;
  /** In the place of the usual ones. */
  queryIds: Partial<ChannelQueryIds>;
  onLoopError?: ((loop: string) => void) | undefined;
  timing: SessionTiming;
}

/** In milliseconds. */
export interface SessionTiming extends ConnectionTiming, LookTiming {
  /** How long the answer to a post is waited for. */
  answerMs: number;
  /** How long each code to scan is shown. Undefined: for as long as WhatsApp takes it. */
  qrMs?: number | undefined;
}

export interface WhatsAppSession extends MessengerSession {
  /** Resolves when a code to link with has been told; rejects when there is none to be had. */
  linking: Promise<void>;
}

/** With credentials it connects; without, it links the account first by this method. */
export function startSession(
  options: SessionOptions,
  start: { credentials: Credentials } | { method: LinkMethod },
): WhatsAppSession {
  const { db, log, account, timing, tellMembers } = options;
  const { accountId } = account;
  const closing = new AbortController();
  const { signal } = closing;
  const given = createRest(options.tell, timing.restMs, account.pause);
  const rest = askHowLong(given, () => connection.online(), log.child({ accountId }));
  const pairs = tellPairs(accountId, tellMembers);
  const channels = createChannelQueries(options.queryIds, log);
  const chats = keepChats({
    memory: options.groups,
    channels,
    client: () => connection.requireOnline().client,
    // Who its members are is told along with it: some may have been counted by their numbers.
    onGroup: (group) => pairs.tell(peopleIn(group)),
  });
  const linking =
    'method' in start ? startLinking({ ...start, account, tell: rest.tell, signal, qrMs: timing.qrMs }) : undefined;
  const credentials = 'credentials' in start ? start.credentials : newCredentials(options.table);
  const connection: Connection = keepConnected({
    ...options,
    rest,
    linking,
    closing,
    credentials: { ...credentials, keys: pairs.tellNewIn(credentials.keys) },
    socket: socketOptions(options, given, chats),
  });
  const watch = watchChannels({
    accountId,
    log,
    client: () => (rest.now() ? undefined : connection.online()?.client),
    findPosts: () => listChannelPosts(db, accountId, WATCHED_DAYS),
    notePosts: (posts) => numberPosts(db, accountId, posts),
    tell: tellMembers,
    timing,
    onLoopError: options.onLoopError,
  });
  void connection.ended.then(() => watch.stop());
  const { uploads, fanOuts } = options;
  const { answerMs } = timing;
  const client = () => connection.online()?.client;
  const onLeaving = (sent: NumberedPost) => {
    if (isJidNewsletter(sent.chatId)) watch.note(sent);
  };
  return {
    linking: linking?.shown ?? Promise.resolve(),
    ended: connection.ended,
    ...sendPosts({ accountId, db, log, client, rest, chats, uploads, fanOuts, answerMs, signal, onLeaving }),
    ...askForChats({ connection, rest, channels, chats }),
    unlink: () => connection.unlink(),
    async close() {
      await connection.close();
      await watch.stop();
      rest.stop();
    },
  };
}

/** What a connection is told, and what is done about what it tells. `rest` is as WhatsApp gives it. */
function socketOptions(
  { db, log, account: { accountId }, url, timing, tellMembers }: SessionOptions,
  rest: Rest,
  chats: KnownChats,
): ConnectionOptions['socket'] {
  return {
    url,
    qrMs: timing.qrMs,
    log: quietLog(log.child({ accountId })),
    recall: (chatId, messageId) => recallPost(db, accountId, { chatId, messageId }),
    groupOf: chats.group,
    onRestriction: (restriction) => heed(rest, restriction),
    onClient(client) {
      followGroups(client, chats);
      hearMembers(client, { accountId, log, tell: tellMembers, knownGroup: (chatId) => chats.knownGroup(chatId) });
    },
  };
}

function heed(rest: Rest, { isActive, endsAt }: Restriction): void {
  const forMs = endsAt && endsAt.getTime() - Date.now();
  if (isActive) rest.begin({ cause: 'restricted', reason: RESTRICTED, forMs });
  else rest.lift();
}
