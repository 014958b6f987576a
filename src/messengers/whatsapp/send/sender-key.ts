import type { Client } from '../client/client.ts';
import type { Group } from '../client/group.ts';
import { userJidOf, type Jid } from '../client/jid.ts';
import type { Message } from '../client/message.ts';
import type { GroupSender } from '../client/signal.ts';

/** How a group addresses its members. */
export const addressingOf = ({ addressingMode = 'lid' }: Pick<Group, 'addressingMode'>) => addressingMode;

/** Returns the account as the sender in a group, which addresses people by LID or by phone number. */
export function senderIn({ me }: Pick<Client, 'me'>, group: Pick<Group, 'id' | 'addressingMode'>): GroupSender {
  const { id = '', lid } = me ?? {};
  return { group: group.id, meId: addressingOf(group) === 'lid' && lid !== undefined ? lid : id };
}

/** Whether a member of a group is the account itself. */
export const isOwn = ({ me }: Pick<Client, 'me'>, member: Jid) =>
  [me?.id, me?.lid].some((jid) => userJidOf(jid) === member);

/** The message that brings a sender key to a device. */
export const senderKeyMessage = (groupId: Jid, senderKey: Uint8Array): Message => ({
  senderKeyDistributionMessage: { groupId, axolotlSenderKeyDistributionMessage: senderKey },
});
