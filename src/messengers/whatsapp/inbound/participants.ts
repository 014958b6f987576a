/**
 * Who somebody is. WhatsApp names people by their number or by a hidden one, which it calls LID, and groups move from the one to the
 * other. The hidden one stays: it is what counts, wherever it is known.
 */
import type { MemberEvent } from '../../messenger.ts';
import type { Client, LidMapping, LidMappings } from '../client/client.ts';
import type { Group } from '../client/group.ts';
import { parseJid } from '../client/jid.ts';

/** At least one of them is there. */
export interface Ids {
  lid: string | undefined;
  number: string | undefined;
}

const LID_SERVERS: readonly string[] = ['lid', 'hosted.lid'];
const NUMBER_SERVERS: readonly string[] = ['s.whatsapp.net', 'c.us', 'hosted'];

/** The ids in these jids of one person, whichever device of theirs is named; undefined when there is none. */
export function readIds(jids: ReadonlyArray<string | undefined>): Ids | undefined {
  const decoded = jids.map((jid) => parseJid(jid));
  const userOn = (servers: readonly string[]) =>
    decoded.find((one) => one && servers.includes(one.server) && /^\d{1,32}$/.test(one.user))?.user;
  const ids = { lid: userOn(LID_SERVERS), number: userOn(NUMBER_SERVERS) };
  return ids.lid === undefined && ids.number === undefined ? undefined : ids;
}

/** The account's own phone and other devices: nobody who was reached. */
export function isOwn({ me }: Pick<Client, 'me'>, { lid, number }: Ids): boolean {
  const own = readIds([me?.id, me?.lid]);
  return (lid !== undefined && lid === own?.lid) || (number !== undefined && number === own?.number);
}

export const lidName = (user: string): string => `${user}@lid`;
export const numberName = (user: string): string => `${user}@s.whatsapp.net`;

/** That a hidden number and a number are of one person. */
export function samePerson(accountId: number, lid: string, number: string): MemberEvent {
  return { kind: 'same', accountId, participant: lidName(lid), alias: numberName(number) };
}

/** What the description of a group tells about who its members are. */
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
