/** The session of one account: what the ledger and the user ask for, over a connection that is kept. */
import { isJidNewsletter, type GroupMetadata } from 'baileys';
import type { Database } from '../../database/connect.ts';
import { AppError, invalid } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { Slots } from '../../lib/slots.ts';
import { sleep } from '../../lib/time.ts';
import type { LinkMethod, MessengerAccount, MessengerGroup, MessengerSession } from '../messenger.ts';
import type { SessionState, TellState } from '../messenger.ts';
import type { Destination, Post, PostChange, RevisionResult, SendResult, SentPost } from '../messenger.ts';
import { createChannel, listChannels } from './channels/channels.ts';
import { keepConnected, type ConnectionTiming } from './connect/connection.ts';
import { newCredentials, type Credentials } from './connect/credentials.ts';
import { judgeRefusal, refusalOf, RESTRICTED } from './failures.ts';
import { createCommunityChats, createGroupChat, listGroupChats } from './groups.ts';
import { hearMembers } from './hear/hear-members.ts';
import { NotUploadedError, type Uploads } from './files/keep-uploads.ts';
import { keepRecent } from './keep-recent.ts';
import type { KeyTable } from './connect/key-table.ts';
import { startLinking } from './connect/link.ts';
import { peopleIn, samePerson, tellNewPairs, type PairOfIds } from './hear/participants.ts';
import { toChannelPicture } from './files/pictures.ts';
import type { LookTiming } from './channels/plan-looks.ts';
import { quietLog } from './connect/quiet-log.ts';
import { createRest, type Rest, type RestReason } from './connect/rest.ts';
import { revisePost } from './send/revise-post.ts';
import { sendPost } from './send/send.ts';
import { NO_LEASE, type Sending } from './send/sending.ts';
import { dropPost, listChannelPosts, readNow, recallPost, rememberPost } from './send/sent-posts.ts';
import type { Socket } from './connect/socket.ts';
import type { TellMembers } from './hear/tell-members.ts';
import { watchChannels, WATCHED_DAYS } from './channels/watch-channels.ts';
import { watchRefusals } from './connect/watch-refusals.ts';

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
const LONGEST_TELLING_MS = 5_000;

export interface WhatsAppSession extends MessengerSession {
  /** Resolves when a code to link with has been told; rejects when there is none to be had. */
  linking: Promise<void>;
}

