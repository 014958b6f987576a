/** Reads the views and reactions of posts in a channel: counts alone where WhatsApp answers that, else the posts. */
import type { Log } from '../../../platform/log/log.ts';
import { readCounts, readPosts, type ChannelPost, type PostCounts } from '../chats/channel-posts.ts';
import type { Client } from '../client/client.ts';
import { NoAnswerError, rejectionCodeOf, UnreadableAnswerError } from '../client/errors.ts';
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

interface ReaderOptions {
  log: Log;
  /** How long an answer may take, in milliseconds. */
  answerMs: number;
  storeServerIds(posts: readonly NumberedPost[]): Promise<void>;
}

export function createChannelReader({ log, answerMs, storeServerIds }: ReaderOptions): ReadChannel {
  const query = { count: POSTS_READ, timeoutMs: answerMs };
  let supportsCounts = true;
  let havePostsViews = true;

  function disableCounts() {
    if (supportsCounts)
      log.info('WhatsApp does not tell the counts of posts in channels alone: posts are read in full');
    supportsCounts = false;
  }

  return async (client, chatId, posts) => {
    const areNumbered = [...posts.values()].every(
      ({ serverId, missed }) => serverId !== undefined || missed >= LONGEST_SEARCH,
    );
    if (areNumbered && supportsCounts) {
      const counts = await readIfAnswered(client, chatId, query);
      if (counts === undefined) disableCounts();
      const told = byMessageId(counts ?? [], posts);
      // If WhatsApp tells no views at all, the cheaper answer is good enough.
      if (told.size > 0 && (hasViews([...told.values()]) || !havePostsViews)) return told;
    }
    const found = (await readPosts(client, chatId, query)).filter(isNamed);
    const own = found.filter(({ messageId }) => posts.has(messageId));
    if (own.length > 0) havePostsViews = hasViews(own);
    if (areNumbered && own.some(({ views = 0, reactions }) => views + reactions > 0) && havePostsViews) disableCounts();
    const numbered = learnNumbers(chatId, found, posts);
    if (numbered.length > 0)
      await storeServerIds(numbered).catch((error: unknown) => {
        log.warn({ err: error, chatId }, 'the numbers of posts in a channel could not be stored');
      });
    return new Map(found.map((post) => [post.messageId, post]));
  };
}

const hasViews = (posts: readonly PostCounts[]) => posts.some(({ views }) => views !== undefined);

const isNamed = (post: ChannelPost): post is NamedPost => post.messageId !== undefined;
type NamedPost = ChannelPost & { messageId: string };

/** Empty if WhatsApp rejects the query, undefined if it does not answer, or not readably. */
async function readIfAnswered(client: Client, chatId: string, query: { count: number; timeoutMs: number }) {
  try {
    return await readCounts(client, chatId, query);
  } catch (error) {
    if (error instanceof NoAnswerError || error instanceof UnreadableAnswerError) return undefined;
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
  found: readonly NamedPost[],
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
