import { isGroup, type Jid } from '../client/jid.ts';
import { childOf, type Node } from '../client/node.ts';
import { readPreKeysOfRetry, readUint, type PreKeyBundle } from '../client/pre-keys.ts';

/** A retry receipt: a device could not decrypt a post, and asks for it again. */
export interface Retry {
  chatId: Jid;
  messageId: string;
  /** The device that asks, as the group addresses it. */
  device: Jid;
  /** How often it has asked for this post, by its own count. */
  count: number;
  /** The attribute `edit` of the message, if that was an edit or a deletion. */
  edit: string | undefined;
  /** The device's present registration id. */
  registrationId: number | undefined;
  /** The keys for a new session with it. */
  keys: PreKeyBundle | undefined;
}

export function isRetryInGroup({ attrs: { type, from = '' } }: Node): boolean {
  return type === 'retry' && isGroup(from);
}

/** Undefined if required attributes are missing. */
export function readRetry(stanza: Node): Retry | undefined {
  const { from: chatId = '', id: messageId, participant: device, edit } = stanza.attrs;
  if (messageId === undefined || device === undefined) return undefined;
  const count = Number(childOf(stanza, 'retry')?.attrs['count']);
  return {
    chatId,
    messageId,
    device,
    count: Number.isSafeInteger(count) && count > 0 ? count : 1,
    edit,
    registrationId: readUint(childOf(stanza, 'registration'), 4),
    keys: readPreKeysOfRetry(stanza),
  };
}
