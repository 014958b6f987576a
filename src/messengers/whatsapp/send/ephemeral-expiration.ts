import type { Message } from '../client/message.ts';
import { addContextInfo } from './context-info.ts';

/**
 * Disappearing messages: sets after how many seconds the message disappears, as the group requires; undefined if it stays. Phones show
 * a message without the setting as one that will not disappear.
 */
export function setEphemeralExpiration(message: Message, expiration: number | undefined): Message {
  return expiration ? addContextInfo(message, { expiration }) : message;
}
