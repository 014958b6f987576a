/**
 * Sends one message to all members of a group whose devices can be written to. The client's own way fails for all of them when one
 * device has no keys, and says that a post left before it did, so the stanza is built here: the message encrypted once, and its key
 * for each device that does not have it yet.
 *
 *   find devices ──► take a place ──► encrypt ──► leave, be acknowledged ──► note who has the key
 *                                       │                  │
 *                            without keys: left out        └── stale (479, 421): forget, once more
 *
 * Nothing has left before `relay` is called, and its clock starts there. All that was encrypted is stored before that.
 */
import type { BinaryNode, GroupMetadata, proto } from 'baileys';
import type { RelayResult } from './relay.ts';
import type { Sending } from './sending.ts';

export interface ToMembers {
  chatId: string;
  messageId: string;
  message: proto.IMessage;
  /** How many are told as recipients when it is sent. */
  recipients: number;
  /** On the outside, such as the mark of a change. */
  attributes?: BinaryNode['attrs'];
}

/** A message to a group as it leaves. */
export interface EncryptedForMembers {
  stanza: BinaryNode;
  /** To be called when WhatsApp has taken it: who has got the group's key with it. */
  confirm(): Promise<void>;
}

/** Never rejects but with an OverloadError, when too many large groups are written to already. */
export type SendToMembers = (sending: Sending, to: ToMembers) => Promise<RelayResult>;
export type EncryptForMembers = (sending: Sending, group: GroupMetadata, to: ToMembers) => Promise<EncryptedForMembers>;
