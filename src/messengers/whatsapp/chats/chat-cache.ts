/** Caches the metadata of groups, so that a post needs no query about its group. */
import { unlessAborted } from '../../../platform/concurrency/unless-aborted.ts';
import { QueryRejectedError, UnreadableAnswerError } from '../client/errors.ts';
import type { Group } from '../client/group.ts';
import { packGroup, unpackGroup, type GroupCache, type CachedGroup } from './group-cache.ts';

export interface ChatCache {
  /** Throws as the client does, and while the account is not connected. */
  group(chatId: string): Promise<Group>;
  /** Without a query; undefined if it is not cached. */
  cachedGroup(chatId: string): Group | undefined;
  /**
   * Caches a group if WhatsApp describes it within five seconds. After a query in vain none is sent for ten minutes. Throws when the
   * connection ends.
   */
  tryFetchGroup(chatId: string): Promise<void>;
  cacheGroup(group: Group): void;
  invalidateGroup(chatId: string): void;
}

const ANSWER_MS = 5_000;
const RETRY_MS = 10 * 60_000;

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

  /** When the last query in vain was sent, by the monotonic clock. */
  const failedAtMs = new Map<string, number>();

  const cache: ChatCache = {
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
    async tryFetchGroup(chatId) {
      const nowMs = performance.now();
      if (memory.has(keyOf(chatId)) || nowMs - (failedAtMs.get(chatId) ?? -Infinity) < RETRY_MS) return;
      const limit = AbortSignal.timeout(ANSWER_MS);
      try {
        await unlessAborted(cache.group(chatId), limit);
      } catch (error) {
        const isInVain =
          limit.aborted || [QueryRejectedError, UnreadableAnswerError].some((one) => error instanceof one);
        if (!isInVain) throw error;
        failedAtMs.set(chatId, nowMs);
      }
    },
    cacheGroup: (group) => void memory.set(keyOf(group.id), packGroup(group)),
    invalidateGroup: (chatId) => void memory.delete(keyOf(chatId)),
  };
  return cache;
}
