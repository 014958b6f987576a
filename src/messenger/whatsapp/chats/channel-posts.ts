import { getBinaryNodeChild, getBinaryNodeChildren, type BinaryNode, type WASocket } from 'baileys';

/** A post as its channel shows it. */
export interface ChannelPost {
  messageId: string;
  views: number;
  /** Of all signs together. */
  reactions: number;
}

/** The last posts of a channel. What it does not tell of a post counts as 0. */
export async function readPosts(client: WASocket, chatId: string, count: number): Promise<ChannelPost[]> {
  const answer = await client.query({
    tag: 'iq',
    attrs: { id: client.generateMessageTag(), type: 'get', xmlns: 'newsletter', to: 's.whatsapp.net' },
    content: [{ tag: 'messages', attrs: { type: 'jid', jid: chatId, count: String(count) } }],
  });
  return getBinaryNodeChildren(getBinaryNodeChild(answer, 'messages'), 'message').map(toPost);
}

function toPost(message: BinaryNode): ChannelPost {
  const reactions = getBinaryNodeChildren(getBinaryNodeChild(message, 'reactions'), 'reaction');
  return {
    messageId: message.attrs['id'] ?? '',
    views: countIn(getBinaryNodeChild(message, 'views_count')),
    reactions: reactions.reduce((sum, reaction) => sum + countIn(reaction), 0),
  };
}

function countIn(node: BinaryNode | undefined): number {
  const count = Number(node?.attrs['count']);
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}
