/** One post may be two messages: what does not fit below a file follows it. */
import { createHash } from 'node:crypto';
import { kindOf } from '../../media/sniff.ts';
import type { Post, PostMedia } from '../messenger.ts';

/** What goes out as one message. */
export interface PostPart {
  messageId: string;
  /** With media its caption, or nothing. */
  text: string;
  media: PostMedia | null;
}

/** In UTF-16 units. */
export const LONGEST_CAPTION = 1_024;

/**
 * The messages that make up a post, in the order in which they leave; all but the last have to be acknowledged before it does. The
 * last has the delivery's own id, so that whoever shows it, receives it or finds it proves all of the post.
 */
export function splitPost({ text, media }: Post, messageId: string): PostPart[] {
  if (!media || (kindOf(media.mime) !== 'audio' && text.length <= LONGEST_CAPTION)) return [{ messageId, text, media }];
  return [
    { messageId: fileIdOf(messageId), text: '', media },
    { messageId, text, media: null },
  ];
}

/** The id under which the file goes ahead of the text with this id; of WhatsApp's usual form, and the same in each try. */
export function fileIdOf(messageId: string): string {
  return `3EB0${createHash('sha256').update(`file of ${messageId}`).digest('hex').slice(0, 18).toUpperCase()}`;
}
