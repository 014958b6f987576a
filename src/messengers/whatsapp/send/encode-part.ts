import type { Group } from '../client/group.ts';
import type { Message } from '../client/message.ts';
import type { Node } from '../client/node.ts';
import type { Uploaded } from '../files/uploads-table.ts';
import { ballotOf, encodeBallot } from './encode-ballot.ts';
import type { PostPart } from './split-post.ts';

/** Encodes a part of a post as a message; `uploaded` is its file. */
export function encodePart({ text, media, ballot }: PostPart, uploaded: Uploaded | undefined, group?: Group): Message {
  if (ballot) return encodeBallot(ballot, group);
  if (!media || !uploaded) return { extendedTextMessage: { text } };
  const caption = text === '' ? {} : { caption: text };
  const { imageMessage, videoMessage, audioMessage, documentMessage } = uploaded.message;
  if (imageMessage) return { imageMessage: { ...imageMessage, ...caption } };
  if (videoMessage) return { videoMessage: { ...videoMessage, ...caption } };
  if (audioMessage) return { audioMessage };
  return { documentMessage: { ...documentMessage, ...caption, fileName: media.fileName, title: media.fileName } };
}

export function isFile({ imageMessage, videoMessage, audioMessage, documentMessage }: Message): boolean {
  return [imageMessage, videoMessage, audioMessage, documentMessage].some((file) => file);
}

/** The attribute `mediatype` of a file's message. */
export function mediaTypeOf({ imageMessage, videoMessage, audioMessage }: Message): string {
  if (imageMessage) return 'image';
  if (videoMessage) return 'video';
  return audioMessage ? 'audio' : 'document';
}

/** The attribute `type` of a stanza. */
export function stanzaTypeOf(message: Message): string {
  return isFile(message) ? 'media' : (ballotOf(message) ?? 'text');
}

/** Attributes of an `<enc>` node. A device that cannot decrypt an edit or a deletion must not show that it waits for a message. */
export const hideFailures = (edit: string | undefined): Node['attrs'] =>
  edit === undefined ? {} : { 'decrypt-fail': 'hide' };
