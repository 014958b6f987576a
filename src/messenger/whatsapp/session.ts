/** The session of one account: what the ledger and the user ask for, over a connection that is kept. */
import { isJidNewsletter, type GroupMetadata } from 'baileys';
import type { Database } from '../../database/connect.ts';
import { AppError, invalid } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { Slots } from '../../lib/slots.ts';
import type { LinkMethod, MessengerAccount, MessengerGroup, MessengerSession, TellState } from '../messenger.ts';
import type { Destination, MemberEvent, Post, SendResult } from '../messenger.ts';
import { createChannel, listChannels } from './channels.ts';
import { keepConnected, type ConnectionTiming } from './connection.ts';
import { newCredentials, type Credentials } from './credentials.ts';
import { judgeRefusal, refusalOf } from './failures.ts';
import { createCommunityChats, createGroupChat, listGroupChats } from './groups.ts';
import type { Uploads } from './keep-uploads.ts';
import { keepRecent } from './keep-recent.ts';
import type { KeyTable } from './key-table.ts';
import { startLinking } from './link.ts';
import { toChannelPicture } from './pictures.ts';
import { quietLog } from './quiet-log.ts';
import { createRest } from './rest.ts';
import { sendPost } from './send.ts';
import { NO_LEASE, type Sending } from './sending.ts';
import { dropPost, listChannelPosts, recallPost, rememberPost } from './sent-posts.ts';
import type { LookTiming } from './plan-looks.ts';
import type { Socket } from './socket.ts';
import { watchChannels, WATCHED_DAYS } from './watch-channels.ts';

