import type { Client } from '../client/client.ts';
import type { Jid } from '../client/jid.ts';
import type { Message } from '../client/message.ts';
import type { GroupSender } from '../client/signal.ts';

/** The account as the sender in a group that addresses people by LID or by phone number. */
export function senderIn({ me }: Pick<Client, 'me'>, group: Jid, isByLid: boolean): GroupSender {
  const { id = '', lid } = me ?? {};
  return { group, meId: isByLid && lid !== undefined ? lid : id };
}

/** The message that brings a sender key to a device. */
export const senderKeyMessage = (groupId: Jid, senderKey: Uint8Array): Message => ({
  senderKeyDistributionMessage: { groupId, axolotlSenderKeyDistributionMessage: senderKey },
});
