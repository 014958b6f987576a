/** WhatsApp's messages: protobufs, whose fields are facts of the wire. */
import { encodeWAMessage, normalizeMessageContent, proto } from 'baileys';

export type Message = proto.IMessage;
export type ContextInfo = proto.IContextInfo;
/** Names a message from the point of view of its sender's phone. */
export type MessageKey = proto.IMessageKey;
export type EventMessage = proto.Message.IEventMessage;
export type PollCreation = proto.Message.IPollCreationMessage;

/** The types of a protocol message that change an earlier message. */
export const { REVOKE, MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type;

/** The association of a picture or film with the message that announces its album. */
export const { MEDIA_ALBUM } = proto.MessageAssociation.AssociationType;

/** The types of a message that pins another. */
export const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.Message.PinInChatMessage.Type;

/** The kind of a link preview: phones play no video within it. */
export const NO_PLAYER = proto.Message.ExtendedTextMessage.PreviewType.NONE;

export function encodeMessage(message: Message): Buffer {
  return Buffer.from(proto.Message.encode(message).finish());
}

export function decodeMessage(bytes: Uint8Array): Message {
  return proto.Message.decode(bytes);
}

export function decodeReaction(bytes: Uint8Array): proto.Message.IReactionMessage {
  return proto.Message.ReactionMessage.decode(bytes);
}

export function decodePollVote(bytes: Uint8Array): proto.Message.IPollVoteMessage {
  return proto.Message.PollVoteMessage.decode(bytes);
}

export function decodeEventResponse(bytes: Uint8Array): proto.Message.IEventResponseMessage {
  return proto.Message.EventResponseMessage.decode(bytes);
}

/** The bytes that are encrypted: the message, and a random number of bytes that hides its length. */
export function encodePadded(message: Message): Buffer {
  return encodeWAMessage(message);
}

/** The message inside of wrappers such as those for disappearing messages. */
export function unwrapMessage(message: Message): Message | undefined {
  return normalizeMessageContent(message);
}
