/** The dependencies of a send, to any kind of chat. */
import type { FairSemaphore } from '../../../platform/concurrency/fair-semaphore.ts';
import type { LRUCache } from 'lru-cache';
import type { Jid } from '../client/jid.ts';
import type { PostMedia } from '../../messenger.ts';
import type { WhatsAppCondition } from '../connect/conditions.ts';
import type { ChatCache } from '../chats/chat-cache.ts';
import type { MemberCache } from './member-cache.ts';
import type { StoredMessage } from './sent-messages.ts';
import type { Relaying, RelayResult } from './relay.ts';
import type { Uploaded, UploadTarget } from '../files/uploads-table.ts';
import type { AccountId } from '../../../platform/database/schema.ts';

export interface Sending extends Relaying {
  accountId: AccountId;
  chats: ChatCache;
  members: MemberCache;
  /** Stores a message before it leaves. Resolves to the key that its secret derives from. */
  storeMessage(post: StoredMessage): Promise<Uint8Array>;
  /** Stores the number that a channel's server gave a message. Never rejects: the number can be found out later. */
  storeServerId(post: { messageId: string; chatId: string; serverId: number }): Promise<void>;
  /** Deletes a stored message that has not left. */
  deleteMessage(post: { messageId: string; chatId: string }): Promise<void>;
  isStored(post: { messageId: string; chatId: string }): Promise<boolean>;
  /** Throws NotUploadedError when a file is not uploaded yet, or cannot be. */
  upload(media: PostMedia, target: UploadTarget): Promise<Uploaded>;
  /** Permits for posts that distribute a sender key to many devices: each costs seconds of CPU. */
  fanOuts: FairSemaphore;
  /** Called when WhatsApp knows other devices in a group than a post was encrypted for. */
  onDevicesMissed(): void;
  onCondition(condition: WhatsAppCondition): void;
  /** Groups whose devices differ from WhatsApp's although they were queried again. */
  unresolvedHashes: LRUCache<Jid, true>;
  /** By group. */
  unanswered: Map<Jid, Unanswered>;
  /** How long after a message has left its acknowledgement may still come, in milliseconds. */
  lateAckMs: number;
  /** Warns the user that WhatsApp restricts new private chats, which pauses nothing. */
  warn(): void;
  /** Whether this worker still holds the lease of the account. */
  mayGoOn(): boolean;
}

export const NO_LEASE = 'the lease ran out';

/** A message that distributed the sender key of a group, and was not acknowledged in time. */
export interface Unanswered {
  messageId: string;
  /** Undefined while the acknowledgement may still come: until then no other message distributes the key again. */
  tried: Tried | undefined;
}

export interface Tried {
  result: RelayResult;
  /** WhatsApp said that the cached members are stale. */
  isStale: boolean;
  /** WhatsApp knows other devices in the group than the message was encrypted for. */
  missed: Missed | undefined;
}

export interface Missed {
  /** The `phash` of the devices that WhatsApp knows. */
  hash: string;
  /** The devices that the message was encrypted for. */
  known: ReadonlySet<Jid>;
}
