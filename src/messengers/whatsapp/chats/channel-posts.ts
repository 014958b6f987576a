import type { Client } from '../client/client.ts';
import { childOf, childrenOf, type Node } from '../client/node.ts';

export interface PostCounts {
  /** The number that the server gave it. */
  serverId: number | undefined;
  views: number;
  /** The sum of all emoji. */
  reactions: number;
}

export interface ChannelPost extends PostCounts {
  messageId: string;
}

/** The last posts of a channel, in full. A missing count is 0. */
export async function readPosts(client: Client, chatId: string, count: number): Promise<ChannelPost[]> {
  const content = [{ tag: 'messages', attrs: { type: 'jid', jid: chatId, count: String(count) } }];
  const answer = await client.query({ type: 'get', xmlns: 'newsletter', content });
  return messagesIn(answer).map((message) => ({ ...toCounts(message), messageId: message.attrs['id'] ?? '' }));
}

/** The counts of the last posts of a channel, without their content: some kilobytes for a hundred posts. */
export async function readCounts(client: Client, chatId: string, count: number): Promise<PostCounts[]> {
  const content = [{ tag: 'message_updates', attrs: { count: String(count) } }];
  const answer = await client.query({ type: 'get', xmlns: 'newsletter', to: chatId, content });
  return messagesIn(childOf(answer, 'message_updates')).map(toCounts);
}

const messagesIn = (node: Node | undefined): Node[] => childrenOf(childOf(node, 'messages'), 'message');

function toCounts(message: Node): PostCounts {
  const reactions = childrenOf(childOf(message, 'reactions'), 'reaction');
  return {
    serverId: serverIdOf(message.attrs),
    views: countIn(childOf(message, 'views_count')),
    reactions: reactions.reduce((sum, reaction) => sum + countIn(reaction), 0),
  };
}

export function serverIdOf(attrs: Node['attrs']): number | undefined {
  const serverId = Number(attrs['server_id']);
  return Number.isSafeInteger(serverId) && serverId > 0 ? serverId : undefined;
}

function countIn(node: Node | undefined): number {
  const count = Number(node?.attrs['count']);
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}
