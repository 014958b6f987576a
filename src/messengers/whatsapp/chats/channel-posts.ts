import { getBinaryNodeChild, getBinaryNodeChildren, type BinaryNode, type WASocket } from 'baileys';

/** What was done about a post, as its channel tells it. */
export interface PostCounts {
  /** The number that the server has given it; undefined: it does not say. */
  serverId: number | undefined;
  views: number;
  /** Of all signs together. */
  reactions: number;
}

/** A post as its channel shows it. */
export interface ChannelPost extends PostCounts {
  messageId: string;
}

/** The last posts of a channel, with all that they say. What it does not tell of a post counts as 0. */
export async function readPosts(client: WASocket, chatId: string, count: number): Promise<ChannelPost[]> {
  const asked = { tag: 'messages', attrs: { type: 'jid', jid: chatId, count: String(count) } };
  const answer = await ask(client, 's.whatsapp.net', asked);
  return messagesIn(answer).map((message) => ({ ...toCounts(message), messageId: message.attrs['id'] ?? '' }));
}

/** What was done about the last posts of a channel, and nothing of what they say: of a hundred posts some kilobytes. */
export async function readCounts(client: WASocket, chatId: string, count: number): Promise<PostCounts[]> {
  const answer = await ask(client, chatId, { tag: 'message_updates', attrs: { count: String(count) } });
  return messagesIn(getBinaryNodeChild(answer, 'message_updates')).map(toCounts);
}

function ask(client: WASocket, to: string, asked: BinaryNode): Promise<BinaryNode> {
  const attrs = { id: client.generateMessageTag(), type: 'get', xmlns: 'newsletter', to };
  return client.query({ tag: 'iq', attrs, content: [asked] });
}

const messagesIn = (node: BinaryNode | undefined): BinaryNode[] =>
  getBinaryNodeChildren(getBinaryNodeChild(node, 'messages'), 'message');

function toCounts(message: BinaryNode): PostCounts {
  const reactions = getBinaryNodeChildren(getBinaryNodeChild(message, 'reactions'), 'reaction');
  return {
    serverId: serverIdOf(message.attrs),
    views: countIn(getBinaryNodeChild(message, 'views_count')),
    reactions: reactions.reduce((sum, reaction) => sum + countIn(reaction), 0),
  };
}

/** The number that the server has given a post, where these attributes say it. */
export function serverIdOf(attrs: BinaryNode['attrs']): number | undefined {
  const serverId = Number(attrs['server_id']);
  return Number.isSafeInteger(serverId) && serverId > 0 ? serverId : undefined;
}

function countIn(node: BinaryNode | undefined): number {
  const count = Number(node?.attrs['count']);
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}
