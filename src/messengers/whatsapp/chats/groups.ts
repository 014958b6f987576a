import type { MessengerGroup } from '../../messenger.ts';
import type { Client } from '../client/client.ts';
import type { Group } from '../client/group.ts';
import { parseJid } from '../client/jid.ts';
import { fetchGroups, fetchInviteCode } from './fetch-groups.ts';

/** All groups and communities of the account. An announcement group is listed as its community. */
export async function listGroupChats(client: Client): Promise<MessengerGroup[]> {
  const all = await fetchGroups(client);
  const announcements = new Map(
    all.flatMap((group) => (group.isCommunityAnnounce && group.linkedParent ? [[group.linkedParent, group]] : [])),
  );
  const listed = all.filter((group) => !(group.isCommunityAnnounce && group.linkedParent));
  return listed.map((group) =>
    group.isCommunity ? toCommunity(client, group, announcements.get(group.id)) : toGroup(client, group, null),
  );
}

/** Returns the link to join a group or community. Null if WhatsApp gives none. Throws as `Client.query` does. */
export async function fetchInviteLink(client: Client, chatId: string): Promise<string | null> {
  const code = await fetchInviteCode(client, chatId);
  return code === undefined ? null : `https://chat.whatsapp.com/${code}`;
}

export function toGroup(client: Client, group: Group, inviteLink: string | null): MessengerGroup {
  return {
    chatId: group.id,
    sendTo: group.id,
    kind: 'group',
    name: group.subject,
    participants: sizeOf(group),
    inviteLink,
    canSend: mayPost(client, group),
    isAdmin: findRole(client, group),
    createdAt: new Date((group.creation ?? 0) * 1_000),
  };
}

export function toCommunity(client: Client, community: Group, announcements: Group | undefined): MessengerGroup {
  return {
    ...toGroup(client, community, null),
    kind: 'community',
    sendTo: announcements?.id ?? community.id,
    participants: sizeOf(announcements ?? community),
    canSend: announcements !== undefined && mayPost(client, announcements),
    isAdmin: findRole(client, announcements ?? community),
  };
}

/** The number of members, the account included. Large groups do not show all participants. */
export function sizeOf(group: Group): number {
  return Math.max(group.size ?? 0, group.participants.length);
}

export function mayPost(client: Pick<Client, 'me'>, group: Group): boolean {
  if (group.isCommunity) return false;
  if (!group.announce || isAdmin(client, group)) return true;
  // A list does not show all members of large groups. WhatsApp rejects a post without the right to post.
  return !findOwn(client, group) && group.participants.length < sizeOf(group);
}

/** As in WhatsApp's own client: the setting that lets members edit the group lets them pin, too. Phones pass over the pin of anybody else. */
export function mayPin(client: Pick<Client, 'me'>, group: Group): boolean {
  return !group.isCommunity && ((!group.announce && !group.restrict) || isAdmin(client, group));
}

/** From so many members on only admins can mention everybody (WhatsApp's AB property 20354). */
const ADMINS_MENTION_FROM = 33;

export function mayMentionAll(client: Pick<Client, 'me'>, group: Group): boolean {
  return sizeOf(group) < ADMINS_MENTION_FROM || isAdmin(client, group);
}

/** Returns whether the account is an admin. Undefined if a list does not show the account: it leaves out members of large groups. */
function findRole(client: Pick<Client, 'me'>, group: Group): boolean | undefined {
  return findOwn(client, group) ? isAdmin(client, group) : undefined;
}

export function isAdmin(client: Pick<Client, 'me'>, group: Group): boolean {
  const own = findOwn(client, group);
  return own?.admin === 'admin' || own?.admin === 'superadmin';
}

function findOwn({ me }: Pick<Client, 'me'>, { participants }: Group) {
  const isSame = (one: string, own: string | undefined) => parseJid(one)?.user === parseJid(own)?.user;
  return participants.find(({ id, phoneNumber }) => isSame(id, me?.lid) || isSame(phoneNumber ?? id, me?.id));
}
