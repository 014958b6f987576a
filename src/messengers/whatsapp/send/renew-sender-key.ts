/** Rotation of the account's sender key in a group: members who left or were removed must not read later posts. */
import type { Group } from '../client/group.ts';
import { userJidOf } from '../client/jid.ts';
import type { KeyHolders } from './member-cache.ts';
import { senderIn } from './sender-key.ts';
import type { Sending } from './sending.ts';

const MAX_AGE_MS = 30 * 24 * 60 * 60_000;

/** Returns the recorded holders of the group's sender key: none after the key was dropped, so that the next post distributes a new one. */
export async function renewSenderKey({ client, members, log }: Sending, group: Group): Promise<KeyHolders> {
  const known = await members.keyHolders(group.id);
  if (Object.keys(known).length === 0) return known;
  const ageMs = Date.now() - (await members.keyCreatedAtMs(group.id));
  const hasDeparted = departedHolders(group, known).length > 0;
  if (ageMs < (hasDeparted ? members.keyMinAgeMs : MAX_AGE_MS)) return known;
  // In this order: a process that dies in between distributes the old key once more, and no device waits for a key that is gone.
  await members.recordKeyHolders(group.id, null);
  await client.signal.transaction(() => client.signal.dropSenderKey(senderIn(client, group)));
  log.info({ chatId: group.id, hasDeparted }, 'the sender key of a group is renewed');
  return {};
}

/** Devices that hold the key and whose owners are no longer members. */
export function departedHolders({ participants }: Group, holders: KeyHolders): Array<[jid: string, phone: number]> {
  const present = new Set(participants.map(({ id }) => userJidOf(id)));
  return Object.entries(holders).filter(([jid]) => !present.has(userJidOf(jid)));
}
