/** Finds out how often posts in a channel were seen: by asking for counts alone where that serves, else for the posts themselves. */
import type { Log } from '../../../platform/log/log.ts';
import { readCounts, readPosts, type ChannelPost, type PostCounts } from '../chats/channel-posts.ts';
import type { Client } from '../client/client.ts';
import { rejectionCodeOf } from '../client/errors.ts';
import { classifyRejection } from '../failures.ts';
import type { NumberedPost } from '../send/sent-posts.ts';

export interface SoughtPost {
  /** The number that the server has given it; undefined: not known. Written when it is found out. */
  serverId: number | undefined;
  /** How often it was looked for by its id, and was not there. */
  missed: number;
}

/** Resolves to the counts of those that are there, by message id. Throws what the client throws. */
export type ReadChannel = (
  client: Client,
  chatId: string,
  posts: ReadonlyMap<string, SoughtPost>,
) => Promise<ReadonlyMap<string, PostCounts>>;

const POSTS_READ = 100;
/** What was not there so often has not arrived, or was deleted: posts are not read in full for its sake. */
const LONGEST_SEARCH = 3;

/** `recordServerIds` writes down numbers that were found out. */
export function createChannelReader({
  log,
  recordServerIds,
}: {
  log: Log;
  recordServerIds(posts: readonly NumberedPost[]): Promise<void>;
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
      await recordServerIds(numbered).catch((error: unknown) => {
        log.warn({ err: error, chatId }, 'the numbers of posts in a channel could not be noted');
      });
    return new Map(found.map((post) => [post.messageId, post]));
  };
}

/** Nothing, where WhatsApp does not take the question. */
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

/** Answers those whose numbers are new. */
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
