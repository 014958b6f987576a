/** Rotation of the account's sender key in a group: members who left or were removed must not read later posts. */
import type { Group } from '../client/group.ts';
import { parseJid, userJidOf } from '../client/jid.ts';
import type { KeyHolders } from './member-cache.ts';
import { addressingOf, senderIn } from './sender-key.ts';
import type { Sending } from './sending.ts';

/**
 * Returns the holders of the group's sender key, those who departed among them. None if the next post creates another key: the first
 * one, one in place of a key that departed members hold, or one in place of an old key.
 */
export async function renewSenderKey(sending: Sending, group: Group): Promise<KeyHolders> {
  const { members, log } = sending;
  const [holders, createdAtMs] = [await members.keyHolders(group.id), await members.keyCreatedAtMs(group.id)];
  if (createdAtMs === undefined) {
    await members.recordKeyCreated(group.id);
    return holders;
  }
  const hasDeparted = Object.keys(departedHolders(group, holders)).length > 0;
  if (Date.now() - createdAtMs < (hasDeparted ? members.keyMinAgeMs : members.keyMaxAgeMs)) return holders;
  log.info({ chatId: group.id, hasDeparted }, 'the sender key of a group is renewed');
  await dropSenderKey(sending, group, holders);
  return {};
}

/**
 * The next post creates another key and distributes it to all devices. In this order: a process that dies in between distributes the
 * old key once more and then renews it, and no device waits for a key that is gone.
 */
export async function dropSenderKey(
  { client: { signal, me }, members }: Sending,
  group: Group,
  holders: KeyHolders,
): Promise<void> {
  await members.recordKeyHolders(group.id, departedHolders(group, holders));
  await signal.transaction(() => signal.dropSenderKey(senderIn({ me }, group)));
  await members.recordKeyCreated(group.id);
}

/** The holders whose owners are no longer members. A group that addresses its members in another way now has another key, too. */
export function departedHolders(group: Group, holders: KeyHolders): KeyHolders {
  const present = new Set(group.participants.map(({ id }) => userJidOf(id)));
  const server = addressingOf(group) === 'lid' ? 'lid' : 's.whatsapp.net';
  const hasDeparted = (jid: string) => parseJid(jid)?.server === server && !present.has(userJidOf(jid));
  return Object.fromEntries(Object.entries(holders).filter(([jid]) => hasDeparted(jid)));
}
