/** Sends and revises the posts of one account, in order and one at a time, over its present connection. */
import type { Agent } from 'node:http';
import type { Database } from '../../../platform/database/statements.ts';
import type {
  Destination,
  MessengerSession,
  Post,
  PostChange,
  SentPost,
  RevisionResult,
  SendResult,
} from '../../messenger.ts';
import type { Client } from '../client/client.ts';
import type { Cooldown } from '../connect/cooldown.ts';
import type { MessageSecretKeys } from '../connect/message-secret-keys.ts';
import { NotUploadedError, type UploadCache } from '../files/upload-cache.ts';
import { revisePost } from './revise-post.ts';
import type { Revising } from './revising.ts';
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
import { STATE_REASONS } from '../../../platform/errors/account-states.ts';

/** What of a send depends on the present connection, or on the lease. */
type OfOneSend =
  | 'client'
  | 'cooldown'
  | 'mayGoOn'
  | 'storeMessage'
  | 'storeServerId'
  | 'deleteMessage'
  | 'isStored'
  | 'upload';

export interface AccountSending extends Omit<Sending, OfOneSend> {
  db: Database;
  secretKeys: MessageSecretKeys;
  /** Undefined while the account is not connected. */
  client(): Client | undefined;
  cooldown: Pick<Cooldown, 'now' | 'begin'>;
  uploads: UploadCache;
  /** For uploads. Undefined: hosts are reached directly. */
  agent: Agent | undefined;
  /** Aborted when the account is to be left alone. */
  signal: AbortSignal;
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
  const { db, accountId, secretKeys } = account;
  const revising: Revising = {
    ...sending,
    findMessage: async (sent) => (await findMessage(db, accountId, sent))?.message,
    findStored: (messageIds) => findStored(db, post.sentBy ?? accountId, { chatId: post.chatId, messageIds }),
    deleteMessage: (sent) => deleteMessage(db, post.sentBy ?? accountId, sent),
    findNumberOf: secretKeys.findNumberOf,
  };
  return revisePost(revising, change, post);
}

/** The dependencies of a send, or the reason why nothing can be sent. */
function prepare(account: AccountSending, mayGoOn: () => boolean): Sending | Extract<SendResult, { kind: 'offline' }> {
  const { accountId, db, log, secretKeys, cooldown, uploads, agent, signal } = account;
  if (!mayGoOn()) return { kind: 'offline', reason: NO_LEASE, cooldownMs: 0 };
  const resting = cooldown.now();
  if (resting) return { kind: 'offline', reason: resting.reason, cooldownMs: resting.leftMs };
  const client = account.client();
  if (!client) return { kind: 'offline', reason: 'not connected', cooldownMs: OFFLINE_COOLDOWN_MS };
  return {
    ...account,
    client,
    cooldown: cooldown.begin,
    mayGoOn,
    async storeMessage(sent) {
      await secretKeys.recordAuthor(accountId, client.me);
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
    upload: (media, target) => uploads.get(media, target, { accountId, client, agent, signal }),
  };
}

/** After so many different chats in a row, the cause is the account. */
const CHATS_IN_A_ROW = 5;

/**
 * Circuit breaker: begins a cool-down when WhatsApp rejects posts to several chats in a row for the moment, before it has to ask for one.
 * The post that begins it is tried again after it. Final refusals are about the post or the chats: they pause the campaign
 * (`src/sending/deliveries/ledger-writes.ts`).
 */
function createRejectionBreaker(cooldown: Pick<Cooldown, 'begin'>): (chatId: string, result: SendResult) => SendResult {
  const rejecting = new Set<string>();
  return (chatId, result) => {
    if (result.kind === 'sent') rejecting.clear();
    if (result.kind !== 'refused' || result.final) return result;
    rejecting.add(chatId);
    if (rejecting.size < CHATS_IN_A_ROW) return result;
    rejecting.clear();
    const reason = STATE_REASONS.refused;
    return { kind: 'offline', reason, cooldownMs: cooldown.begin({ cause: 'refused', reason }) };
  };
}
