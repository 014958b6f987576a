/** What sending a post takes, whatever kind of chat it goes to. */
import type { FairSemaphore } from '../../../platform/concurrency/fair-semaphore.ts';
import type { PostMedia } from '../../messenger.ts';
import type { KnownChats } from '../chats/chat-cache.ts';
import type { KnownMembers } from './known-members.ts';
import type { Relaying } from './relay.ts';
import type { Uploaded, UploadTarget } from '../files/uploads-table.ts';

export interface Sending extends Relaying {
  accountId: number;
  chats: KnownChats;
  members: KnownMembers;
  /** Notes a message before it leaves. */
  remember(post: { messageId: string; chatId: string; message: Uint8Array }): Promise<void>;
  /** Notes which number the server of a channel has given a message. Never rejects: it can be found out later, too. */
  noteServerId(post: { messageId: string; chatId: string; serverId: number }): Promise<void>;
  /** Takes the note back: it has not left after all. */
  drop(post: { messageId: string; chatId: string }): Promise<void>;
  /** Whether a message was noted. */
  isRemembered(post: { messageId: string; chatId: string }): Promise<boolean>;
  /** Throws NotUploadedError when a file is not there yet, or cannot be. */
  upload(media: PostMedia, target: UploadTarget): Promise<Uploaded>;
  /** Places for posts that bring a key to many: each costs seconds of work, and the others of the process wait for it. */
  fanOuts: FairSemaphore;
  /** Whether the account is still this worker's to send for. */
  mayGoOn(): boolean;
}

export const NO_LEASE = 'the lease ran out';