/** With credentials it connects; without, it links the account first by this method. */
export function startSession(
  options: SessionOptions,
  start: { credentials: Credentials } | { method: LinkMethod },
): WhatsAppSession {
  const { db, log, account, table, timing, tellMembers } = options;
  const { accountId } = account;
  const closing = new AbortController();
  const groups = keepRecent<GroupMetadata>({ most: CHATS_KEPT, forMs: GROUP_GOOD_FOR_MS });
  const channels = keepRecent<MessengerGroup>({ most: CHATS_KEPT, forMs: CHANNEL_GOOD_FOR_MS });
  const rest = createRest(options.tell, timing.restMs, account.pause);
  const refusals = watchRefusals(rest);
  const linking =
    'method' in start
      ? startLinking({ ...start, account, tell: rest.tell, signal: closing.signal, qrMs: timing.qrMs })
      : undefined;
  const tellPairs = (pairs: readonly PairOfIds[]) =>
    tellMembers(pairs.map(({ lid, number }) => samePerson(accountId, lid, number)));

  /** Whoever sends waits for this: it must not take for ever when nothing can be recorded. */
  async function tellPairsSoon(pairs: readonly PairOfIds[]): Promise<void> {
    const enough = new AbortController();
    await Promise.race([tellPairs(pairs), sleep(LONGEST_TELLING_MS, enough.signal)]);
    enough.abort();
  }

  const groupOf = (chatId: string) => groups.get(chatId, () => readGroup(chatId));
  const credentials = 'credentials' in start ? start.credentials : newCredentials(table);
  const connection = keepConnected({
    ...options,
    linking,
    closing,
    credentials: { ...credentials, keys: tellNewPairs(credentials.keys, tellPairsSoon) },
    rest: { ...rest, tell: tellConnection },
    socket: {
      url: options.url,
      qrMs: timing.qrMs,
      log: quietLog(log.child({ accountId })),
      recall: (chatId, messageId) => recallPost(db, accountId, { chatId, messageId }),
      groupOf,
      onGroupChange: (chatId) => groups.forget(chatId),
      onRestriction({ isActive, endsAt }) {
        const forMs = endsAt && endsAt.getTime() - Date.now();
        if (isActive) rest.begin({ cause: 'restricted', reason: RESTRICTED, forMs });
        else rest.lift();
      },
      onClient: (client) =>
        hearMembers(client, { accountId, log, tell: tellMembers, knownGroup: (id) => groups.peek(id) }),
    },
  });

  const watch = watchChannels({
    accountId,
    log,
    client: () => (rest.now() ? undefined : connection.online()?.client),
    findPosts: () => listChannelPosts(db, accountId, WATCHED_DAYS),
    tell: tellMembers,
    timing,
    onLoopError: options.onLoopError,
  });
  void connection.ended.then(() => watch.stop());

  /** Notes a message before it leaves. */
  async function remember(sent: Parameters<typeof rememberPost>[2]): Promise<void> {
    await rememberPost(db, accountId, sent);
    if (isJidNewsletter(sent.chatId)) watch.note(sent);
  }

  /** Who its members are is told along with it: some may have been counted by their numbers. */
  async function readGroup(chatId: string): Promise<GroupMetadata> {
    const group = await connection.requireOnline().client.groupMetadata(chatId);
    const people = peopleIn(group);
    if (people.length > 0) void tellPairs(people);
    return group;
  }

  /** What it takes to send, or why nothing can be sent. */
  function prepareSending(mayGoOn: () => boolean): Sending | Extract<SendResult, { kind: 'offline' }> {
    const resting = rest.now();
    if (resting) return { kind: 'offline', reason: resting.reason, restMs: resting.leftMs };
    const client = connection.online()?.client;
    if (!client) return { kind: 'offline', reason: 'not connected', restMs: OFFLINE_REST_MS };
    return {
      client,
      log,
      groups,
      groupOf,
      channels,
      remember,
      drop: (sent) => dropPost(db, accountId, sent),
      isRemembered: async (sent) => (await recallPost(db, accountId, sent)) !== undefined,
      upload: (media, place) => options.uploads.get(media, place, { accountId, client, signal: closing.signal }),
      fanOuts: options.fanOuts,
      answerMs: timing.answerMs,
      rest: beginRest,
      mayGoOn,
    };
  }

  async function sendOne(post: Post, to: Destination, mayGoOn: () => boolean): Promise<SendResult> {
    const sending = prepareSending(mayGoOn);
    if ('kind' in sending) return sending;
    try {
      return refusals(to.chatId, await sendPost(sending, post, to));
    } catch (error) {
      if (error instanceof NotUploadedError) return error.result;
      throw error;
    }
  }

  async function reviseOne(change: PostChange, post: SentPost, now: Date): Promise<RevisionResult> {
    const sending = prepareSending(() => true);
    if ('kind' in sending) return sending;
    const recall = (sent: SentPost) => recallPost(db, accountId, sent);
    return revisePost({ ...sending, now, recall }, change, post);
  }

  function beginRest(why: RestReason): number {
    if (why.cause === 'restricted') void askHowLong();
    return rest.begin(why);
  }

  /** Word that a restriction is over may have been missed meanwhile. */
  function tellConnection(state: SessionState): void {
    rest.tell(state);
    if (state.status === 'connected' && rest.now()?.cause === 'restricted') void askHowLong();
  }

  /** The answer comes as a restriction that is told. */
  async function askHowLong(): Promise<void> {
    try {
      await connection.online()?.client.fetchAccountReachoutTimelock();
    } catch (error) {
      log.debug({ err: error, accountId }, 'WhatsApp does not say how long an account is restricted');
    }
  }

  /** Asks for something that takes effect: what was refused has not, what was not answered may have. */
  async function ask<Answer>(what: string, act: (socket: Socket) => Promise<Answer>): Promise<Answer> {
    const socket = connection.requireOnline();
    try {
      return await act(socket);
    } catch (error) {
      throw error instanceof AppError ? error : toAppError(what, error, beginRest);
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
    async revise(change, posts) {
      const now = await readNow(db);
      const results: RevisionResult[] = [];
      for (const post of posts) results.push(await reviseOne(change, post, now));
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
      rest.stop();
    },
  };
}

function toAppError(what: string, error: unknown, beginRest: Rest['begin']): AppError {
  const code = refusalOf(error);
  if (code === undefined) {
    const message = `WhatsApp was asked ${what} and has not answered: sync your groups to see what exists`;
    return new AppError('unavailable', message, { retryAfterSeconds: 5, outcomeUnknown: true, cause: error });
  }
  const refusal = judgeRefusal(code);
  if (refusal.kind === 'rest') beginRest(refusal);
  const kind = refusal.kind === 'final' ? 'conflict' : 'unavailable';
  return new AppError(kind, `WhatsApp refused ${what} (${code})`, {
    cause: error,
    ...(kind === 'unavailable' && { retryAfterSeconds: 5 }),
  });
}
