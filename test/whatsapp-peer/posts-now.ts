/** What devices show now, after all that was deleted or edited. */
import { proto } from 'baileys';
import { textIn } from './answer-channels.ts';
import type { WhatsAppPeer } from './peer.ts';

/** By device the texts of a chat, oldest first; a channel shows them by itself. */
export function postsNow({ arrivals, world }: WhatsAppPeer, chatId: string): Map<string, string[]> {
  const channel = world.channels.get(chatId);
  if (channel) return new Map([[chatId, channel.posts.map(({ message }) => textIn(message))]]);
  const devices = new Map<string, Map<string, string>>();
  for (const arrival of arrivals) {
    if (arrival.chatId !== chatId) continue;
    const posts = devices.get(arrival.device) ?? new Map<string, string>();
    devices.set(arrival.device, posts);
    const { protocolMessage } = arrival.message;
    if (protocolMessage) change(posts, protocolMessage);
    else posts.set(arrival.messageId, arrival.text);
  }
  return new Map([...devices].map(([device, posts]) => [device, [...posts.values()]]));
}

function change(posts: Map<string, string>, { key, type, editedMessage }: proto.Message.IProtocolMessage): void {
  const id = key?.id ?? '';
  const { REVOKE, MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type;
  // A phone shows no change of what it does not have, or was not sent by the same person.
  if (!posts.has(id) || !key?.fromMe) return;
  if (type === REVOKE) posts.delete(id);
  if (type === MESSAGE_EDIT) posts.set(id, textIn(editedMessage ?? {}));
}
