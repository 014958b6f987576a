/** What is known of the chats that are posted to, so that WhatsApp is not asked before each post. */
import type { GroupMetadata, WASocket } from 'baileys';
import { keepRecent } from '../../../lib/keep-recent.ts';
import type { MessengerGroup } from '../../messenger.ts';
import type { ChannelQueries } from './channels.ts';
import { packGroup, unpackGroup, type GroupMemory, type KeptGroup } from './group-memory.ts';

export interface KnownChats {
  /** Rejects with what the client throws, and while the account is not connected. */
  group(chatId: string): Promise<GroupMetadata>;
  /** What is known already; undefined: nothing. */
  knownGroup(chatId: string): Promise<GroupMetadata> | undefined;
  /** WhatsApp has told how a group stands, all of it. */
  learnGroup(group: GroupMetadata): void;
  forgetGroup(chatId: string): void;
  /** As `group`. */
  channel(chatId: string): Promise<MessengerGroup>;
  learnChannel(channel: MessengerGroup): void;
  forgetChannel(chatId: string): void;
}

export interface ChatKeeping {
  /** Shared with other accounts. */
  memory: GroupMemory;
  channels: Pick<ChannelQueries, 'read'>;
  /** Throws while there is none. */
  client(): WASocket;
  /** Told of each group that is posted to, when it was read anew. */
  onGroup(group: GroupMetadata): void;
}

const CHANNELS_KEPT = 2_000;
/** How many follow it may be as old as this. That one may no longer post there is known sooner: a post is refused. */
const CHANNEL_GOOD_FOR_MS = 24 * 60 * 60_000;

let keepers = 0;

export function keepChats({ memory, channels: { read }, client, onGroup }: ChatKeeping): KnownChats {
  // Whatever an earlier session of the account knew: somebody else may have heard the changes since.
  const keeper = ++keepers;
  const keyOf = (chatId: string) => `${keeper} ${chatId}`;
  const channels = keepRecent<string, MessengerGroup>({ most: CHANNELS_KEPT, forMs: CHANNEL_GOOD_FOR_MS });

  /** For one post the same group is asked for several times. */
  let latest: { kept: KeptGroup; group: GroupMetadata } | undefined;
  function open(kept: KeptGroup): GroupMetadata {
    if (latest?.kept !== kept) latest = { kept, group: unpackGroup(kept) };
    return latest.group;
  }

  return {
    async group(chatId) {
      const kept = await memory.get(keyOf(chatId), async () => packGroup(await client().groupMetadata(chatId)));
      const group = open(kept);
      if (!kept.isTold) onGroup(group);
      kept.isTold = true;
      return group;
    },
    knownGroup: (chatId) => memory.peek(keyOf(chatId))?.then(open),
    learnGroup: (group) => memory.put(keyOf(group.id), packGroup(group)),
    forgetGroup: (chatId) => memory.forget(keyOf(chatId)),
    channel: (chatId) => channels.get(chatId, async () => read(client(), chatId)),
    // That one may not post there is asked again before it is believed.
    learnChannel: (channel) =>
      channel.canSend ? channels.put(channel.chatId, channel) : channels.forget(channel.chatId),
    forgetChannel: (chatId) => channels.forget(chatId),
  };
}
