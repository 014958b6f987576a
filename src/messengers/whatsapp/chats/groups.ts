import { areJidsSameUser, jidEncode, type GroupMetadata, type WASocket } from 'baileys';
import type { MessengerGroup } from '../../messenger.ts';

/** All groups and communities the account is in. An announcement group is answered as its community, and not by itself. */
export async function listGroupChats(client: WASocket): Promise<MessengerGroup[]> {
  const all = Object.values(await client.groupFetchAllParticipating());
  const announcements = new Map(
    all.flatMap((group) => (group.isCommunityAnnounce && group.linkedParent ? [[group.linkedParent, group]] : [])),
  );
  const listed = all.filter((group) => !(group.isCommunityAnnounce && group.linkedParent));
  return listed.map((group) =>
    group.isCommunity ? toCommunity(client, group, announcements.get(group.id)) : toGroup(client, group, null),
  );
}

/** `participants` are digits. Whoever WhatsApp does not know, or may not be added, is left out. */
export async function createGroupChat(
  client: WASocket,
  { name, participants }: { name: string; participants: readonly string[] },
): Promise<MessengerGroup> {
  const jids = participants.map((number) => jidEncode(number, 's.whatsapp.net'));
  const group = await client.groupCreate(name, jids);
  return toGroup(client, group, await inviteLinkOf(client, group.id));
}

/** Undefined: the community was created, and WhatsApp did not say which it is. */
export async function createCommunityChats(
  client: WASocket,
  { name, description }: { name: string; description: string },
): Promise<MessengerGroup | undefined> {
  const community = await client.communityCreate(name, description);
  if (!community) return undefined;
  return toCommunity(client, community, await findAnnouncements(client, community.id));
}

async function findAnnouncements(client: WASocket, communityId: string): Promise<GroupMetadata | undefined> {
  const { linkedGroups } = await client.communityFetchLinkedGroups(communityId);
  for (const { id } of linkedGroups) {
    const group = id === undefined ? undefined : await client.groupMetadata(id);
    if (group?.isCommunityAnnounce) return group;
  }
  return undefined;
}

/** The group is there, so that for want of a link nothing has failed. */
async function inviteLinkOf(client: WASocket, chatId: string): Promise<string | null> {
  const code = await client.groupInviteCode(chatId).catch(() => undefined);
  return code === undefined ? null : `https://chat.whatsapp.com/${code}`;
}

function toGroup(client: WASocket, group: GroupMetadata, inviteLink: string | null): MessengerGroup {
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

function toCommunity(
  client: WASocket,
  community: GroupMetadata,
  announcements: GroupMetadata | undefined,
): MessengerGroup {
  return {
    ...toGroup(client, community, null),
    kind: 'community',
    sendTo: announcements?.id ?? community.id,
    participants: sizeOf(announcements ?? community),
    canSend: announcements !== undefined && mayPost(client, announcements),
  };
}

/** With the account itself. Large groups do not show all their participants to everybody. */
export function sizeOf(group: GroupMetadata): number {
  return Math.max(group.size ?? 0, group.participants.length);
}

/** Whether the account may post there, as far as WhatsApp says. */
export function mayPost({ user }: Pick<WASocket, 'user'>, group: GroupMetadata): boolean {
  if (group.isCommunity) return false;
  if (!group.announce) return true;
  const own = group.participants.find(
    ({ id, phoneNumber }) => areJidsSameUser(id, user?.lid) || areJidsSameUser(phoneNumber ?? id, user?.id),
  );
  return own?.admin === 'admin' || own?.admin === 'superadmin';
}
