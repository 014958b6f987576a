/**
 * The ids of people: a phone number, and a hidden number (LID). Groups move from phone numbers to LIDs. People count under their LID
 * where it is known, since it never changes.
 */
import type { MemberEvent } from '../../messenger.ts';
import type { Client, LidMapping, LidMappings } from '../client/client.ts';
import type { Group } from '../client/group.ts';
import { parseJid } from '../client/jid.ts';
import type { AccountId } from '../../../platform/database/schema.ts';

/** At least one of them is defined. */
export interface Ids {
  lid: string | undefined;
  number: string | undefined;
}

const LID_SERVERS: readonly string[] = ['lid', 'hosted.lid'];
const NUMBER_SERVERS: readonly string[] = ['s.whatsapp.net', 'c.us', 'hosted'];

/** The ids in these JIDs of one person, or of a device of theirs; undefined when there is none. */
export function readIds(jids: ReadonlyArray<string | undefined>): Ids | undefined {
  const decoded = jids.map((jid) => parseJid(jid));
  const userOn = (servers: readonly string[]) =>
    decoded.find((one) => one && servers.includes(one.server) && /^\d{1,32}$/.test(one.user))?.user;
  const ids = { lid: userOn(LID_SERVERS), number: userOn(NUMBER_SERVERS) };
  return ids.lid === undefined && ids.number === undefined ? undefined : ids;
}

/** Whether these are the account's own ids: its phone and devices are not members who were reached. */
export function isOwn({ me }: Pick<Client, 'me'>, ids: Ids): boolean {
  const own = readIds([me?.id, me?.lid]);
  return own !== undefined && isSame(own, ids);
}

/** Whether these are ids of one person, as far as they are known. */
export function isSame(one: Ids, { lid, number }: Ids): boolean {
  return (lid !== undefined && lid === one.lid) || (number !== undefined && number === one.number);
}

export const lidName = (user: string): string => `${user}@lid`;
export const numberName = (user: string): string => `${user}@s.whatsapp.net`;

/** The event that a LID and a phone number belong to one person. */
export function samePerson(accountId: AccountId, lid: string, number: string): MemberEvent {
  return { kind: 'same', accountId, participant: lidName(lid), alias: numberName(number) };
}

/** The pairs of LIDs and phone numbers in a group's metadata. */
export function peopleIn(group: Group): LidMapping[] {
  return group.participants.flatMap(({ id, lid, phoneNumber }) => {
    const ids = readIds([id, lid, phoneNumber]);
    return ids?.lid !== undefined && ids.number !== undefined ? [{ lid: ids.lid, number: ids.number }] : [];
  });
}

/** The LID that belongs to a number, as far as the account has learned it. */
export async function findLid(lids: LidMappings, number: string): Promise<string | undefined> {
  return (await lids.findLids([number])).get(number);
}
