/** Under which id a person is counted. */
import type { Client } from '../client/client.ts';
import type { Group } from '../client/group.ts';
import type { Jid } from '../client/jid.ts';
import { findLid, lidName, numberName, peopleIn, type Ids } from './participants.ts';

/** Where ids of members are found. */
export interface Known {
  client: Pick<Client, 'lids'>;
  /** The cached metadata of a group. */
  cachedGroup(chatId: Jid): Group | undefined;
}

/** Returns how a person is counted. A new pair of their ids is reported when it is stored. */
export async function identify(known: Known, chatId: Jid, ids: Ids) {
  const { number } = ids;
  const lid = ids.lid ?? (number === undefined ? undefined : await resolveLid(known, chatId, number));
  if (lid !== undefined && number !== undefined) await known.client.lids.store([{ lid, number }]);
  const participant = lid === undefined ? numberName(number ?? '') : lidName(lid);
  return { participant, isProvisional: lid === undefined };
}

/** Returns both ids of a person, as far as they are known. */
export async function completeIds(known: Known, chatId: Jid, ids: Ids): Promise<Ids> {
  const { lid, number } = ids;
  if (lid === undefined) return { lid: await resolveLid(known, chatId, number ?? ''), number };
  return { lid, number: number ?? (await resolveNumber(known, chatId, lid)) };
}

async function resolveLid({ client, cachedGroup }: Known, chatId: Jid, number: string) {
  const learned = await findLid(client.lids, number);
  if (learned !== undefined) return learned;
  const group = cachedGroup(chatId);
  return group && peopleIn(group).find((person) => person.number === number)?.lid;
}

async function resolveNumber({ client, cachedGroup }: Known, chatId: Jid, lid: string) {
  const group = cachedGroup(chatId);
  const listed = group && peopleIn(group).find((person) => person.lid === lid)?.number;
  return listed ?? (await client.lids.findNumber(lid));
}
