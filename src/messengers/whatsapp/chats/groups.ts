import type { MessengerGroup } from '../../messenger.ts';
import type { Client } from '../client/client.ts';
import type { Group } from '../client/group.ts';
import { parseJid, toJid } from '../client/jid.ts';

/** All groups and communities of the account. An announcement group is listed as its community. */
export async function listGroupChats(client: Client): Promise<MessengerGroup[]> {
  const all = await client.fetchGroups();
  const announcements = new Map(
    all.flatMap((group) => (group.isCommunityAnnounce && group.linkedParent ? [[group.linkedParent, group]] : [])),
  );
  const listed = all.filter((group) => !(group.isCommunityAnnounce && group.linkedParent));
  return listed.map((group) =>
    group.isCommunity ? toCommunity(client, group, announcements.get(group.id)) : toGroup(client, group, null),
  );
}

/** `participants` are digits. WhatsApp leaves out unknown numbers, and people who may not be added. */
export async function createGroupChat(
  client: Client,
  { name, participants }: { name: string; participants: readonly string[] },
): Promise<MessengerGroup> {
  const jids = participants.map((number) => toJid(number, 's.whatsapp.net'));
  const group = await client.createGroup(name, jids);
  return toGroup(client, group, await inviteLinkOf(client, group.id));
}

/** Undefined: the community was created, and WhatsApp did not say which it is. */
export async function createCommunityChats(
  client: Client,
  { name, description }: { name: string; description: string },
): Promise<MessengerGroup | undefined> {
  const community = await client.createCommunity(name, description);
  if (!community) return undefined;
  return toCommunity(client, community, await findAnnouncements(client, community.id));
}

async function findAnnouncements(client: Client, communityId: string): Promise<Group | undefined> {
  for (const chatId of await client.fetchLinkedGroups(communityId)) {
    const group = await client.fetchGroup(chatId);
    if (group.isCommunityAnnounce) return group;
  }
  return undefined;
}

/** Null on failure: the group exists, with or without a link. */
async function inviteLinkOf(client: Client, chatId: string): Promise<string | null> {
  const code = await client.fetchInviteCode(chatId).catch(() => undefined);
  return code === undefined ? null : `https://chat.whatsapp.com/${code}`;
}

function toGroup(client: Client, group: Group, inviteLink: string | null): MessengerGroup {
  return {
    chatId: group.id,
    sendTo: group.id,
    kind: 'group',
    name: group.subject,
    participants: sizeOf(group),
    inviteLink,
    canSend: mayPost(client, group),
    createdAt: new Date((group.creation ?? 0) * 1_000),
  };
}

function toCommunity(client: Client, community: Group, announcements: Group | undefined): MessengerGroup {
  return {
    ...toGroup(client, community, null),
    kind: 'community',
    sendTo: announcements?.id ?? community.id,
    participants: sizeOf(announcements ?? community),
    canSend: announcements !== undefined && mayPost(client, announcements),
  };
}

/** The number of members, the account included. Large groups do not show all participants. */
export function sizeOf(group: Group): number {
  return Math.max(group.size ?? 0, group.participants.length);
}

export function mayPost({ me }: Pick<Client, 'me'>, group: Group): boolean {
  if (group.isCommunity) return false;
  if (!group.announce) return true;
  const isSame = (one: string, own: string | undefined) => parseJid(one)?.user === parseJid(own)?.user;
  const own = group.participants.find(
    ({ id, phoneNumber }) => isSame(id, me?.lid) || isSame(phoneNumber ?? id, me?.id),
  );
  return own?.admin === 'admin' || own?.admin === 'superadmin';
}
