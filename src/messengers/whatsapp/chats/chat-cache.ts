/** What is known of the chats that are posted to, so that WhatsApp is not asked before each post. */
import { LRUCache } from 'lru-cache';
import type { MessengerGroup } from '../../messenger.ts';
import type { Client } from '../client/client.ts';
import type { Group } from '../client/group.ts';
import type { ChannelQueries } from './channels.ts';
import { packGroup, unpackGroup, type GroupMemory, type CachedGroup } from './group-cache.ts';

export interface KnownChats {
  /** Rejects with what the client throws, and while the account is not connected. */
  group(chatId: string): Promise<Group>;
  /** What is known already; undefined: nothing, or it is being read. */
  knownGroup(chatId: string): Group | undefined;
  /** WhatsApp has told how a group stands, all of it. */
  learnGroup(group: Group): void;
  forgetGroup(chatId: string): void;
  /** As `group`. */
  channel(chatId: string): Promise<MessengerGroup>;
  learnChannel(channel: MessengerGroup): void;
  forgetChannel(chatId: string): void;
}

export interface ChatCacheOptions {
  /** Shared with other accounts. */
  memory: GroupMemory;
  channels: Pick<ChannelQueries, 'read'>;
  /** Throws while there is none. */
  client(): Client;
  /** Told of each group that is posted to, when it was read anew. */
  onGroup(group: Group): void;
}

const MAX_CHANNELS_CACHED = 2_000;
/** How many follow it may be as old as this. That one may no longer post there is known sooner: a post is refused. */
const CHANNEL_GOOD_FOR_MS = 24 * 60 * 60_000;

let cacheCount = 0;

export function createChatCache({ memory, channels: { read }, client, onGroup }: ChatCacheOptions): KnownChats {
  // Whatever an earlier session of the account knew: somebody else may have heard the changes since.
  const keeper = ++cacheCount;
  const keyOf = (chatId: string) => `${keeper} ${chatId}`;
  const channels = new LRUCache<string, MessengerGroup>({
    // Each account has one of these. `max` would allocate all of it at once; `maxSize` grows with use.
    maxSize: MAX_CHANNELS_CACHED,
    sizeCalculation: () => 1,
    ttl: CHANNEL_GOOD_FOR_MS,
    fetchMethod: async (chatId) => read(client(), chatId),
    ignoreFetchAbort: true,
  });

  /** For one post the same group is asked for several times. */
  let latest: { kept: CachedGroup; group: Group } | undefined;
  function open(kept: CachedGroup): Group {
    if (latest?.kept !== kept) latest = { kept, group: unpackGroup(kept) };
    return latest.group;
  }

  return {
    async group(chatId) {
      const kept = await memory.forceFetch(keyOf(chatId), {
        context: async () => packGroup(await client().fetchGroup(chatId)),
      });
      const group = open(kept);
      if (!kept.isEmitted) onGroup(group);
      kept.isEmitted = true;
      return group;
    },
    knownGroup(chatId) {
      const kept = memory.peek(keyOf(chatId));
      return kept && open(kept);
    },
    learnGroup: (group) => void memory.set(keyOf(group.id), packGroup(group)),
    forgetGroup: (chatId) => void memory.delete(keyOf(chatId)),
    channel: (chatId) => channels.forceFetch(chatId),
    // That one may not post there is asked again before it is believed.
    learnChannel: (channel) =>
      void (channel.canSend ? channels.set(channel.chatId, channel) : channels.delete(channel.chatId)),
    forgetChannel: (chatId) => void channels.delete(chatId),
  };
}
