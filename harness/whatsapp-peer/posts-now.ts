/** The posts that devices show now, after deletions and edits. */
import { proto } from 'baileys';
import { textIn } from './answer-channels.ts';
import { isAbout } from './is-about.ts';
import type { WhatsAppPeer } from './peer.ts';
import type { Arrival } from './state.ts';

/** Returns the texts of a chat by device, oldest first; a channel itself counts as a device. */
export function postsNow(peer: WhatsAppPeer, chatId: string): Map<string, string[]> {
  const { arrivals, world } = peer;
  const channel = world.channels.get(chatId);
  if (channel) return new Map([[chatId, channel.posts.map(({ message }) => textIn(message))]]);
  const devices = new Map<string, Map<string, string>>();
  for (const arrival of arrivals) {
    if (arrival.chatId !== chatId) continue;
    const posts = devices.get(arrival.device) ?? new Map<string, string>();
    devices.set(arrival.device, posts);
    const { protocolMessage, pinInChatMessage } = arrival.message;
    if (protocolMessage) change(peer, posts, arrival);
    else if (!pinInChatMessage) posts.set(arrival.messageId, arrival.text);
  }
  return new Map([...devices].map(([device, posts]) => [device, [...posts.values()]]));
}

/** An album as a device shows it. */
export interface ShownAlbum {
  /** Of the message that announces it. */
  announced: number;
  /** The texts of its pictures and films, oldest first. */
  captions: string[];
}

/** Returns the albums of a chat by device, oldest first, without those and without parts that were deleted. */
export function albumsNow(peer: WhatsAppPeer, chatId: string): Map<string, ShownAlbum[]> {
  const devices = Map.groupBy(
    peer.arrivals.filter((arrival) => arrival.chatId === chatId),
    ({ device }) => device,
  );
  return new Map([...devices].map(([device, shown]) => [device, albumsOf(peer, shown)]));
}

function albumsOf(peer: WhatsAppPeer, arrivals: readonly Arrival[]): ShownAlbum[] {
  const texts = new Map(arrivals.filter((one) => !one.message.protocolMessage).map((one) => [one.messageId, one.text]));
  for (const arrival of arrivals) change(peer, texts, arrival);
  return arrivals.flatMap(({ messageId, message: { albumMessage } }) => {
    if (!albumMessage || !texts.has(messageId)) return [];
    const parts = arrivals.filter(
      ({ message }) => message.messageContextInfo?.messageAssociation?.parentMessageKey?.id === messageId,
    );
    return [
      {
        announced: (albumMessage.expectedImageCount ?? 0) + (albumMessage.expectedVideoCount ?? 0),
        captions: parts.flatMap((part) => texts.get(part.messageId) ?? []),
      },
    ];
  });
}

function change(peer: WhatsAppPeer, posts: Map<string, string>, arrival: Arrival): void {
  const { key, type, editedMessage } = arrival.message.protocolMessage ?? {};
  const id = key?.id ?? '';
  const { REVOKE, MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type;
  if (!posts.has(id) || !key || !isAbout(peer, arrival, key)) return;
  if (type === REVOKE) posts.delete(id);
  if (type === MESSAGE_EDIT && key.fromMe) posts.set(id, textIn(editedMessage ?? {}));
}
