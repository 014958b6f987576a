import type { PostCard } from '../../messenger.ts';
import type { Group } from '../client/group.ts';
import { NO_PLAYER, type Message } from '../client/message.ts';
import type { Node } from '../client/node.ts';
import type { Uploaded } from '../files/uploads-table.ts';
import { ballotOf, encodeBallot } from './encode-ballot.ts';
import type { PostPart } from './split-post.ts';

/** Encodes a part of a post as a message; `uploaded` is its file, or the picture of its card. */
export function encodePart(
  { text, media, card, ballot }: PostPart,
  uploaded: Uploaded | undefined,
  group?: Group,
): Message {
  if (ballot) return encodeBallot(ballot, group);
  if (!media) return { extendedTextMessage: { text, ...(card && encodeCard(card, uploaded)) } };
  if (!uploaded) throw new Error('a file leaves that was not uploaded');
  const caption = text === '' ? {} : { caption: text };
  const { imageMessage, videoMessage, audioMessage, documentMessage } = uploaded.message;
  if (imageMessage) return { imageMessage: { ...imageMessage, ...caption } };
  if (videoMessage) return { videoMessage: { ...videoMessage, ...caption } };
  if (audioMessage) return { audioMessage };
  return { documentMessage: { ...documentMessage, ...caption, fileName: media.fileName, title: media.fileName } };
}

/** The fields of a text with a link preview, as WhatsApp's own clients set them. */
export function encodeCard({ url, title, description }: PostCard, uploaded: Uploaded | undefined): TextMessage {
  return {
    matchedText: url,
    title,
    ...(description !== '' && { description }),
    previewType: NO_PLAYER,
    ...uploaded?.message.extendedTextMessage,
  };
}

type TextMessage = NonNullable<Message['extendedTextMessage']>;

/** The attribute `mediatype` of a message; undefined for a text without a link preview, whose stanza is of type `text`. */
export function mediaTypeOf(message: Message): string | undefined {
  const { imageMessage, videoMessage, audioMessage, documentMessage, extendedTextMessage } = message;
  if (imageMessage) return 'image';
  if (videoMessage) return 'video';
  if (audioMessage) return 'audio';
  if (documentMessage) return 'document';
  return extendedTextMessage?.title ? 'url' : undefined;
}

/** The attributes of a stanza and of its content that say so. */
export function describeType(message: Message): {
  type: 'media' | 'text' | 'poll' | 'event';
  attributes: Node['attrs'];
} {
  const mediaType = mediaTypeOf(message);
  return mediaType === undefined
    ? { type: ballotOf(message) ?? 'text', attributes: {} }
    : { type: 'media', attributes: { mediatype: mediaType } };
}

/** Attributes of an `<enc>` node. A device that cannot decrypt an edit or a deletion must not show that it waits for a message. */
export const hideFailures = (edit: string | undefined): Node['attrs'] =>
  edit === undefined ? {} : { 'decrypt-fail': 'hide' };
