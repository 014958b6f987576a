import type { proto } from 'baileys';

/**
 * The message as a group takes it whose messages disappear after so many seconds; undefined: they stay. One that does not say so
 * itself is shown there as one that will not disappear.
 */
export function setEphemeralExpiration(message: proto.IMessage, expiration: number | undefined): proto.IMessage {
  if (!expiration) return message;
  const { extendedTextMessage: text, imageMessage: image, videoMessage: video } = message;
  const { audioMessage: audio, documentMessage: document } = message;
  const expiring = <Content extends { contextInfo?: proto.IContextInfo | null }>(content: Content): Content => ({
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
  };
}
