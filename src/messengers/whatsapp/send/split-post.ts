/** One post may be several messages: its files, and a text that no file can bear as its caption. */
import type { EventExtra, PollExtra } from '../../../content/post/ballot.ts';
import { kindOf } from '../../../content/media/sniff.ts';
import { isCaption } from '../../../content/text/caption.ts';
import type { Post, PostCard, PostMedia } from '../../messenger.ts';

/** One message of a post. */
export interface PostPart {
  messageId: string;
  /** With media the caption, which may be empty. */
  text: string;
  media: PostMedia | null;
  /** A poll or an event, which is a message of its own. */
  ballot?: Ballot;
  /** Only of a text that is a message of its own. */
  card: PostCard | undefined;
}

export type Ballot = { poll: PollExtra } | { event: EventExtra };

/**
 * The messages of a post, in the order in which they leave. The text is the caption of the first file, or follows the files. The last
 * message has the delivery's own id, and leaves when the others are acknowledged, so that it proves the whole post.
 */
export function splitPost(post: Post, messageId: string): PostPart[] {
  const { text, media, card, extras, further = [] } = post;
  const { poll, event } = extras ?? {};
  const alone = { messageId, text: '', media: null, card: undefined };
  if (poll) return [{ ...alone, ballot: { poll } }];
  if (event) return [{ ...alone, ballot: { event } }];
  const files = media ? [media, ...further] : [];
  const bearsText = isCaption(text, media);
  const messages = [
    ...files.map((file, index) => ({
      text: file.caption ?? (index === 0 && bearsText ? text : ''),
      media: file,
      card: undefined,
    })),
    ...((text !== '' && !bearsText) || files.length === 0 ? [{ text, media: null, card }] : []),
  ];
  return messages.map((message, index) => ({
    ...message,
    messageId: index === messages.length - 1 ? messageId : changeId(messageId, fileMask(index)),
  }));
}

/** The ids of deliveries: the prefix of WhatsApp Web, and 18 digits. */
const ID = /^(3EB0)([0-9A-F]{18})$/;

/**
 * The ids of the other messages of a post are the delivery's id with each digit changed by a mask (exclusive or). The masks are constant,
 * so that the ids are the same in each attempt, and a mask applied twice returns the first id, so that nothing has to be stored.
 */
const ALBUM_MASK = 1;
const MOST_FILES = 10;
const fileMask = (index: number) => 15 - index;
const FILE_MASKS = Array.from({ length: MOST_FILES }, (_, index) => fileMask(index));
/** Files come before the album that they belong to. */
const MASKS = [...FILE_MASKS, ALBUM_MASK];

/** The ids that messages of this post other than the last one may have. Throws if it is no delivery's id. */
export function partIdsOf(messageId: string): string[] {
  return MASKS.map((mask) => changeId(messageId, mask));
}

/** The ids that the messages of this post have, its album among them, as `partIdsOf` orders them. */
export function splitIds(post: Post, messageId: string): string[] {
  const parts = splitPost(post, messageId);
  const shown = parts.filter(({ media }) => media && ['image', 'video'].includes(kindOf(media.mime)));
  return [...parts.map((part) => part.messageId), ...(shown.length > 1 ? [albumIdOf(messageId)] : [])];
}

/** The id of the first message of a post of several messages. */
export function firstFileIdOf(messageId: string): string {
  return changeId(messageId, fileMask(0));
}

/** The id of the message that announces the album of a post. */
export function albumIdOf(messageId: string): string {
  return changeId(messageId, ALBUM_MASK);
}

/** The ids that a post may have of which this is the id of a message; none for an id that no message of ours has. */
export function postIdsOf(messageId: string): string[] {
  return ID.test(messageId) ? partIdsOf(messageId) : [];
}

/** The mask between the id of a post and the id of one of its messages; 0 for the post's own. */
export function maskBetween(postId: string, messageId: string): number {
  return parseInt(postId.at(-1) ?? '', 16) ^ parseInt(messageId.at(-1) ?? '', 16);
}

/** Applies a mask to an id; undoes it as well. Throws if it is no delivery's id. */
export function changeId(messageId: string, mask: number): string {
  const [, mark, digits] = ID.exec(messageId) ?? [];
  if (digits === undefined) throw new Error(`no message belongs to the post with the id ${messageId}`);
  return mark + digits.replaceAll(/./g, (digit) => (parseInt(digit, 16) ^ mask).toString(16).toUpperCase());
}
