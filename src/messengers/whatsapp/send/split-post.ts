/** One post may be two messages: a file, and a text that is too long for its caption. */
import { kindOf } from '../../../content/media/sniff.ts';
import type { EventExtra, PollExtra } from '../../../content/post/ballot.ts';
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

/** In UTF-16 units. */
export const LONGEST_CAPTION = 1_024;

/**
 * The messages of a post, in the order in which they leave. The last has the delivery's own id, and leaves when the others are
 * acknowledged, so that it proves the whole post.
 */
export function splitPost({ text, media, card, extras }: Post, messageId: string): PostPart[] {
  const { poll, event } = extras ?? {};
  const alone = { messageId, text: '', media: null, card: undefined };
  if (poll) return [{ ...alone, ballot: { poll } }];
  if (event) return [{ ...alone, ballot: { event } }];
  const isOneMessage = !media || text === '' || (kindOf(media.mime) !== 'audio' && text.length <= LONGEST_CAPTION);
  if (isOneMessage) return [{ messageId, text, media, card: media ? undefined : card }];
  return [
    { messageId: fileIdOf(messageId), text: '', media, card: undefined },
    { messageId, text, media: null, card },
  ];
}

/** The ids of deliveries: the prefix of WhatsApp Web, and 18 digits. */
const ID = /^(3EB0)([0-9A-F]{18})$/;

/** The message id of the file that goes ahead of this text, the same in each attempt. Throws if it is no delivery's id. */
export function fileIdOf(messageId: string): string {
  const id = textIdOf(messageId);
  if (id === undefined) throw new Error(`no file can go ahead of a message with the id ${messageId}`);
  return id;
}

/**
 * The id of the text that follows the file with this id; undefined for an id that none of our files has. Replaces each digit by its
 * complement to F: applied twice it returns the first id, so nothing has to be stored.
 */
export function textIdOf(messageId: string): string | undefined {
  const [, mark, digits] = ID.exec(messageId) ?? [];
  return digits && mark + digits.replaceAll(/./g, (digit) => (15 - parseInt(digit, 16)).toString(16).toUpperCase());
}
