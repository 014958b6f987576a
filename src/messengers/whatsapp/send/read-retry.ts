/** What a device says that could not read a post, and asks for it again. Pure. */
import {
  extractE2ESessionFromRetryReceipt,
  getBinaryNodeChild,
  getBinaryNodeChildUInt,
  type BinaryNode,
  type SignalRepositoryWithLIDStore,
} from 'baileys';

export interface Retry {
  chatId: string;
  messageId: string;
  /** Who asks, as the group addresses it. */
  device: string;
  /** How often it has asked for this post, by its own count. */
  count: number;
  /** The mark of a change, if that is what it asks for. */
  edit: string | undefined;
  /** Of its encryption as it is now. */
  registrationId: number | undefined;
  /** To begin writing to it anew with. */
  keys: Keys | undefined;
}

type Keys = Parameters<SignalRepositoryWithLIDStore['injectE2ESession']>[0]['session'];

export function isRetryInGroup({ attrs: { type, from = '' } }: BinaryNode): boolean {
  return type === 'retry' && from.endsWith('@g.us');
}

/** Undefined for what says too little to be answered. */
export function readRetry(stanza: BinaryNode): Retry | undefined {
  const { from: chatId = '', id: messageId, participant: device, edit } = stanza.attrs;
  if (messageId === undefined || device === undefined) return undefined;
  const count = Number(getBinaryNodeChild(stanza, 'retry')?.attrs['count']);
  return {
    chatId,
    messageId,
    device,
    count: Number.isSafeInteger(count) && count > 0 ? count : 1,
    edit,
    registrationId: getBinaryNodeChildUInt(stanza, 'registration', 4),
    // The key that is used once may be missing, which its type does not say.
    keys: (extractE2ESessionFromRetryReceipt(stanza) as Keys | null) ?? undefined,
  };
}
