/** The posts that devices show now, after deletions and edits. */
import { proto } from 'baileys';
import { textIn } from './answer-channels.ts';
import type { WhatsAppPeer } from './peer.ts';

/** Returns the texts of a chat by device, oldest first; a channel itself counts as a device. */
export function postsNow({ arrivals, world }: WhatsAppPeer, chatId: string): Map<string, string[]> {
  const channel = world.channels.get(chatId);
  if (channel) return new Map([[chatId, channel.posts.map(({ message }) => textIn(message))]]);
  const devices = new Map<string, Map<string, string>>();
  for (const arrival of arrivals) {
    if (arrival.chatId !== chatId) continue;
    const posts = devices.get(arrival.device) ?? new Map<string, string>();
    devices.set(arrival.device, posts);
    const { protocolMessage, pinInChatMessage } = arrival.message;
    if (protocolMessage) change(posts, protocolMessage);
    else if (!pinInChatMessage) posts.set(arrival.messageId, arrival.text);
  }
  return new Map([...devices].map(([device, posts]) => [device, [...posts.values()]]));
}

function change(posts: Map<string, string>, { key, type, editedMessage }: proto.Message.IProtocolMessage): void {
  const id = key?.id ?? '';
  const { REVOKE, MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type;
  // A phone ignores changes of posts that it does not have, or that another person sent.
  if (!posts.has(id) || !key?.fromMe) return;
  if (type === REVOKE) posts.delete(id);
  if (type === MESSAGE_EDIT) posts.set(id, textIn(editedMessage ?? {}));
}
