/** Caches the metadata of chats, so that a post needs no query about its chat. */
import { LRUCache } from 'lru-cache';
import type { MessengerGroup } from '../../messenger.ts';
import type { Client } from '../client/client.ts';
import type { Group } from '../client/group.ts';
import type { ChannelQueries } from './channels.ts';
import { packGroup, unpackGroup, type GroupCache, type CachedGroup } from './group-cache.ts';

export interface ChatCache {
  /** Throws as the client does, and while the account is not connected. */
  group(chatId: string): Promise<Group>;
  /** Without a query; undefined if it is not cached. */
  cachedGroup(chatId: string): Group | undefined;
  cacheGroup(group: Group): void;
  invalidateGroup(chatId: string): void;
  /** As `group`. */
  channel(chatId: string): Promise<MessengerGroup>;
  cacheChannel(channel: MessengerGroup): void;
  invalidateChannel(chatId: string): void;
}

export interface ChatCacheOptions {
  /** Shared by all accounts of the process. */
  memory: GroupCache;
  channels: Pick<ChannelQueries, 'read'>;
  /** Throws while there is no connection. */
  client(): Client;
  /** Called the first time that cached metadata is used. */
  onGroup(group: Group): void;
}

const MAX_CHANNELS_CACHED = 2_000;
/** The number of followers may be as old. A lost right to post shows in a rejected post. */
const CHANNEL_TTL_MS = 24 * 60 * 60_000;

let cacheCount = 0;

export function createChatCache({ memory, channels: { read }, client, onGroup }: ChatCacheOptions): ChatCache {
  // Entries of an earlier session may be stale: another worker may have received the changes since.
  const cacheId = ++cacheCount;
  const keyOf = (chatId: string) => `${cacheId} ${chatId}`;
  const channels = new LRUCache<string, MessengerGroup>({
    // Each account has one of these. `max` would allocate all of it at once; `maxSize` grows with use.
    maxSize: MAX_CHANNELS_CACHED,
    sizeCalculation: () => 1,
    ttl: CHANNEL_TTL_MS,
    fetchMethod: async (chatId) => read(client(), chatId),
    ignoreFetchAbort: true,
  });

  /** The last unpacked group: one post reads the same group several times. */
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
    cachedGroup(chatId) {
      const kept = memory.peek(keyOf(chatId));
      return kept && open(kept);
    },
    cacheGroup: (group) => void memory.set(keyOf(group.id), packGroup(group)),
    invalidateGroup: (chatId) => void memory.delete(keyOf(chatId)),
    channel: (chatId) => channels.forceFetch(chatId),
    // Without the right to post it is not cached, so that the right is queried again.
    cacheChannel: (channel) =>
      void (channel.canSend ? channels.set(channel.chatId, channel) : channels.delete(channel.chatId)),
    invalidateChannel: (chatId) => void channels.delete(chatId),
  };
}
