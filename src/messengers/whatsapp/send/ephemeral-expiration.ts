import type { ContextInfo, Message } from '../client/message.ts';
import { mapPoll } from './encode-ballot.ts';

/**
 * Disappearing messages: sets after how many seconds the message disappears, as the group requires; undefined if it stays. Phones show
 * a message without the setting as one that will not disappear.
 */
export function setEphemeralExpiration(message: Message, expiration: number | undefined): Message {
  if (!expiration) return message;
  const { extendedTextMessage: text, imageMessage: image, videoMessage: video } = message;
  const { audioMessage: audio, documentMessage: document, eventMessage: event } = message;
  const expiring = <Content extends { contextInfo?: ContextInfo | null }>(content: Content): Content => ({
    ...content,
    contextInfo: { ...content.contextInfo, expiration },
  });
  return {
    ...message,
    ...(text && { extendedTextMessage: expiring(text) }),
    ...(image && { imageMessage: expiring(image) }),
    ...(video && { videoMessage: expiring(video) }),
    ...(audio && { audioMessage: expiring(audio) }),
    ...(document && { documentMessage: expiring(document) }),
    ...(event && { eventMessage: expiring(event) }),
    ...mapPoll(message, expiring),
  };
}
