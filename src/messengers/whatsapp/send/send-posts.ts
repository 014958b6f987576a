/** Sends and revises the posts of one account, in order and one at a time, over its present connection. */
import type { Agent } from 'node:http';
import type { Database } from '../../../platform/database/connect.ts';
import type { Log } from '../../../platform/log/log.ts';
import type { FairSemaphore } from '../../../platform/concurrency/fair-semaphore.ts';
import type { Destination, MessengerSession, Post, PostChange, SentPost } from '../../messenger.ts';
import type { RevisionResult, SendResult } from '../../messenger.ts';
import type { Client } from '../client/client.ts';
import type { ChatCache } from '../chats/chat-cache.ts';
import type { Cooldown } from '../connect/cooldown.ts';
import type { MessageSecretKeys } from '../connect/message-secret-keys.ts';
import { NotUploadedError, type UploadCache } from '../files/upload-cache.ts';
import type { RetrySuppression } from './retry-suppression.ts';
import type { MemberCache } from './member-cache.ts';
import { revisePost } from './revise-post.ts';
import { sendPost } from './send-post.ts';
import { NO_LEASE, type Sending } from './sending.ts';
import {
  deleteMessage,
  storeServerIds,
  findMessage,
  findStored,
  storeMessage,
  type NumberedPost,
} from './sent-messages.ts';
import { createRejectionBreaker } from './rejection-breaker.ts';
import type { AccountId } from '../../../platform/database/schema.ts';

export interface AccountSending {
  accountId: AccountId;
  db: Database;
  log: Log;
  secretKeys: MessageSecretKeys;
  /** Undefined while the account is not connected. */
  client(): Client | undefined;
  cooldown: Pick<Cooldown, 'now' | 'begin'>;
  /** As `Sending.warn`. */
  warn(): void;
  chats: ChatCache;
  members: MemberCache;
  uploads: UploadCache;
  /** For uploads. Undefined: hosts are reached directly. */
  agent: Agent | undefined;
  /** Permits for first posts to large groups. */
  fanOuts: FairSemaphore;
  /** How long the answer to a post is waited for, in milliseconds. */
  answerMs: number;
  /** Suppresses the answers to retry receipts of messages that are being sent. */
  retrySuppression: RetrySuppression;
  /** Aborted when the account is to be left alone. */
  signal: AbortSignal;
  onDevicesMissed: Sending['onDevicesMissed'];
  onCondition: Sending['onCondition'];
  unresolvedHashes: Sending['unresolvedHashes'];
  unanswered: Sending['unanswered'];
  lateAckMs: number;
  /** Called with each message that may leave, and again when its number in a channel is known. */
  onLeaving(message: NumberedPost): void;
}

const OFFLINE_COOLDOWN_MS = 5_000;

export function sendPosts(account: AccountSending): Required<Pick<MessengerSession, 'send' | 'revise'>> {
  const watch = createRejectionBreaker(account.cooldown);

  async function sendOne(post: Post, to: Destination, mayGoOn: () => boolean): Promise<SendResult> {
    const sending = prepare(account, mayGoOn);
    if ('kind' in sending) return sending;
    try {
      return watch(to.chatId, await sendPost(sending, post, to));
    } catch (error) {
      if (error instanceof NotUploadedError) return error.result;
      throw error;
    }
  }

  return {
    async send(post, to, mayGoOn) {
      const results: SendResult[] = [];
      for (const one of to) results.push(await sendOne(post, one, mayGoOn));
      return results;
    },
    async revise(change, posts, mayGoOn) {
      const results: RevisionResult[] = [];
      for (const post of posts) results.push(await reviseOne(account, { change, mayGoOn }, post));
      return results;
    },
  };
}

async function reviseOne(
  account: AccountSending,
  { change, mayGoOn }: { change: PostChange; mayGoOn: () => boolean },
  post: SentPost,
): Promise<RevisionResult> {
  const sending = prepare(account, mayGoOn);
  if ('kind' in sending) return sending;
  const find = async (sent: SentPost) => (await findMessage(account.db, account.accountId, sent))?.message;
  return revisePost({ ...sending, findMessage: find }, change, post);
}

/** The dependencies of a send, or the reason why nothing can be sent. */
function prepare(account: AccountSending, mayGoOn: () => boolean): Sending | Extract<SendResult, { kind: 'offline' }> {
  const { accountId, db, log, secretKeys, cooldown, chats, members, uploads, fanOuts, answerMs } = account;
  const { retrySuppression, signal } = account;
  if (!mayGoOn()) return { kind: 'offline', reason: NO_LEASE, cooldownMs: 0 };
  const resting = cooldown.now();
  if (resting) return { kind: 'offline', reason: resting.reason, cooldownMs: resting.leftMs };
  const client = account.client();
  if (!client) return { kind: 'offline', reason: 'not connected', cooldownMs: OFFLINE_COOLDOWN_MS };
  return {
    accountId,
    client,
    log,
    chats,
    members,
    async storeMessage(sent) {
      await secretKeys.recordAuthor(client.me);
      const isOfLink = await storeMessage(db, accountId, sent);
      account.onLeaving({ ...sent, serverId: undefined });
      return isOfLink ? client.noiseKey : secretKeys.key;
    },
    async storeServerId(sent) {
      account.onLeaving(sent);
      try {
        await storeServerIds(db, accountId, [sent]);
      } catch (error) {
        log.warn({ err: error, messageId: sent.messageId }, 'the number of a post in a channel could not be stored');
      }
    },
    deleteMessage: (sent) => deleteMessage(db, accountId, sent),
    isStored: async (sent) => (await findMessage(db, accountId, sent)) !== undefined,
    findStored: (chatId, messageIds) => findStored(db, accountId, { chatId, messageIds }),
    upload: (media, target) => uploads.get(media, target, { accountId, client, agent: account.agent, signal }),
    fanOuts,
    onDevicesMissed: account.onDevicesMissed,
    onCondition: account.onCondition,
    unresolvedHashes: account.unresolvedHashes,
    unanswered: account.unanswered,
    lateAckMs: account.lateAckMs,
    answerMs,
    retrySuppression,
    cooldown: cooldown.begin,
    warn: account.warn,
    mayGoOn,
  };
}
