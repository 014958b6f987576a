/** Reads the views and reactions of posts in a channel: counts alone where WhatsApp answers that, else the posts. */
import type { Log } from '../../../platform/log/log.ts';
import { readCounts, readPosts, type ChannelPost, type PostCounts } from '../chats/channel-posts.ts';
import type { Client } from '../client/client.ts';
import { rejectionCodeOf } from '../client/errors.ts';
import { classifyRejection } from '../failures.ts';
import type { NumberedPost } from '../send/sent-messages.ts';

export interface SoughtPost {
  /** The number that the server gave it. Undefined until it is found out, which sets it. */
  serverId: number | undefined;
  /** How often a search by its id has not found it. */
  missed: number;
}

/** Resolves to the counts of the posts that were found, by message id. Throws as the client does. */
export type ReadChannel = (
  client: Client,
  chatId: string,
  posts: ReadonlyMap<string, SoughtPost>,
) => Promise<ReadonlyMap<string, PostCounts>>;

const POSTS_READ = 100;
/** A post that was not found so often has not arrived, or was deleted: posts are no longer read in full for it. */
const LONGEST_SEARCH = 3;

export function createChannelReader({
  log,
  storeServerIds,
}: {
  log: Log;
  storeServerIds(posts: readonly NumberedPost[]): Promise<void>;
}): ReadChannel {
  let supportsCounts = true;

  return async (client, chatId, posts) => {
    const areNumbered = [...posts.values()].every(
      ({ serverId, missed }) => serverId !== undefined || missed >= LONGEST_SEARCH,
    );
    if (areNumbered && supportsCounts) {
      const told = byMessageId(await readIfTaken(client, chatId), posts);
      if (told.size > 0) return told;
    }
    const found = await readPosts(client, chatId, POSTS_READ);
    if (areNumbered && found.some((post) => posts.has(post.messageId) && post.views + post.reactions > 0)) {
      if (supportsCounts)
        log.info('WhatsApp does not tell the counts of posts in channels alone: posts are read in full');
      supportsCounts = false;
    }
    const numbered = learnNumbers(chatId, found, posts);
    if (numbered.length > 0)
      await storeServerIds(numbered).catch((error: unknown) => {
        log.warn({ err: error, chatId }, 'the numbers of posts in a channel could not be stored');
      });
    return new Map(found.map((post) => [post.messageId, post]));
  };
}

/** Empty if WhatsApp rejects the query. */
async function readIfTaken(client: Client, chatId: string): Promise<PostCounts[]> {
  try {
    return await readCounts(client, chatId, POSTS_READ);
  } catch (error) {
    const code = rejectionCodeOf(error);
    if (code === undefined || classifyRejection(code).kind === 'cooldown') throw error;
    return [];
  }
}

function byMessageId(counts: readonly PostCounts[], posts: ReadonlyMap<string, SoughtPost>): Map<string, PostCounts> {
  const byServerId = new Map(counts.map((post) => [post.serverId, post]));
  return new Map(
    [...posts].flatMap(([messageId, { serverId }]) => {
      const told = serverId === undefined ? undefined : byServerId.get(serverId);
      return told ? [[messageId, told] as const] : [];
    }),
  );
}

/** Sets server numbers that were found. Returns the posts whose numbers are new. */
function learnNumbers(
  chatId: string,
  found: readonly ChannelPost[],
  posts: ReadonlyMap<string, SoughtPost>,
): NumberedPost[] {
  const serverIds = new Map(found.map(({ messageId, serverId }) => [messageId, serverId]));
  return [...posts].flatMap(([messageId, post]) => {
    if (post.serverId !== undefined) return [];
    post.serverId = serverIds.get(messageId);
    if (post.serverId !== undefined) return [{ chatId, messageId, serverId: post.serverId }];
    post.missed += 1;
    return [];
  });
}