export interface SessionOptions {
  db: Database;
  log: Log;
  account: MessengerAccount;
  table: KeyTable;
  tell: TellState;
  url: string | undefined;
  /** Places for connections that are being made. */
  connecting: Slots;
  /** Places for first posts to large groups. */
  fanOuts: Slots;
  uploads: Uploads;
  /** Tells what members did; false when it was not recorded. Never rejects. */
  tellMembers(events: MemberEvent[]): Promise<boolean>;
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

const CHATS_KEPT = 2_000;
/** Changes are told; this is for those that were not heard. */
const GROUP_GOOD_FOR_MS = 60 * 60_000;
const CHANNEL_GOOD_FOR_MS = 10 * 60_000;
const OFFLINE_REST_MS = 5_000;

export interface WhatsAppSession extends MessengerSession {
  /** Resolves when a code to link with has been told; rejects when there is none to be had. */
  linking: Promise<void>;
}

/** With credentials it connects; without, it links the account first by this method. */
export function startSession(
  options: SessionOptions,
  start: { credentials: Credentials } | { method: LinkMethod },
): WhatsAppSession {
  const { db, log, account, table, tell, timing } = options;
  const { accountId } = account;
  const closing = new AbortController();
  const groups = keepRecent<GroupMetadata>({ most: CHATS_KEPT, forMs: GROUP_GOOD_FOR_MS });
  const channels = keepRecent<MessengerGroup>({ most: CHATS_KEPT, forMs: CHANNEL_GOOD_FOR_MS });
  const linking =
    'method' in start
      ? startLinking({ ...start, account, tell, signal: closing.signal, qrMs: timing.qrMs })
      : undefined;
  const rest = createRest(tell, timing.restMs, () => connection.online() !== undefined);
  const connection = keepConnected({
    ...options,
    linking,
    closing,
    credentials: 'credentials' in start ? start.credentials : newCredentials(table),
    onEnd: () => rest.end(),
    socket: {
      url: options.url,
      qrMs: timing.qrMs,
      log: quietLog(log.child({ accountId })),
      recall: (chatId, messageId) => recallPost(db, accountId, { chatId, messageId }),
      groupOf: (chatId) => groups.get(chatId, () => connection.requireOnline().client.groupMetadata(chatId)),
      onGroupChange: (chatId) => groups.forget(chatId),
    },
  });

  const watch = watchChannels({
    accountId,
    log,
    client: () => (rest.now() ? undefined : connection.online()?.client),
    findPosts: () => listChannelPosts(db, accountId, WATCHED_DAYS),
    tell: options.tellMembers,
    timing,
    onLoopError: options.onLoopError,
  });
  void connection.ended.then(() => watch.stop());

  /** Notes a message before it leaves. */
  async function remember(sent: Parameters<typeof rememberPost>[2]): Promise<void> {
    await rememberPost(db, accountId, sent);
    if (isJidNewsletter(sent.chatId)) watch.note(sent);
  }

  async function sendOne(post: Post, to: Destination, mayGoOn: () => boolean): Promise<SendResult> {
    const resting = rest.now();
    if (resting) return { kind: 'offline', reason: resting.reason, restMs: resting.leftMs };
    const client = connection.online()?.client;
    if (!client) return { kind: 'offline', reason: 'not connected', restMs: OFFLINE_REST_MS };
    const sending: Sending = {
      client,
      log,
      groups,
      channels,
      remember,
      drop: (sent) => dropPost(db, accountId, sent),
      isRemembered: async (sent) => (await recallPost(db, accountId, sent)) !== undefined,
      upload: (media, place) => options.uploads.get(media, place, { accountId, client, signal: closing.signal }),
      fanOuts: options.fanOuts,
      answerMs: timing.answerMs,
      rest: rest.begin,
      mayGoOn,
    };
    return sendPost(sending, post, to);
  }

  /** Asks for something that takes effect: what was refused has not, what was not answered may have. */
  async function ask<Answer>(what: string, act: (socket: Socket) => Promise<Answer>): Promise<Answer> {
    const socket = connection.requireOnline();
    try {
      return await act(socket);
    } catch (error) {
      throw error instanceof AppError ? error : toAppError(what, error, rest.begin);
    }
  }

  return {
    linking: linking?.shown ?? Promise.resolve(),
    ended: connection.ended,
    async send(post, to, mayGoOn) {
      const results: SendResult[] = [];
      for (const one of to)
        results.push(mayGoOn() ? await sendOne(post, one, mayGoOn) : { kind: 'offline', reason: NO_LEASE, restMs: 0 });
      return results;
    },
    listGroups: (knownChannels) =>
      ask('to read your groups', async ({ client }) => [
        ...(await listGroupChats(client)),
        ...(await listChannels(client, knownChannels, log)),
      ]),
    createGroup: (group) => ask('to create the group', ({ client }) => createGroupChat(client, group)),
    createCommunity: (community) =>
      ask('to create the community', async ({ client }) => {
        const created = await createCommunityChats(client, community);
        if (created) return created;
        const message = 'WhatsApp did not say whether the community was created: sync your groups to see';
        throw new AppError('unavailable', message, { retryAfterSeconds: 5, outcomeUnknown: true });
      }),
    async createChannel(channel) {
      // Before anything is asked for, so that nothing has been created when it cannot be read.
      const picture = channel.picture && (await toChannelPicture(channel.picture));
      if (picture === undefined)
        throw invalid([{ field: 'image', issue: 'cannot be read as a picture, or is too large to be made one' }]);
      return ask('to create the channel', ({ client }) => createChannel(client, { ...channel, picture }));
    },
    unlink: () => connection.unlink(),
    async close() {
      await connection.close();
      await watch.stop();
      rest.end();
    },
  };
}

function toAppError(what: string, error: unknown, beginRest: (reason: string) => number): AppError {
  const code = refusalOf(error);
  if (code === undefined) {
    const message = `WhatsApp was asked ${what} and has not answered: sync your groups to see what exists`;
    return new AppError('unavailable', message, { retryAfterSeconds: 5, outcomeUnknown: true, cause: error });
  }
  const refusal = judgeRefusal(code);
  if (refusal.kind === 'rest') beginRest(refusal.reason);
  const kind = refusal.kind === 'final' ? 'conflict' : 'unavailable';
  return new AppError(kind, `WhatsApp refused ${what} (${code})`, {
    cause: error,
    ...(kind === 'unavailable' && { retryAfterSeconds: 5 }),
  });
}
