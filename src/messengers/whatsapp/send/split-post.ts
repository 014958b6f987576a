/** One post may be two messages: what does not fit below a file follows it. */
import { kindOf } from '../../../content/media/sniff.ts';
import type { Post, PostMedia } from '../../messenger.ts';

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

/** The ids that deliveries have: the client's usual mark, and digits drawn at random. */
const ID = /^(3EB0)([0-9A-F]{18})$/;

/** The id under which the file goes ahead of the text with this id, the same in each try. Throws for what is no delivery's id. */
export function fileIdOf(messageId: string): string {
  const id = otherIdOf(messageId);
  if (id === undefined) throw new Error(`no file can go ahead of a message with the id ${messageId}`);
  return id;
}

/**
 * The id of the text that follows a file with this id, if it is one: whether there is such a delivery, the ledger knows. Undefined
 * for an id that no file of ours has.
 */
export function textIdOf(messageId: string): string | undefined {
  return otherIdOf(messageId);
}

/** Turns each digit into the one that is missing to F: done twice it is the first id again, so nothing has to be stored. */
function otherIdOf(messageId: string): string | undefined {
  const [, mark, digits] = ID.exec(messageId) ?? [];
  return digits && mark + digits.replaceAll(/./g, (digit) => (15 - parseInt(digit, 16)).toString(16).toUpperCase());
}
