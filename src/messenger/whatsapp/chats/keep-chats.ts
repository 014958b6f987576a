/** What is known of the chats that are posted to, so that WhatsApp is not asked before each post. */
import type { GroupMetadata, WASocket } from 'baileys';
import { keepRecent } from '../../../lib/keep-recent.ts';
import type { MessengerGroup } from '../../messenger.ts';
import { readChannel } from './channels.ts';

export interface KnownChats {
  /** Rejects with what the client throws, and while the account is not connected. */
  group(chatId: string): Promise<GroupMetadata>;
  /** What is known already; undefined: nothing. */
  knownGroup(chatId: string): Promise<GroupMetadata> | undefined;
  forgetGroup(chatId: string): void;
  /** As `group`. */
  channel(chatId: string): Promise<MessengerGroup>;
  forgetChannel(chatId: string): void;
}

const CHATS_KEPT = 2_000;
/** Changes are told; this is for those that were not heard. */
const GROUP_GOOD_FOR_MS = 60 * 60_000;
const CHANNEL_GOOD_FOR_MS = 10 * 60_000;

/** `client` throws while there is none. `onGroup` is told of each group that was read. */
export function keepChats(client: () => WASocket, onGroup: (group: GroupMetadata) => void): KnownChats {
  const groups = keepRecent<string, GroupMetadata>({ most: CHATS_KEPT, forMs: GROUP_GOOD_FOR_MS });
  const channels = keepRecent<string, MessengerGroup>({ most: CHATS_KEPT, forMs: CHANNEL_GOOD_FOR_MS });

  async function readGroup(chatId: string): Promise<GroupMetadata> {
    const group = await client().groupMetadata(chatId);
    onGroup(group);
    return group;
  }

  return {
    group: (chatId) => groups.get(chatId, () => readGroup(chatId)),
    knownGroup: (chatId) => groups.peek(chatId),
    forgetGroup: (chatId) => groups.forget(chatId),
    channel: (chatId) => channels.get(chatId, async () => readChannel(client(), chatId)),
    forgetChannel: (chatId) => channels.forget(chatId),
  };
}
