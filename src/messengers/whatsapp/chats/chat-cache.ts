/** Caches the metadata of groups, so that a post needs no query about its group. */
import type { Group } from '../client/group.ts';
import { packGroup, unpackGroup, type GroupCache, type CachedGroup } from './group-cache.ts';

export interface ChatCache {
  /** Throws as the client does, and while the account is not connected. */
  group(chatId: string): Promise<Group>;
  /** Without a query; undefined if it is not cached. */
  cachedGroup(chatId: string): Group | undefined;
  cacheGroup(group: Group): void;
  invalidateGroup(chatId: string): void;
}

export interface ChatCacheOptions {
  /** Shared by all accounts of the process. */
  memory: GroupCache;
  /** Throws while there is no connection. */
  fetchGroup(chatId: string): Promise<Group>;
  /** Called the first time that cached metadata is used. */
  onGroup(group: Group): void;
}

let cacheCount = 0;

export function createChatCache({ memory, fetchGroup, onGroup }: ChatCacheOptions): ChatCache {
  // Entries of an earlier session may be stale: another worker may have received the changes since.
  const cacheId = ++cacheCount;
  const keyOf = (chatId: string) => `${cacheId} ${chatId}`;

  /** The last unpacked group: one post reads the same group several times. */
  let latest: { kept: CachedGroup; group: Group } | undefined;
  function open(kept: CachedGroup): Group {
    if (latest?.kept !== kept) latest = { kept, group: unpackGroup(kept) };
    return latest.group;
  }

  return {
    async group(chatId) {
      const kept = await memory.forceFetch(keyOf(chatId), {
        context: async () => packGroup(await fetchGroup(chatId)),
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
  };
}
