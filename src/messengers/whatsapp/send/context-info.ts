import { kindOf } from '../../../content/media/sniff.ts';
import type { Destination, QuotedPost } from '../../messenger.ts';
import type { Client } from '../client/client.ts';
import type { Group } from '../client/group.ts';
import { userJidOf } from '../client/jid.ts';
import type { ContextInfo, Message } from '../client/message.ts';
import { mapPoll } from './encode-ballot.ts';
import { senderIn } from './sender-key.ts';

/** The bit of `nonJidMentions` that mentions everybody. */
const MENTION_ALL = 1;

/** Adds to the context of a message: what it quotes, whom it mentions, when it disappears. */
export function addContextInfo(message: Message, info: ContextInfo): Message {
  const { extendedTextMessage: text, imageMessage: image, videoMessage: video } = message;
  const { audioMessage: audio, documentMessage: document, albumMessage: album, eventMessage: event } = message;
  const within = <Content extends { contextInfo?: ContextInfo | null }>(content: Content): Content => ({
    ...content,
    contextInfo: { ...content.contextInfo, ...info },
  });
  return {
    ...message,
    ...(text && { extendedTextMessage: within(text) }),
    ...(image && { imageMessage: within(image) }),
    ...(video && { videoMessage: within(video) }),
    ...(audio && { audioMessage: within(audio) }),
    ...(document && { documentMessage: within(document) }),
    ...(album && { albumMessage: within(album) }),
    ...(event && { eventMessage: within(event) }),
    ...mapPoll(message, within),
  };
}

/** The context of a post that mentions everybody, or quotes an earlier post of the account. Undefined if it does neither. */
export function contextOf(
  client: Pick<Client, 'me'>,
  group: Group,
  { mentionAll, quote }: Pick<Destination, 'mentionAll' | 'quote'>,
): ContextInfo | undefined {
  if (!mentionAll && !quote) return undefined;
  return {
    ...(mentionAll && { nonJidMentions: MENTION_ALL }),
    ...(quote && {
      stanzaId: quote.messageId,
      participant: userJidOf(senderIn(client, group).meId),
      quotedMessage: toQuoted(quote),
    }),
  };
}

/** Phones that have the quoted post show their own copy of it, and the others show this. */
function toQuoted({ text, mime, fileName }: QuotedPost): Message {
  if (mime === null) return { conversation: text };
  const caption = text === '' ? {} : { caption: text };
  switch (kindOf(mime)) {
    case 'image':
      return { imageMessage: { mimetype: mime, ...caption } };
    case 'video':
      return { videoMessage: { mimetype: mime, ...caption } };
    case 'audio':
      return text === '' ? { audioMessage: { mimetype: mime } } : { conversation: text };
    default:
      return { documentMessage: { mimetype: mime, fileName, title: fileName, ...caption } };
  }
}

/** Whether a message that was sent mentions everybody. */
export function mentionsAll({ extendedTextMessage, imageMessage, videoMessage, documentMessage }: Message): boolean {
  const content = extendedTextMessage ?? imageMessage ?? videoMessage ?? documentMessage;
  return ((content?.contextInfo?.nonJidMentions ?? 0) & MENTION_ALL) !== 0;
}
