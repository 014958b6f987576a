import type { Client } from '../client/client.ts';
import { UnreadableAnswerError } from '../client/errors.ts';
import { childOf, childrenOf, type Node } from '../client/node.ts';

export interface PostCounts {
  /** The number that the server gave it. */
  serverId: number | undefined;
  /** Undefined: WhatsApp does not tell. */
  views: number | undefined;
  /** The sum of all emoji. */
  reactions: number;
}

export interface ChannelPost extends PostCounts {
  /** Undefined: WhatsApp does not tell. */
  messageId: string | undefined;
}

interface PostsQuery {
  /** So many posts at most, the last ones. */
  count: number;
  timeoutMs: number;
}

/** The last posts of a channel, in full. Throws as `Client.query` does, and UnreadableAnswerError. */
export async function readPosts(client: Client, chatId: string, query: PostsQuery): Promise<ChannelPost[]> {
  const { count, timeoutMs } = query;
  const content = [{ tag: 'messages', attrs: { type: 'jid', jid: chatId, count: String(count) } }];
  const answer = await client.query({ type: 'get', xmlns: 'newsletter', content }, timeoutMs);
  return messagesIn(answer).map((message) => ({ ...toCounts(message), messageId: message.attrs['id'] }));
}

/** The counts of the last posts of a channel, without their content: some kilobytes for a hundred posts. Throws as `readPosts` does. */
export async function readCounts(client: Client, chatId: string, query: PostsQuery): Promise<PostCounts[]> {
  const { count, timeoutMs } = query;
  const content = [{ tag: 'message_updates', attrs: { count: String(count) } }];
  const answer = await client.query({ type: 'get', xmlns: 'newsletter', to: chatId, content }, timeoutMs);
  return messagesIn(childOf(answer, 'message_updates')).map(toCounts);
}

function messagesIn(node: Node | undefined): Node[] {
  const messages = childOf(node, 'messages');
  if (!messages) throw new UnreadableAnswerError('an answer about a channel has no list of posts');
  return childrenOf(messages, 'message');
}

function toCounts(message: Node): PostCounts {
  const reactions = childrenOf(childOf(message, 'reactions'), 'reaction');
  return {
    serverId: serverIdOf(message.attrs),
    views: countIn(childOf(message, 'views_count')),
    reactions: reactions.reduce((sum, reaction) => sum + (countIn(reaction) ?? 0), 0),
  };
}

export function serverIdOf(attrs: Node['attrs']): number | undefined {
  const serverId = Number(attrs['server_id']);
  return Number.isSafeInteger(serverId) && serverId > 0 ? serverId : undefined;
}

function countIn(node: Node | undefined): number | undefined {
  const count = Number(node?.attrs['count'] ?? Number.NaN);
  return Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
