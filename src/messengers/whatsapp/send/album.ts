/**
 * Albums: the pictures and films of one post, shown together. A message announces how many there are, and each of them names it. Devices
 * that know no albums show them one by one.
 */
import { MEDIA_ALBUM, type Message } from '../client/message.ts';
import { albumIdOf, changeId, maskBetween } from './split-post.ts';

interface SentPart {
  messageId: string;
  message: Message;
}

const isShownInAlbum = ({ message }: SentPart) => Boolean(message.imageMessage ?? message.videoMessage);

/**
 * Puts the message that announces the album before the messages of a post. Those that belong to it get a mark, which is the same for all
 * groups, so that equal messages are stored once; `withAlbum` replaces it. Unchanged without two pictures or films.
 */
export function announceAlbum(parts: readonly SentPart[], postId: string): SentPart[] {
  const shown = parts.filter(isShownInAlbum);
  if (shown.length < 2) return [...parts];
  const videos = shown.filter(({ message }) => message.videoMessage).length;
  const album = { expectedImageCount: shown.length - videos, expectedVideoCount: videos };
  const children = parts.map((part) =>
    isShownInAlbum(part) ? { ...part, message: mark(part.message, maskBetween(postId, part.messageId)) } : part,
  );
  return [{ messageId: albumIdOf(postId), message: { albumMessage: album } }, ...children];
}

function mark(message: Message, messageIndex: number): Message {
  return {
    ...message,
    messageContextInfo: {
      ...message.messageContextInfo,
      messageAssociation: { associationType: MEDIA_ALBUM, messageIndex },
    },
  };
}

/** The message as it leaves for a chat: a marked one names the message that announces its album. */
export function withAlbum(message: Message, { chatId, messageId }: { chatId: string; messageId: string }): Message {
  const { messageAssociation } = message.messageContextInfo ?? {};
  if (messageAssociation?.associationType !== MEDIA_ALBUM) return message;
  const id = albumIdOf(changeId(messageId, messageAssociation.messageIndex ?? 0));
  const parentMessageKey = { remoteJid: chatId, fromMe: true, id };
  return {
    ...message,
    messageContextInfo: {
      ...message.messageContextInfo,
      messageAssociation: { associationType: MEDIA_ALBUM, parentMessageKey },
    },
  };
}
