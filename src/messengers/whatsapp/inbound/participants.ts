/**
 * Who somebody is. WhatsApp names people by their number or by a hidden one, which it calls LID, and groups move from the one to the
 * other. The hidden one stays: it is what counts, wherever it is known.
 */
import { jidDecode, type GroupMetadata, type SignalKeyStore, type WASocket } from 'baileys';
import type { MemberEvent } from '../../messenger.ts';

/** At least one of them is there. */
export interface Ids {
  lid: string | undefined;
  number: string | undefined;
}

const LID_SERVERS: readonly string[] = ['lid', 'hosted.lid'];
const NUMBER_SERVERS: readonly string[] = ['s.whatsapp.net', 'c.us', 'hosted'];

/** The ids in these jids of one person, whichever device of theirs is named; undefined when there is none. */
export function readIds(jids: ReadonlyArray<string | undefined>): Ids | undefined {
  const decoded = jids.map((jid) => jidDecode(jid));
  const userOn = (servers: readonly string[]) =>
    decoded.find((one) => one && servers.includes(one.server) && /^\d{1,32}$/.test(one.user))?.user;
  const ids = { lid: userOn(LID_SERVERS), number: userOn(NUMBER_SERVERS) };
  return ids.lid === undefined && ids.number === undefined ? undefined : ids;
}

/** The account's own phone and other devices: nobody who was reached. */
export function isOwn({ authState }: Pick<WASocket, 'authState'>, { lid, number }: Ids): boolean {
  const own = readIds([authState.creds.me?.id, authState.creds.me?.lid]);
  return (lid !== undefined && lid === own?.lid) || (number !== undefined && number === own?.number);
}

export const lidName = (user: string): string => `${user}@lid`;
export const numberName = (user: string): string => `${user}@s.whatsapp.net`;

/** That a hidden number and a number are of one person. */
export function samePerson(accountId: number, lid: string, number: string): MemberEvent {
  return { kind: 'same', accountId, participant: lidName(lid), alias: numberName(number) };
}

/** What the description of a group tells about who its members are. */
export function peopleIn(group: GroupMetadata): Array<{ lid: string; number: string }> {
  return group.participants.flatMap(({ id, lid, phoneNumber }) => {
    const ids = readIds([id, lid, phoneNumber]);
    return ids?.lid !== undefined && ids.number !== undefined ? [{ lid: ids.lid, number: ids.number }] : [];
  });
}

/** What the client calls this in its key store. */
export const MAPPING = 'lid-mapping';
/** Ends the names of those that lead from a hidden number to a number. */
export const REVERSE = '_reverse';

/** The hidden number that belongs to a number, as far as the client has learned it. */
export async function findLid(keys: SignalKeyStore, number: string): Promise<string | undefined> {
  return (await keys.get(MAPPING, [number]))[number];
}

/** The number that belongs to a hidden number. */
export async function findNumber(keys: SignalKeyStore, lid: string): Promise<string | undefined> {
  const name = lid + REVERSE;
  return (await keys.get(MAPPING, [name]))[name];
}
